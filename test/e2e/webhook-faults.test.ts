import { setTimeout as sleep } from 'node:timers/promises';
import { ulid } from 'ulid';
import { readDrafts } from '../../scripts/database/load-application.ts';
import { RecoveryEntity } from '../../src/features/webhooks/deliveries/delivery.entity.ts';
import { execute } from '../support/api.ts';
import { OwnTemporal, proxied, until, type Proxy } from '../support/faults.ts';
import { startOwnProgram, type OwnProgram } from '../support/own-program.ts';
import { runSql } from '../support/platform.ts';
import { freePort, startProgram, type Program } from '../support/program.ts';
import { Receiver, type Received } from '../support/receiver.ts';
import {
  actorOf,
  attemptsOf,
  controlOf,
  deliveriesOf,
  deliveriesOnce,
  subscribe,
  waiting,
} from '../support/webhooks.ts';
import { container, newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

/*
 * Setup: an API node and a worker, each in a process of its own, on a database and a Temporal server of their
 * own; Redis behind a proxy.
 *
 * `npm run faults -- webhooks 500` runs it with 500 commands and with a wait of 20 s.
 */
const COMMANDS = Number(process.env.WEBHOOK_FAULTS ?? 60);
const WAIT_MS = process.env.WEBHOOK_FAULTS ? 20_000 : 6_000;
/** At most so many commands of a run between two faults. */
const BETWEEN = Math.min(25, Math.ceil(COMMANDS / 4.5));

const nodes = new Map<'api' | 'worker', Program>();
const settings = { api: {} as Record<string, string>, worker: {} as Record<string, string> };
let temporal: OwnTemporal;
let redis: Proxy;
let own: OwnProgram;
let tenant: TestTenant;
let user: TestUser;
let receiver: Receiver;

beforeAll(async () => {
  const reached = await proxied(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379');
  redis = reached.proxy;
  temporal = await OwnTemporal.start();
  // Of this test file alone: each has an environment of its own.
  process.env.REDIS_URL = reached.url;
  process.env.TEMPORAL_ADDRESS = temporal.address;
  // As in production: a Temporal that is away is waited for no longer.
  process.env.TEMPORAL_WAIT_MS = '';
  const limits = { WEBHOOK_CIRCUIT_FAILURES: '0', WEBHOOK_AUTO_DISABLE_AFTER: '0' };
  own = await startOwnProgram('hookfaults', { ...limits, KEELSON_ROLES: 'api' });
  await (await container()).resources.save('dev', await readDrafts(), null);
  settings.api = own.settings;
  settings.worker = { ...limits, KEELSON_ROLES: 'worker', PORT: String(await freePort()) };
  nodes.set('api', own.program);
  nodes.set('worker', await startProgram(settings.worker));
});
afterAll(async () => {
  await Promise.all([...nodes.values()].map((node) => node.stop('SIGKILL')));
  await own.stop();
});

/** A tenant with a receiver, for what follows. */
async function newcomer(): Promise<void> {
  tenant = await newTenant();
  user = await newUser(['ADMIN'], tenant);
  receiver = await Receiver.start();
}

const kill = (victim: 'api' | 'worker') => nodes.get(victim)?.stop('SIGKILL');
const start = async (victim: 'api' | 'worker') => nodes.set(victim, await startProgram(settings[victim]));
const create = (name: string, clientRequestId = ulid()) =>
  execute(user.token, 'crm:create_lead', { payload: { name }, clientRequestId });
/** How far the events of these leads have come. */
const whereabouts = (names: readonly string[]) =>
  runSql(
    `select l.name, e.created_at, e.dispatched_at, e.dispatch_failures, e.dispatch_after, d.*
     from dev.mt_lead l left join platform.event e on e.record_pid = l.pid
       left join platform.webhook_delivery d on d.event_pid = e.pid
     where l.tenant_id = $1 and l.name = any(string_to_array($2, ','))`,
    [tenant.id, names.join(',')],
  );
const nameIn = ({ body }: Received) => (JSON.parse(body) as { payload: { name: string } }).payload.name;

/** Takes something away, and brings it back. */
const FAULTS: Record<string, () => Promise<unknown>> = {
  worker: async () => {
    await kill('worker');
    await start('worker');
  },
  temporal: async () => {
    await temporal.kill();
    await sleep(1_000);
    await temporal.start();
  },
  api: async () => {
    await kill('api');
    await start('api');
  },
  redis: async () => {
    redis.cut();
    await sleep(1_000);
    await redis.restore();
  },
};

describe(`${COMMANDS} commands while worker, Temporal, API and Redis are killed in turn`, () => {
  it(
    'every event of an acknowledged command arrives',
    async () => {
      await newcomer();
      receiver.answer = () => ({ delayMs: 50 });
      const pid = await subscribe(tenant, user, receiver.url);
      const acknowledged = new Set<string>();
      const names = Array.from({ length: COMMANDS }, (_, index) => `lead ${index}`);
      const faults = Object.entries(FAULTS);
      const seen: string[] = [];
      let next = BETWEEN;
      let fault: Promise<unknown> = Promise.resolve();
      const client = async (): Promise<void> => {
        for (let name = names.shift(); name; name = names.shift()) {
          const key = ulid();
          // As a client does that wants its command done: it asks again, with the same key.
          await until(`${name} is acknowledged`, async () => (await create(name, key)).status === 200);
          acknowledged.add(name);
          if (acknowledged.size < next) continue;
          next += BETWEEN;
          const [what, happens] = faults[seen.length % faults.length] ?? ['', () => Promise.resolve()];
          seen.push(what);
          fault = fault.then(happens);
        }
      };

      await Promise.all(Array.from({ length: 6 }, client));
      await fault;

      expect(new Set(seen)).toEqual(new Set(Object.keys(FAULTS)));
      const missing = () => [...acknowledged].filter((name) => !received.has(name));
      const received = new Set<string>();
      await until(
        'every event arrives',
        () => {
          for (const request of receiver.received) received.add(nameIn(request));
          return missing().length === 0;
        },
        // Each fault can cost a delivery its slot, which is free again after 30 s.
        150_000,
      ).catch(() => undefined);
      expect(await whereabouts(missing())).toEqual([]);
      expect(acknowledged.size).toBe(COMMANDS);
      await deliveriesOnce(pid, COMMANDS, ({ status }) => status === 'SUCCEEDED');
      const duplicates = receiver.received.length - COMMANDS;
      console.log(`${COMMANDS} commands, ${seen.length} faults: ${duplicates} events arrived more than once`);
    },
    240_000 + COMMANDS * 2_000,
  );
});

/**
 * `count` deliveries that have used up their retries; gives nothing: they are the subscription's only ones.
 */
const failDeliveries = (subscriptionPid: string, count: number) =>
  runSql(
    `with event as (
       insert into platform.event (pid, environment, tenant_id, event_type, command_code, model_code, body, trace_id, dispatched_at)
       select $1 || n, 'dev', $2, 'x', 'x', '', '{}', 't', now() from generate_series(1, $3) n
       returning *)
     insert into platform.webhook_delivery (pid, environment, tenant_id, subscription_pid, event_pid, event_id, event_type,
       model_code, trace_id, status, next_trigger, attempt_count, failed_count, expires_at, finished_at)
     select 'D' || pid, environment, tenant_id, $4, pid, id, event_type, model_code, trace_id, 'FAILED', 'retry', 0, 0, now(), now()
     from event`,
    [ulid().slice(0, 20), tenant.id, count, subscriptionPid],
  );

describe('Redis is away for longer than three retries of an attempt take', () => {
  it('fails no delivery: an attempt that could not be made does not count', async () => {
    await newcomer();
    receiver.answer = (_request, index) => ({ status: index === 0 ? 503 : 200 });
    const pid = await subscribe(tenant, user, receiver.url, { retryScheduleMs: [3_000] });
    await create('Ada');
    await receiver.have(1);

    redis.cut();
    await sleep(15_000);
    await redis.restore();
    await receiver.have(2);

    const [delivery] = await deliveriesOnce(pid, 1, ({ status }) => status === 'SUCCEEDED');
    expect(delivery).toMatchObject({ attemptCount: 2, failedCount: 1 });
  });
});

/**
 * Timeline: one request is out and unanswered, one delivery waits for its retry, a recovery has taken its
 * first batch; the worker is killed with -9 and started again.
 */
describe('a worker that is killed', () => {
  const FAILED = 110;
  let silent: Receiver;
  let quick: Receiver;
  let recovering: Receiver;
  let out: string;
  let outQuickly: string;
  let recovered: string;
  let recovery: string;
  let due: number;
  let ready: number;

  const progress = async () => (await container()).orm.em.fork().findOneOrFail(RecoveryEntity, { pid: recovery });

  beforeAll(async () => {
    await newcomer();
    [silent, quick, recovering] = [await Receiver.start(), await Receiver.start(), await Receiver.start()];
    silent.answer = (_request, index) => (index === 0 ? { hang: true } : {});
    quick.answer = (_request, index) => (index === 1 ? { hang: true } : {});
    receiver.answer = (_request, index) => ({ status: index === 0 ? 503 : 200 });
    outQuickly = await subscribe(tenant, user, quick.url, { timeoutMs: 8_000 });
    await create('Zoe');
    await deliveriesOnce(outQuickly, 1);
    out = await subscribe(tenant, user, silent.url, { timeoutMs: 30_000 });
    const waits = await subscribe(tenant, user, receiver.url, { retryScheduleMs: [WAIT_MS] });
    recovered = await subscribe(tenant, user, recovering.url, { eventType: 'nothing' });
    await failDeliveries(recovered, FAILED);
    const control = await controlOf();
    const actor = await actorOf(user, tenant);
    await create('Ada');
    await silent.have(1);
    await quick.have(2);
    due = Number((await waiting(waits)).nextAttemptAt);
    recovery = await control.recover(actor, recovered, new Date(0), new Date());
    await until('the recovery has begun', async () => (await progress()).resent > 0);

    await kill('worker');
    await start('worker');
    ready = Date.now();
  });

  it(`leaves a retry to be made when it is due (${WAIT_MS / 1000} s)`, async () => {
    const [, retried] = await receiver.have(2);

    expect(retried?.at).toBeGreaterThanOrEqual(due);
    const late = (retried?.at ?? Infinity) - Math.max(due, ready);
    console.log(`the retry after the restart was ${late} ms late`);
    // Within 5 s on a machine that is not busy; without its timer it would wait for the sweep, a minute
    // later.
    expect(late).toBeLessThan(45_000);
  });

  it('leaves the attempt that was out as unknown, and the delivery is tried again', async () => {
    await silent.have(2);
    const [delivery] = await deliveriesOnce(out, 1);

    expect(delivery).toMatchObject({ status: 'SUCCEEDED', attemptCount: 2, failedCount: 0 });
    expect(await attemptsOf(delivery?.pid ?? '')).toMatchObject([
      { number: 1, errorClass: 'unknown', statusCode: null, finishedAt: expect.any(Date) },
      { number: 2, errorClass: null, statusCode: 200 },
    ]);
  });

  it('leaves the attempt of an endpoint that used to be quick as unknown, too', async () => {
    await quick.have(3);
    const [, delivery] = await deliveriesOnce(outQuickly, 2);

    expect(delivery).toMatchObject({ status: 'SUCCEEDED', attemptCount: 2, failedCount: 0 });
    expect(await attemptsOf(delivery?.pid ?? '')).toMatchObject([{ errorClass: 'unknown' }, { statusCode: 200 }]);
  });

  it('leaves a recovery to go on, and every failed delivery is sent once', async () => {
    const deliveries = await deliveriesOnce(recovered, FAILED, ({ status }) => status === 'SUCCEEDED');

    await until('the recovery is done', async () => (await progress()).status === 'DONE');
    expect(await progress()).toMatchObject({ total: FAILED, resent: FAILED });
    expect(new Set(recovering.received.map(({ headers }) => headers['webhook-id'])).size).toBe(FAILED);
    // One whose end nobody saw is made again.
    const [{ unknown } = { unknown: 0 }] = await runSql<{ unknown: number }>(
      `select count(*)::int as unknown from platform.webhook_attempt where subscription_pid = $1 and error_class = 'unknown'`,
      [recovered],
    );
    const attempts = deliveries.reduce((sum, { attemptCount }) => sum + attemptCount, 0);
    expect(attempts).toBe(FAILED + unknown);
    expect(recovering.received.length).toBeLessThanOrEqual(attempts);
  });
});

/**
 * Timeline: 32 deliveries get their slots together; some have been answered and some are out when the worker
 * is killed with -9 and started again.
 */
describe('a worker that is killed in the middle of a group of first attempts', () => {
  it('leaves those that have ended, and the others are tried again by themselves', async () => {
    await newcomer();
    const names = ['a', 'b', 'c', 'd'];
    const pids = await Promise.all(
      names.map((name) => subscribe(tenant, user, receiver.urlOf(name), { eventType: `group.${name}` })),
    );
    let isKilled = false;
    receiver.answer = (_request, index) => ({ hang: !isKilled && index >= 12 });
    await runSql(
      `insert into platform.event (pid, environment, tenant_id, event_type, command_code, model_code, body, trace_id)
       select $1 || i, 'dev', $2, 'group.' || (string_to_array($3, ','))[1 + i % 4], 'x', '', '{}', 't'
       from generate_series(1, 32) i returning pid`,
      [ulid().slice(0, 20), tenant.id, names.join(',')],
    );
    await receiver.have(20);
    await kill('worker');
    isKilled = true;
    const endedBefore = (await Promise.all(pids.map((pid) => deliveriesOf(pid))))
      .flat()
      .filter(({ finishedAt }) => finishedAt);
    await start('worker');

    const deliveries = (await Promise.all(pids.map((pid) => deliveriesOnce(pid, 8)))).flat();

    expect(endedBefore.length).toBeLessThan(32);
    let attempted = 0;
    for (const { pid, status, attemptCount } of deliveries) {
      const attempts = await attemptsOf(pid);
      attempted += attempts.length;
      expect({ status, errors: attempts.map(({ errorClass }) => errorClass) }).toEqual({
        status: 'SUCCEEDED',
        errors: [...Array.from({ length: attemptCount - 1 }, () => 'unknown'), null],
      });
      if (endedBefore.some((delivery) => delivery.pid === pid)) expect(attempts).toHaveLength(1);
    }
    expect(receiver.received.length).toBeLessThanOrEqual(attempted);
  });
});
