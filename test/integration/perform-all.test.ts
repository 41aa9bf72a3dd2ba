import { ulid } from 'ulid';
import type { CommandContent, Operation } from '../../src/features/commands/definition/command-content.ts';
import { performAll, type CommandOfMany } from '../../src/features/commands/performing/perform-all.ts';
import type { RequestedCommand } from '../../src/features/commands/performing/perform-command.ts';
import { setTenant } from '../../src/foundation/database/tenant.ts';
import { actorOf, type Actor } from '../../src/platform/auth/requests/actor.ts';
import { newCode, newModel, save, type TestModel } from '../support/models.ts';
import { container, newTenant } from '../support/world.ts';

let model: TestModel;
let ruled: string;
let actor: Actor;

async function newCommand(content: Partial<CommandContent>): Promise<string> {
  const code = `test:${newCode()}`;
  const whole = { name: 'Save', modelCode: model.code, operations: ['CREATE', 'UPDATE'], ...content };
  await save('dev', { resourceType: 'COMMAND', code, content: whole });
  return code;
}

beforeAll(async () => {
  model = await newModel({
    fields: [
      { code: 'name', name: 'Name', type: 'string', required: true },
      { code: 'size', name: 'Size', type: 'integer' },
      {
        code: 'state',
        name: 'State',
        type: 'enum',
        values: ['open', 'done'],
        default: 'open',
        transitions: { open: ['done'], done: [] },
      },
      { code: 'lead', name: 'Lead', type: 'relation', target: 'lead' },
    ],
  });
  ruled = await newCommand({
    rules: [{ assert: 'payload.name != "bad"', message: 'Not this name', code: 'VALIDATION_ERROR', field: 'name' }],
  });
  const { snapshots } = await container();
  const user = { userId: '1', userPid: ulid(), username: 'u', tenantId: (await newTenant()).id, roles: ['ADMIN'] };
  actor = actorOf({ ...user, keyMadeBy: null }, await snapshots.current('dev'));
});

const asked = (commandCode: string, payload: Record<string, unknown>, targetRecordId: string | null = null) => {
  const operation: Operation = targetRecordId === null ? 'CREATE' : 'UPDATE';
  return { commandCode, payload, targetRecordId, operation, expectedVersion: null, matchOn: null };
};

/** What becomes of commands in one transaction, and how many statements they take. */
async function perform(...commands: RequestedCommand[]) {
  const { database } = await container();
  const before = database.statements;
  const outcomes = await database.transaction(async (transaction) => {
    await setTenant(transaction, actor.tenantId);
    return performAll(transaction, actor, commands);
  });
  return { outcomes, statements: database.statements - before };
}
const numbered = (count: number) => Array.from({ length: count }, (_, index) => asked(ruled, { name: `n${index}` }));
const told = (outcome: CommandOfMany) =>
  'refused' in outcome ? outcome.refused.data : (outcome.result as Record<string, unknown>);
const pidsOf = (outcomes: readonly CommandOfMany[]) => outcomes.map((one) => String(told(one)?.pid));

describe('performAll', () => {
  it('creates and updates many records in as many statements as a few, each with its own change and event', async () => {
    const few = await perform(...numbered(2));
    const many = await perform(...numbered(200));
    expect(many.statements).toBe(few.statements);
    expect(many.outcomes.map(told)).toMatchObject(numbered(200).map(({ payload }) => payload));
    const pids = pidsOf(many.outcomes);
    expect(many.outcomes).toMatchObject(
      pids.map((recordPid) => ({ changes: [{ recordPid, action: 'CREATE' }], event: { recordPid, eventType: ruled } })),
    );

    const update = (some: readonly string[]) => some.map((pid, size) => asked(ruled, { name: 'u', size }, pid));
    const fewUpdated = await perform(...update(pids.slice(0, 2)));
    const updated = await perform(...update(pids), asked(ruled, { name: 'new' }));
    // A create and an update are two statements.
    expect(updated.statements).toBe(fewUpdated.statements + 1);
    expect(updated.outcomes.slice(0, 200).map(told)).toMatchObject(pids.map((pid, size) => ({ pid, size })));
    expect(told(updated.outcomes[200] as CommandOfMany)).toMatchObject({ name: 'new', version: 1 });
  });

  it('tells those that a rule, a state or a version refuses, and performs the others', async () => {
    const [done = '', open = ''] = pidsOf((await perform(...numbered(2))).outcomes);
    await perform(asked(ruled, { name: 'x', state: 'done' }, done));

    const { outcomes } = await perform(
      asked(ruled, { name: 'bad' }),
      asked(ruled, { name: 'x', state: 'open' }, done),
      { ...asked(ruled, { name: 'x' }, open), expectedVersion: 7 },
      asked(ruled, { name: 'x' }, ulid()),
      asked(ruled, { name: 'good' }),
    );

    expect(outcomes.map(told)).toMatchObject([
      { fieldErrors: { name: 'Not this name' } },
      { reason: 'STATE', allowed: [] },
      { reason: 'VERSION', version: 1 },
      null,
      { name: 'good' },
    ]);
  });

  it('keeps none of them where a write is refused', async () => {
    await expect(perform(asked(ruled, { name: 'a' }), asked(ruled, { name: 'b', lead: ulid() }))).rejects.toMatchObject(
      { code: 'VALIDATION_ERROR' },
    );
  });

  it('takes commands of one record, or with steps, one after the other', async () => {
    const [pid = ''] = pidsOf((await perform(...numbered(1))).outcomes);
    const twice = await perform(asked(ruled, { name: 'a', size: 1 }, pid), asked(ruled, { name: 'b' }, pid));
    expect(twice.outcomes.map(told)).toMatchObject([
      { name: 'a', size: 1, version: 2 },
      { name: 'b', size: 1, version: 3 },
    ]);

    const steps = await newCommand({
      operations: ['CREATE'],
      steps: [{ id: 'one', operation: 'CREATE', modelCode: model.code, values: { name: 'payload.name + "!"' } }],
    });
    const { snapshots } = await container();
    actor = { ...actor, metadata: await snapshots.current('dev') };
    const { outcomes } = await perform(asked(steps, { name: 'a' }), asked(steps, { name: 'b' }));
    expect(outcomes.map(told)).toMatchObject([{ one: { name: 'a!' } }, { one: { name: 'b!' } }]);
  });
});
