import { ulid } from 'ulid';
import { FIRST_ATTEMPTS, SLOTS, SLOW_MS } from '../../src/features/webhooks/webhooks.limits.ts';
import { deliveryWorkflowId } from '../../workflows/contracts.ts';
import { temporal, until } from '../support/faults.ts';
import { startOwnProgram, type OwnProgram } from '../support/own-program.ts';
import { runSql } from '../support/platform.ts';
import { Receiver } from '../support/receiver.ts';
import { attemptsOf, deliveriesOf, deliveriesOnce, subscribe, workflowEnd } from '../support/webhooks.ts';
import { container, signedInForEach } from '../support/world.ts';

/* Setup: one program; each case has a tenant with a receiver of its own. Events are inserted together. */
let receiver: Receiver;
let own: OwnProgram;
beforeAll(async () => {
  own = await startOwnProgram('hookfirst', { WEBHOOK_MAX_IN_FLIGHT: '20' });
});
afterAll(() => own.stop());
const { tenant, user } = signedInForEach('ADMIN');
beforeEach(async () => {
  receiver = await Receiver.start();
});

/** A subscription to the events `<name>`, which arrive at the receiver's path of that name. */
const listening = (name: string, timeoutMs = 10_000) =>
  subscribe(tenant, user, receiver.urlOf(name), { eventType: `test.${name}`, timeoutMs });

/** So many events for each of these subscriptions, in one statement. */
const emit = (names: readonly string[], count: number) =>
  runSql(
    `insert into platform.event (pid, environment, tenant_id, event_type, command_code, model_code, body, trace_id)
     select $1 || i, 'dev', $2, 'test.' || (string_to_array($3, ','))[1 + i % $4], 'x', '', '{"payload":{},"result":{}}', $5
     from generate_series(1, $6) i returning pid`,
    [ulid().slice(0, 20), tenant.id, names.join(','), names.length, 'a'.repeat(32), count * names.length],
  );

/** Deliveries of these subscriptions that have slots. */
async function slotsTaken(subscriptionPids: readonly string[]): Promise<number> {
  const { database } = await container();
  const [row] = await database.query<{ taken: number }>(
    'select count(*)::int as taken from platform.webhook_delivery where subscription_pid = any($1) and slot_until is not null',
    [subscriptionPids],
  );
  return row?.taken ?? 0;
}

/** How many deliveries of a subscription may be in flight. */
async function slotsOf(subscriptionPid: string): Promise<number> {
  const { database } = await container();
  const [row] = await database.query<{ slots: number }>(
    'select slots from platform.webhook_endpoint where subscription_pid = $1',
    [subscriptionPid],
  );
  return row?.slots ?? 0;
}

describe('the first attempt of a delivery', () => {
  it('is made once by the process that has given it a slot; one that succeeds needs no workflow', async () => {
    const names = ['a', 'b', 'c', 'd'];
    const pids = await Promise.all(names.map((name) => listening(name)));
    await emit(names, 20);

    const deliveries = (await Promise.all(pids.map((pid) => deliveriesOnce(pid, 20)))).flat();

    expect(deliveries.map(({ status }) => status)).toEqual(deliveries.map(() => 'SUCCEEDED'));
    expect(receiver.received).toHaveLength(80);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(80);
    for (const { pid } of deliveries) {
      expect(await attemptsOf(pid)).toMatchObject([{ number: 1, trigger: 'event', statusCode: 200, errorClass: null }]);
    }
    const { workflow } = await temporal();
    const handle = workflow.getHandle(deliveryWorkflowId(deliveries[0]?.pid ?? ''));
    await expect(handle.describe()).rejects.toThrow('workflow not found');
  });

  it('that fails starts the workflow of the delivery, which retries it', async () => {
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

  it('to a slow endpoint keeps no other waiting', async () => {
    const names = ['slow', 'a', 'b'];
    const [slow = '', ...quick] = await Promise.all(names.map((name) => listening(name)));
    let answerSlowly = (): void => undefined;
    const after = new Promise<void>((resolve) => (answerSlowly = resolve));
    receiver.answer = ({ path }) => (path.endsWith('/slow') ? { after } : {});
    await emit(names, 8);

    await Promise.all(quick.map((pid) => deliveriesOnce(pid, 8)));
    answerSlowly();
    const late = await deliveriesOnce(slow, 8);

    for (const { pid } of late) expect(await attemptsOf(pid)).toMatchObject([{ number: 1, statusCode: 200 }]);
  });
});

describe('first attempts for more endpoints than a process sends to at once', () => {
  it('wait in the queue, without slots that could run out, and are each made once', async () => {
    const names = Array.from({ length: FIRST_ATTEMPTS / SLOTS.first + 5 }, (_, index) => `many${index}`);
    const pids = await Promise.all(names.map((name) => listening(name, 30_000)));
    let answerAll = (): void => undefined;
    const after = new Promise<void>((resolve) => (answerAll = resolve));
    receiver.answer = () => ({ after });
    await emit(names, SLOTS.first);
    await receiver.have(FIRST_ATTEMPTS);

    expect(await slotsTaken(pids)).toBe(FIRST_ATTEMPTS);
    answerAll();
    for (const pid of pids) {
      const deliveries = await deliveriesOnce(pid, SLOTS.first);
      expect(deliveries.map(({ attemptCount }) => attemptCount)).toEqual(deliveries.map(() => 1));
    }
    expect(receiver.received).toHaveLength(names.length * SLOTS.first);
  });
});

describe('the deliveries of a subscription in flight', () => {
  it('grow while its endpoint answers quickly, up to WEBHOOK_MAX_IN_FLIGHT', async () => {
    const pid = await listening('quick');
    expect(await slotsOf(pid)).toBe(SLOTS.first);

    await until('there are more', async () => {
      await emit(['quick'], 10);
      return (await slotsOf(pid)) === 20;
    });
  });

  it('are halved when it is slow, down to the least', async () => {
    const pid = await listening('slow');
    receiver.answer = () => ({ delayMs: SLOW_MS + 200 });
    await emit(['slow'], SLOTS.first);

    await deliveriesOnce(pid, SLOTS.first);

    const slots = await slotsOf(pid);
    expect(slots).toBeLessThan(SLOTS.first);
    expect(slots).toBeGreaterThanOrEqual(SLOTS.least);
  });
});

describe('SIGTERM', () => {
  it('lets first attempts end that are under way, and begins no other', async () => {
    const pid = await listening('stopped');
    receiver.answer = () => ({ delayMs: 200 });
    await emit(['stopped'], 200);
    await receiver.have(30);

    expect(await own.program.stop('SIGTERM')).toBe(0);

    expect(await slotsTaken([pid])).toBe(0);
    const ended = (await deliveriesOf(pid)).filter(({ status }) => status === 'SUCCEEDED');
    expect(ended).toHaveLength(receiver.received.length);
    expect(ended.length).toBeLessThan(200);
  });
});
