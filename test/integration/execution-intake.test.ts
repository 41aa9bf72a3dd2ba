import { ulid } from 'ulid';
import { insertExecutions, type NewExecution } from '../../src/features/commands/executions/execution-store.ts';
import { TurnBatch } from '../../src/foundation/database/turn-batch.ts';
import { newExecution } from '../support/executions.ts';
import { container, signedIn } from '../support/world.ts';

let intake: TurnBatch<NewExecution, boolean>;
let accepted: NewExecution;

const { tenant, user } = signedIn('ADMIN');
beforeAll(async () => {
  const { database } = await container();
  intake = new TurnBatch((executions) => insertExecutions(database, executions));
  accepted = await newExecution(tenant, user, {
    roles: ['ADMIN', 'a, "b"'],
    payload: { b: '1.10', a: [null, 'é'] },
    idempotencyKey: null,
    nodePid: 'dead',
  });
});

const execution = (more: Partial<NewExecution> = {}): NewExecution => ({ ...accepted, pid: ulid(), ...more });
const stored = async () => {
  const { database } = await container();
  return database.query<NewExecution>(
    'select * from platform.command_execution where tenant_id = $1 order by created_at, pid',
    [tenant.id],
  );
};
afterEach(async () => {
  const { database } = await container();
  await database.query(
    `update platform.command_execution set status = 'CANCELLED', idempotency_key = null where tenant_id = $1`,
    [tenant.id],
  );
});

describe('executions that are accepted in one turn of the event loop', () => {
  it('are stored as they are, by one statement', async () => {
    const { database } = await container();
    const group = [execution({ matchOn: ['a', 'b'], expectedVersion: 3 }), execution({ idempotencyKey: 'k' })];
    const before = database.statements;

    expect(await Promise.all(group.map((each) => intake.do(each)))).toEqual([true, true]);

    expect(database.statements - before).toBe(1);
    const rows = await stored();
    expect(rows).toHaveLength(2);
    for (const each of group) expect(rows.find(({ pid }) => pid === each.pid)).toMatchObject(each);
  });

  it('have one owner of each idempotency key', async () => {
    const claims = ['x', 'x', 'y'].map((idempotencyKey) => intake.do(execution({ idempotencyKey })));

    expect(await Promise.all(claims)).toEqual([true, false, true]);
    expect(await intake.do(execution({ idempotencyKey: 'x' }))).toBe(false);
  });

  it('are refused each by itself', async () => {
    const bad = execution({ tenantId: 'none' });

    const [first, second, third] = await Promise.allSettled(
      [execution(), bad, execution()].map((each) => intake.do(each)),
    );

    expect([first, third]).toMatchObject([{ value: true }, { value: true }]);
    expect(second).toMatchObject({ status: 'rejected' });
  });
});
