import { ulid } from 'ulid';
import { performCommand, type CommandEffect } from '../../src/features/commands/performing/perform-command.ts';
import type { Operation } from '../../src/features/commands/definition/command-content.ts';
import { setTenant } from '../../src/foundation/database/tenant.ts';
import { actorOf, type Actor } from '../../src/platform/auth/requests/actor.ts';
import { newOrders } from '../support/orders.ts';
import { container, newTenant } from '../support/world.ts';

let command: string;
let actor: Actor;

beforeAll(async () => {
  ({ command } = await newOrders());
  const { snapshots } = await container();
  const tenant = await newTenant();
  const user = { userId: '1', userPid: ulid(), username: 'u', tenantId: tenant.id, roles: ['ADMIN'] };
  actor = actorOf({ ...user, keyMadeBy: null }, await snapshots.current('dev'));
});

/** What a command does, and how many statements it takes. */
async function perform(operation: Operation, payload: object, target: string | null = null) {
  const { database } = await container();
  const before = database.statements;
  const effect: CommandEffect = await database.transaction(async (transaction) => {
    await setTenant(transaction, actor.tenantId);
    const asked = { commandCode: command, targetRecordId: target, expectedVersion: null, matchOn: null, operation };
    return performCommand(transaction, actor, { ...asked, payload: payload as Record<string, unknown> });
  });
  const result = effect.result as { pid: string; lines: { create: { pid: string }[] } };
  return { result, statements: database.statements - before };
}
const newLines = (count: number) => Array.from({ length: count }, (_, index) => ({ amount: index, no: ulid() }));

describe('the related records of a command', () => {
  it('take as many statements for 25 of each kind as for one, whichever fields they change', async () => {
    const few = await perform('CREATE', { name: 'few', lines: { create: newLines(3) } });
    const many = await perform('CREATE', { name: 'many', lines: { create: newLines(75) } });
    expect(many.statements).toBe(few.statements);
    const changing = async ({ result }: typeof few, each: number) => {
      const pids = result.lines.create.map(({ pid }) => pid);
      const update = pids
        .slice(0, each)
        .map((pid, index) => ({ pid, ...[{ no: ulid() }, { cost: 1 }, {}][index % 3] }));
      const lines = {
        create: newLines(each),
        update,
        unlink: pids.slice(each, 2 * each),
        delete: pids.slice(2 * each, 3 * each),
      };
      return perform('UPDATE', { lines }, result.pid);
    };

    const one = await changing(few, 1);
    const all = await changing(many, 25);

    expect(all.statements).toBe(one.statements);
    expect(all.result.lines).toMatchObject({ create: { length: 25 }, update: { length: 25 }, unlink: { length: 25 } });
  });
});
