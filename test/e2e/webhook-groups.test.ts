import { ulid } from 'ulid';
import { deliveryWorkflowId } from '../../workflows/contracts.ts';
import { temporal, until } from '../support/faults.ts';
import { startOwnProgram, type OwnProgram } from '../support/own-program.ts';
import { rows } from '../support/platform.ts';
import { Receiver } from '../support/receiver.ts';
import { attemptsOf, deliveriesOnce, subscribe, workflowEnd } from '../support/webhooks.ts';
import { signedInForEach } from '../support/world.ts';

/* Setup: one program; each case has a tenant with a receiver of its own. Events are inserted together. */
let receiver: Receiver;

// Its receivers must not keep the node from forming groups.
let own: OwnProgram;
beforeAll(async () => {
  own = await startOwnProgram('hookgroups');
});
afterAll(() => own.stop());
const { tenant, user } = signedInForEach('ADMIN');
beforeEach(async () => {
  receiver = await Receiver.start();
});

/** A subscription to the events `<name>`, which arrive at the receiver's path of that name. */
const listening = (name: string) => subscribe(tenant, user, receiver.urlOf(name), { eventType: `test.${name}` });

/** So many events for each of these subscriptions, in one statement. */
const emit = (names: readonly string[], count: number) =>
  rows(
    `insert into platform.event (pid, environment, tenant_id, event_type, command_code, model_code, body, trace_id)
     select ? || i, 'dev', ?, 'test.' || (string_to_array(?, ','))[1 + i % ?], 'x', '', '{"payload":{},"result":{}}', ?
     from generate_series(1, ?) i returning pid`,
    [ulid().slice(0, 20), tenant.id, names.join(','), names.length, 'a'.repeat(32), count * names.length],
  );

async function hasOwnWorkflow(deliveryPid: string): Promise<boolean> {
  const { workflow } = await temporal();
  return workflow
    .getHandle(deliveryWorkflowId(deliveryPid))
    .describe()
    .then(
      () => true,
      () => false,
    );
}

describe('deliveries that get their slots together', () => {
  it('share workflows, and each has one attempt', async () => {
    const names = ['a', 'b', 'c', 'd'];
    const pids = await Promise.all(names.map(listening));
    await emit(names, 20);

    const deliveries = (await Promise.all(pids.map((pid) => deliveriesOnce(pid, 20)))).flat();

    expect(deliveries.map(({ status }) => status)).toEqual(deliveries.map(() => 'SUCCEEDED'));
    expect(receiver.received).toHaveLength(80);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(80);
    for (const { pid } of deliveries) {
      expect(await attemptsOf(pid)).toMatchObject([{ number: 1, trigger: 'event', statusCode: 200, errorClass: null }]);
    }
    const alone = await Promise.all(deliveries.map(({ pid }) => hasOwnWorkflow(pid)));
    expect(alone.filter(Boolean).length).toBeLessThan(40);
  });

  it('are found by tenant and subscription; the group says what it delivers, and holds no payloads', async () => {
    const names = ['a', 'b'];
    const [pid = ''] = await Promise.all(names.map(listening));
    await emit(names, 20);
    await deliveriesOnce(pid, 20);

    const { workflow } = await temporal();
    const query = `subscriptionPids = "${pid}" and tenantIds = "${tenant.id}"`;
    const groupId = await until('a group is listed', async () => {
      for await (const { workflowId } of workflow.list({ query })) return workflowId;
      return null;
    });

    expect(groupId).toMatch(/^deliveries:/);
    const handle = workflow.getHandle(groupId);
    await handle.result();
    const described = await handle.describe();
    expect(await described.staticSummary()).toMatch(/^\d+ deliveries: test\.[ab] \d+/);
    expect(described.memo).toEqual({ deliveryPids: expect.any(Array), traceIds: ['a'.repeat(32)] });
    expect(described.searchAttributes).toMatchObject({ environment: ['dev'] });
    expect(described.historyLength).toBeLessThan(20);
  });

  it('go on by themselves where they fail', async () => {
    const pid = await listening('failing');
    const seen = new Set<unknown>();
    receiver.answer = ({ headers }) => {
      const isFirst = !seen.has(headers['webhook-id']);
      seen.add(headers['webhook-id']);
      return { status: isFirst ? 503 : 200 };
    };
    await emit(['failing'], 6);

    for (const delivery of await deliveriesOnce(pid, 6)) {
      expect(delivery).toMatchObject({ status: 'SUCCEEDED', attemptCount: 2 });
      const attempts = await attemptsOf(delivery.pid);
      expect(attempts.map(({ statusCode, trigger }) => [statusCode, trigger])).toEqual([
        [503, 'event'],
        [200, 'retry'],
      ]);
      expect(await workflowEnd(delivery.pid)).toBe('SUCCEEDED');
    }
  });

  it('do not wait for an endpoint that is slow: it is sent each event once, and by itself from then on', async () => {
    const names = ['slow', 'a', 'b'];
    const [slow = '', ...quick] = await Promise.all(names.map(listening));
    receiver.answer = ({ path }) => ({ delayMs: path.endsWith('/slow') ? 2_500 : 0 });
    await emit(names, 8);

    const others = (await Promise.all(quick.map((pid) => deliveriesOnce(pid, 8)))).flat();
    const late = await deliveriesOnce(slow, 8);

    const lastOfOthers = Math.max(...others.map(({ finishedAt }) => Number(finishedAt)));
    expect(lastOfOthers).toBeLessThan(Math.min(...late.map(({ finishedAt }) => Number(finishedAt))));
    for (const { pid } of late) expect(await attemptsOf(pid)).toMatchObject([{ number: 1, statusCode: 200 }]);
    await emit(['slow'], 2);
    const [next] = (await deliveriesOnce(slow, 10)).slice(-1);
    expect(await workflowEnd(next?.pid ?? '')).toBe('SUCCEEDED');
    expect(receiver.at('slow')).toHaveLength(10);
  });

  it('go on by themselves where a slow endpoint fails in the end', async () => {
    const pid = await listening('failing');
    receiver.answer = (_request, index) => (index < 4 ? { status: 503, delayMs: 1_000 } : {});
    await emit(['failing'], 4);

    for (const delivery of await deliveriesOnce(pid, 4)) {
      const attempts = await attemptsOf(delivery.pid);
      expect(attempts.map(({ statusCode }) => statusCode)).toEqual([503, 200]);
    }
  });
});
