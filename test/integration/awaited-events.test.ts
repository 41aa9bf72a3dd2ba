import { ulid } from 'ulid';
import { Definitions } from '../../src/features/automations/runs/values/definitions.ts';
import { automationTriggers } from '../../src/features/automations/triggers/automation-triggers.ts';
import { AwaitedEvents } from '../../src/features/automations/triggers/awaited-events.ts';
import { recordVisibility } from '../../src/platform/records/reader/row-visibility.ts';
import { EventRelay } from '../../src/platform/events/outbox/event-relay.ts';
import { EventVisibility } from '../../src/platform/events/audience/event-visibility.ts';
import { newAutomation, runIs, startRun } from '../support/automations.ts';
import { startOwnNode } from '../support/own-node.ts';
import { runSql } from '../support/platform.ts';
import { freePort, startProgram } from '../support/program.ts';
import { container, signedInForEach } from '../support/world.ts';

/*
 * Setup: a database of the test's own. A worker begins two runs that wait for an event, one whose filter
 * names the value that it waits for and one whose filter does not, and is stopped; each run is copied until
 * 5,000 runs wait. Timeline: an event arrives that only one of them waits for. What this proves: the relay's
 * transaction costs the same as with no waiting run; the step is found by its value; where it has to be
 * looked for, that takes many small transactions.
 */
const WAITING = 5_000;

beforeAll(async () => {
  await startOwnNode('awaited', { KEELSON_ROLES: 'api' });
});
const { tenant, user } = signedInForEach('ADMIN');

/** 5,000 runs that wait, each for its own value. @returns the pid of the one that waits for `wanted` */
async function waitingRuns(filter: string): Promise<string> {
  const worker = await startProgram({ KEELSON_ROLES: 'worker', PORT: String(await freePort()) });
  const code = await newAutomation({
    input: [{ code: 'order', name: 'Order', type: 'string' }],
    steps: [{ id: 'paid', type: 'waitForEvent', eventType: 'shop:paid', filter }],
  });
  const { body } = await startRun(user.token, code, { order: 'wanted' });
  const { runPid } = body.data;
  await runIs(user.token, runPid, ['WAITING']);
  await worker.stop();
  await runSql(
    `insert into platform.automation_run select r.* from generate_series(2, $1) n, platform.automation_run t,
       jsonb_populate_record(t, jsonb_build_object('pid', left(t.pid, 18) || lpad(n::text, 8, '0'), 'input', jsonb_build_object('order', 'other' || n))) r
     where t.pid = $2`,
    [WAITING, runPid],
  );
  await runSql(
    `insert into platform.automation_step overriding user value
     select s.* from platform.automation_run r, platform.automation_step t,
       jsonb_populate_record(t, jsonb_build_object('run_pid', r.pid, 'wait_correlation', case when t.wait_correlation is null then null else left(md5(r.pid), 32) end)) s
     where t.run_pid = $1 and r.automation_code = $2 and r.pid <> t.run_pid`,
    [runPid, code],
  );
  await runSql('analyze platform.automation_step');
  return runPid;
}

async function emit(order: string): Promise<void> {
  const body = JSON.stringify({ commandCode: 'shop:paid', modelCode: null, payload: { order }, result: {} });
  await runSql(
    `insert into platform.event (pid, environment, tenant_id, event_type, command_code, model_code, body, trace_id)
     values ($1, 'dev', $2, 'shop:paid', 'shop:paid', '', $3, 't')`,
    [ulid(), tenant.id, body],
  );
}

async function parts() {
  const { database, store, snapshots, orm, logger } = await container();
  const signalled: string[] = [];
  // The workers are stopped: what would be signalled is written down.
  const signaller = {
    signal: (runs: readonly { pid: string }[]) => Promise.resolve(void signalled.push(...runs.map(({ pid }) => pid))),
  };
  const visibility = new EventVisibility(recordVisibility);
  const awaited = new AwaitedEvents(database, new Definitions(orm), snapshots, visibility, signaller, logger);
  const triggers = automationTriggers({ snapshots, visibility, awaited, signaller, logger });
  const relay = new EventRelay(
    database,
    [
      {
        consume: async (transaction, events) => {
          await triggers.consume(transaction, events);
          return async () => undefined;
        },
      },
    ],
    store,
    logger,
  );
  /** The statements of some work, and what it gives. */
  const counting = async <T>(work: () => Promise<T>): Promise<{ statements: number; result: T }> => {
    const before = database.statements;
    const result = await work();
    return { statements: database.statements - before, result };
  };
  return { awaited, relay, signalled, counting };
}

describe('an event that one of 5,000 waiting runs waits for', () => {
  it('finds it by the value that its filter names', async () => {
    const runPid = await waitingRuns('event.payload.order == input.order');
    const { awaited, relay, signalled, counting } = await parts();
    await emit('wanted');

    const relayed = await counting(() => relay.relay());
    const delivered = await counting(() => awaited.deliver());

    expect([relayed.result, delivered.result]).toEqual([1, true]);
    // begin, take, callers and runs, note twice, mark, commit.
    expect(relayed.statements).toBeLessThanOrEqual(12);
    expect(delivered.statements).toBeLessThanOrEqual(12);
    expect(signalled).toEqual([runPid]);
    expect(await awaited.deliver()).toBe(false);
    const [step] = await runSql(
      'select status, output -> $$event$$ -> $$payload$$ as payload from platform.automation_step where run_pid = $1',
      [runPid],
    );
    expect(step).toEqual({ status: 'SUCCEEDED', payload: { order: 'wanted' } });
  });

  it('is shown to a hundred in each transaction where no value is named', async () => {
    const runPid = await waitingRuns("event.payload.order + '' == input.order");
    const { awaited, relay, signalled, counting } = await parts();
    await emit('wanted');

    const relayed = await counting(() => relay.relay());
    const most = { statements: 0, pages: 0 };
    for (;;) {
      const { statements, result } = await counting(() => awaited.deliver());
      if (!result) break;
      most.statements = Math.max(most.statements, statements);
      most.pages += 1;
    }

    expect(relayed.statements).toBeLessThanOrEqual(12);
    expect(most.statements).toBeLessThanOrEqual(12);
    expect(most.pages).toBeGreaterThanOrEqual(WAITING / 100);
    expect(most.pages).toBeLessThanOrEqual(WAITING / 100 + 1);
    expect(signalled).toEqual([runPid]);
  });

  it('notes nothing of events that no step waits for', async () => {
    await waitingRuns('event.payload.order == input.order');
    const { awaited, relay } = await parts();
    await runSql("update platform.automation_step set wait_for = 'shop:sent' where tenant_id = $1", [tenant.id]);
    await emit('wanted');

    expect(await relay.relay()).toBe(1);

    expect(await awaited.deliver()).toBe(false);
  });
});
