import { AUTOMATION } from '../../src/features/automations/definition/automation-type.ts';
import type { CommandContent } from '../../src/features/commands/definition/command-content.ts';
import { commandOrigins } from '../../src/features/commands/definition/command-origins.ts';
import { COMMAND, modelsOf } from '../../src/features/commands/definition/command-type.ts';
import { offlineResourceChecks } from '../../src/offline.ts';
import { Snapshot } from '../../src/platform/metadata/snapshot/snapshot.ts';
import { visibleValue } from '../../src/platform/metadata/snapshot/visible-value.ts';
import { inEnglish } from '../support/in-english.ts';

const { types } = offlineResourceChecks();
const field = (code: string, type: string, rest: object = {}) => ({ code, name: code, type, ...rest });
const model = (code: string, ...fields: object[]) => ({ resourceType: 'MODEL', code, content: { name: code, fields } });
const configuration = new Snapshot(
  'test',
  0,
  [
    model('order', field('name', 'string')),
    model(
      'line',
      field('order', 'relation', { target: 'order' }),
      field('amount', 'decimal'),
      field('cost', 'integer'),
    ),
    model('fixed', field('order', 'relation', { target: 'order', required: true })),
  ],
  types,
);
const relation = (rest: object = {}) => ({
  code: 'lines',
  modelCode: 'line',
  field: 'order',
  operations: ['CREATE', 'UPDATE', 'UNLINK', 'DELETE'],
  ...rest,
});
const command = (content: object = {}) =>
  ({
    name: 'Save',
    modelCode: 'order',
    operations: ['CREATE', 'UPDATE'],
    relations: [relation()],
    ...content,
  }) as CommandContent;
const problemsOf = (content: CommandContent): unknown => ({
  ...(inEnglish(types.problemsOfContent('COMMAND', 'test:save', content)) as object),
  ...(inEnglish(COMMAND.check?.({ resourceType: 'COMMAND', code: 'test:save', content }, configuration)) as object),
});

describe('the relations of a command', () => {
  it.each<[string, object, string, string]>([
    ['a field that is no relation', { field: 'amount' }, 'field', 'is not a relation to order'],
    ['the code of a field', { code: 'name' }, 'code', 'is a field of order'],
    ['the code of a system field', { code: 'version' }, 'code', 'is a field of order'],
    [
      ...(['UNLINK of a required field', { modelCode: 'fixed' }] as const),
      ...(['operations', 'has UNLINK, but the field is required: use DELETE'] as const),
    ],
  ])('may not have %s', (_what, rest, at, problem) => {
    expect(problemsOf(command({ relations: [relation(rest)] }))).toEqual({ [`content.relations.0.${at}`]: problem });
  });

  it('are refused in other shapes', () => {
    const wrong = [relation({ operations: [] }), relation({ code: 'A' }), relation({ relations: [] }), { code: 'x' }];
    for (const one of wrong) expect(problemsOf(command({ relations: [one] }))).not.toEqual({});
    expect(problemsOf(command({ relations: [] }))).not.toEqual({});
    expect(problemsOf(command())).toEqual({});
  });

  it('refer to their models and fields, whose records the command writes', () => {
    expect(COMMAND.references?.(command())).toMatchObject([
      { path: 'content.modelCode', code: 'order' },
      { path: 'content.relations.0.modelCode', code: 'line' },
      { path: 'content.relations.0.field', code: 'line', field: 'order', isWritten: true },
    ]);
    expect([...modelsOf(command())]).toEqual(['order', 'line']);
  });

  it('are read by expressions in types that are known', () => {
    const assert = (source: string) => problemsOf(command({ rules: [{ assert: source, message: 'x' }] }));

    expect(assert('payload.lines.create.all(l, l.amount > 1 && l.cost > 2)')).toEqual({});
    expect(assert('payload.lines.update.exists(l, l.pid == "a") && size(payload.lines.unlink) == 0')).toEqual({});
    expect(assert('payload.lines.create.all(l, l.amuont > 1)')).not.toEqual({});
    expect(assert('size(payload.lines.removed) == 0')).not.toEqual({});
  });

  it('have their hidden fields in payloads and results', () => {
    const { result = {}, payload = {} } = commandOrigins(command());
    const value = { name: 'a', lines: { create: [{ amount: '1', cost: 2 }], update: [], unlink: ['p'], delete: [] } };
    const visible = { ...value, lines: { ...value.lines, create: [{ amount: '1' }] } };
    const isHidden = (name: string) => name === 'line.cost';

    expect(visibleValue(value, result, isHidden)).toEqual(visible);
    expect(visibleValue(value, payload, isHidden)).toEqual(visible);
    expect(visibleValue(value, result, (name) => name === 'line.pid')).toMatchObject({ name: 'a', lines: {} });
  });

  it('may be in the payload of an automation’s step', async () => {
    const after = new Snapshot(
      'test',
      0,
      [
        model('order', field('name', 'string')),
        model('line', field('order', 'relation', { target: 'order' }), field('amount', 'decimal')),
        { resourceType: 'COMMAND', code: 'test:save', content: command() },
      ],
      types,
    );
    const problemsWith = (payload: object) =>
      AUTOMATION.check?.(
        {
          resourceType: 'AUTOMATION',
          code: 'a',
          content: {
            name: 'A',
            trigger: { type: 'manual' },
            steps: [{ id: 'save', type: 'command', commandCode: 'test:save', operationType: 'CREATE', payload }],
          },
        } as never,
        after,
      );

    expect(await problemsWith({ name: '"x"', lines: '{"create": [{"amount": 1}]}' })).toEqual({});
    expect(Object.keys((await problemsWith({ others: '1' })) ?? {})).toEqual(['content.steps.0.payload.others']);
  });
});
