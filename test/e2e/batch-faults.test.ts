import { ulid } from 'ulid';
import { call, execute } from '../support/api.ts';
import { holdRecord, publishProbe, rowsOf, until } from '../support/faults.ts';
import { startNodeHere, type OwnNode } from '../support/own-node.ts';
import { startProgram, type Program } from '../support/program.ts';
import { signedInForEach } from '../support/world.ts';

/*
 * Setup: two nodes on a task queue of their own. A batch of 50 items, of which one waits for a record that
 * the test holds. Timeline: the node that has accepted the batch is killed in the middle of it; the record is
 * released; the caller repeats the request at the other node. What this proves: each item is done once, and
 * the caller gets all results.
 */
const KEY = 'the-batch';
let accepting: Program;
let other: OwnNode;

beforeAll(publishProbe);
const { tenant, user } = signedInForEach('ADMIN');
beforeEach(async () => {
  const settings = { TEMPORAL_TASK_QUEUE: `batch-${ulid()}` };
  [accepting, other] = await Promise.all([startProgram(settings), startNodeHere(settings)]);
});
afterEach(() => accepting.stop('SIGKILL'));

const names = async (): Promise<string[]> =>
  (await rowsOf(tenant.id, 'select name from dev.mt_probe')).map(({ name }) => name as string);

describe('SIGKILL in the middle of a batch', () => {
  it.each([
    ['atomic', 'none of its items'],
    ['partial', 'the items that had ended'],
  ])('%s leaves %s, and the other node does the rest once', async (mode) => {
    const { pid } = (await execute(user.token, 'probe:write', { payload: { name: 'held' } })).body.data;
    const items = Array.from({ length: 50 }, (_, index) =>
      index === 25
        ? { operationType: 'UPDATE', targetRecordId: pid, payload: { name: 'changed' } }
        : { payload: { name: `new ${index}` } },
    );
    const send = (node: OwnNode) =>
      call('/api/meta/commands/execute/probe:write/batch', {
        token: user.token,
        headers: { 'X-Idempotent-Key': KEY },
        baseUrl: node.url,
        body: { mode, items },
      });
    const held = await holdRecord(tenant.id, 'dev.mt_probe', pid);

    const unanswered = send(accepting).then(
      () => 'answered',
      () => 'cut off',
    );
    await held.waiting();
    if (mode === 'partial') await until('items have ended', async () => (await names()).length > 1);
    else expect(await names()).toEqual(['held']);
    await accepting.stop('SIGKILL');
    await held.release();

    expect(await unanswered).toBe('cut off');
    const answer = await until('the batch has ended', async () => {
      const repeated = await send(other);
      return repeated.status === 200 ? repeated : null;
    });
    expect(answer.body.data).toMatchObject({ succeeded: 50, failed: 0 });
    expect((await names()).sort()).toEqual(items.map(({ payload }) => payload.name).sort());
    const changes = await rowsOf(tenant.id, 'select action from platform.change_log');
    const events = await rowsOf(tenant.id, 'select 1 from platform.event where tenant_id = $1', [tenant.id]);
    // With those of the record that was there before.
    expect([changes.length, events.length]).toEqual([51, 51]);
  });
});
