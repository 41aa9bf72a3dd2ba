import type { Actor } from '../../src/platform/auth/requests/actor.ts';
import { checkRules, expressionContext, runSteps } from '../../src/features/commands/performing/command-steps.ts';
import { Snapshot } from '../../src/platform/metadata/snapshot/snapshot.ts';
import type { CommandWriter } from '../../src/features/commands/steps/command-writer.ts';
import { resourceTypes } from '../support/resource-types.ts';

const actor: Actor = {
  userId: '7',
  userPid: '01JTESTUSER000000000000000',
  username: 'mary',
  tenantId: '3',
  timeZone: 'UTC',
  roles: [],
  permissions: { has: () => false },
  metadata: new Snapshot('dev', 1, [], resourceTypes),
};
const context = expressionContext(actor, { amount: 5 }, { pid: 'P', status: 'open' });

describe('the rules of a command', () => {
  it('hold when every assertion is true', () => {
    expect(() =>
      checkRules(
        [
          { assert: 'record.status == "open"', message: 'not open' },
          { assert: 'payload.amount < 10 && actor.username == "mary" && actor.tenantId == "3"', message: 'too much' },
          { assert: 'now > timestamp("2026-01-01T00:00:00Z")', message: 'too early' },
        ],
        context,
      ),
    ).not.toThrow();
    expect(() => checkRules(undefined, context)).not.toThrow();
  });

  it('end the command with CONFLICT and the reason STATE unless they say otherwise', () => {
    expect(() => checkRules([{ assert: 'false', message: 'Not now' }], context)).toThrow(
      expect.objectContaining({ code: 'CONFLICT', message: 'Not now', data: { reason: 'STATE' } }),
    );
    expect(() => checkRules([{ assert: 'false', message: 'Not now', reason: 'CLOSED' }], context)).toThrow(
      expect.objectContaining({ data: { reason: 'CLOSED' } }),
    );
  });

  it('end it with VALIDATION_ERROR at the field that they name', () => {
    const rule = { assert: 'payload.amount > 10', message: 'Too little', code: 'VALIDATION_ERROR' as const };

    expect(() => checkRules([{ ...rule, field: 'amount' }], context)).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR', data: { fieldErrors: { amount: 'Too little' } } }),
    );
    expect(() => checkRules([rule], context)).toThrow(
      expect.objectContaining({ data: { fieldErrors: { payload: 'Too little' } } }),
    );
  });

  it('are asked in their order: the first broken one answers', () => {
    const rules = ['true', 'false', 'false'].map((assert, index) => ({ assert, message: `rule ${index}` }));

    expect(() => checkRules(rules, context)).toThrow('rule 1');
  });

  it.each([
    ['is null', 'payload.nothing', { code: 'CONFLICT', data: { reason: 'STATE' } }],
    [
      'is neither true nor false',
      'payload.amount',
      {
        code: 'VALIDATION_ERROR',
        data: { fieldErrors: { 'rules.0.assert': expect.anything() } },
      },
    ],
    ['compares with what is not there', 'payload.nothing == 1', { code: 'CONFLICT', data: { reason: 'STATE' } }],
    [
      'cannot be evaluated',
      'payload.nothing + 1 == 1',
      { code: 'VALIDATION_ERROR', data: { fieldErrors: { 'rules.0.assert': expect.any(String) } } },
    ],
  ])('do not hold when the assertion %s', (_what, assert, error) => {
    expect(() => checkRules([{ assert, message: 'broken' }], context)).toThrow(expect.objectContaining(error));
  });
});

describe('the steps of a command', () => {
  // A step that is left out touches no record, so nothing here needs a database.
  const writer = null as unknown as CommandWriter;
  const skipped = (id: string) => ({ id, operation: 'CREATE' as const, modelCode: 'thing', when: 'false', values: {} });
  const content = { name: 'A command', modelCode: 'thing', operations: ['CUSTOM' as const] };

  it('answer the record of every step by its id, null for one that was left out', async () => {
    const command = { ...content, steps: [skipped('one'), { ...skipped('two'), when: 'steps.one != null' }] };

    expect(await runSteps(command, actor, writer, context)).toEqual({ one: null, two: null });
  });

  it('answer what `result` makes of them', async () => {
    const command = {
      ...content,
      steps: [skipped('one')],
      result: { of: 'record.pid', made: 'steps.one', by: 'actor.pid', double: 'payload.amount * 2.0' },
    };

    expect(await runSteps(command, actor, writer, context)).toEqual({
      of: 'P',
      made: null,
      by: actor.userPid,
      double: 10,
    });
  });

  it('end the command with the name of the expression that cannot be evaluated', async () => {
    const command = { ...content, steps: [{ ...skipped('one'), when: 'steps.later.pid + 1 == 2' }] };

    await expect(runSteps(command, actor, writer, context)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      data: { fieldErrors: { 'steps.one.when': expect.any(String) } },
    });
  });
});
