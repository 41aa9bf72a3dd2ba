import { fromColumn } from '../../src/foundation/i18n/text.ts';
import { Redis } from 'ioredis';
import { ulid } from 'ulid';
import { readConfig } from '../../src/foundation/config/config.ts';
import { autoDisable } from '../../src/features/webhooks/deliveries/auto-disable.ts';
import { execute } from '../support/api.ts';
import { until } from '../support/faults.ts';
import { startOwnProgram, type OwnProgram } from '../support/own-program.ts';
import { runSql } from '../support/platform.ts';
import { freePort, startProgram, type Program } from '../support/program.ts';
import { auditOf } from '../support/promotions.ts';
import { Receiver, type Received } from '../support/receiver.ts';
import {
  change,
  deliveriesOf,
  deliveriesOnce,
  endpointOf,
  subscribe,
  subscriptionRow,
  deliveryTexts,
} from '../support/webhooks.ts';
import { container, newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

/*
 * Setup: two programs, API and worker each, on a database of their own, so that the limits can be small. Each
 * case has a tenant and a receiver of its own; all run at once.
 */
const CIRCUIT_FAILURES = 3;
const COOL_DOWN_MS = 4_000;
const AUTO_DISABLE_AFTER = 4;

let own: OwnProgram;
let second: Program;

beforeAll(async () => {
  own = await startOwnProgram('hooks', {
    WEBHOOK_CIRCUIT_FAILURES: String(CIRCUIT_FAILURES),
    WEBHOOK_CIRCUIT_COOL_DOWN_MS: String(COOL_DOWN_MS),
    WEBHOOK_AUTO_DISABLE_AFTER: String(AUTO_DISABLE_AFTER),
    WEBHOOK_MAX_IN_FLIGHT: '8',
    LOG_LEVEL: 'trace',
  });
  second = await startProgram({ ...own.settings, PORT: String(await freePort()) });
});
afterAll(async () => {
  await second.stop();
  await own.stop();
});

/** A tenant with a receiver, and commands that make events. */
class Scene {
  readonly tenant: TestTenant;
  readonly user: TestUser;
  readonly receiver: Receiver;

  private constructor(tenant: TestTenant, user: TestUser, receiver: Receiver) {
    this.tenant = tenant;
    this.user = user;
    this.receiver = receiver;
  }

  static async open(): Promise<Scene> {
    const tenant = await newTenant();
    return new Scene(tenant, await newUser(['ADMIN'], tenant), await Receiver.start());
  }

  subscribe(fields: Parameters<typeof subscribe>[3] = {}, url = this.receiver.url): Promise<string> {
    return subscribe(this.tenant, this.user, url, { retryScheduleMs: [10], maxRetries: 20, ...fields });
  }

  async create(name: string, baseUrl = own.program.url): Promise<{ pid: string }> {
    const headers = { 'Idempotency-Key': ulid() };
    // A program that has just begun on a busy machine may say that it is to be asked again.
    return until(`${name} is there`, async () => {
      const { body } = await execute(this.user.token, 'crm:create_lead', { payload: { name } }, { baseUrl, headers });
      return body.code === 'SERVICE_UNAVAILABLE' ? false : body.data;
    });
  }

  /** So many events, half of them at either program. */
  async createMany(count: number): Promise<void> {
    const urls = [own.program.url, second.url];
    await Promise.all(Array.from({ length: count }, (_, index) => this.create(`lead ${index}`, urls[index % 2])));
  }
}

const nameIn = ({ body }: Received) => (JSON.parse(body) as { payload: { name?: string } }).payload.name;
/** Opens a subscription's circuit for an interval, whatever its endpoint does. */
const openCircuit = (pid: string, interval: string) =>
  runSql('update platform.webhook_endpoint set open_until = now() + $1::interval where subscription_pid = $2', [
    interval,
    pid,
  ]);
const succeeded = ({ status }: { status: string }) => status === 'SUCCEEDED';

describe('one subscription', () => {
  it.concurrent('has at most WEBHOOK_MAX_IN_FLIGHT requests in flight, with two programs at work, and all of its events arrive once', async () => {
    const scene = await Scene.open();
    const several = until('several are in flight', () => scene.receiver.mostOpen > 4);
    scene.receiver.answer = () => ({ delayMs: 800, after: several });
    const pid = await scene.subscribe();

    await scene.createMany(40);

    await deliveriesOnce(pid, 40, succeeded);
    expect(scene.receiver.mostOpen).toBeLessThanOrEqual(8);
    expect(scene.receiver.mostOpen).toBeGreaterThan(4);
    expect(new Set(scene.receiver.received.map(nameIn)).size).toBe(40);
    expect(scene.receiver.received).toHaveLength(40);
  });

  it.concurrent('has no more in flight when it is disabled and enabled again meanwhile', async () => {
    const scene = await Scene.open();
    scene.receiver.answer = () => ({ delayMs: 8_000 });
    const pid = await scene.subscribe({ timeoutMs: 20_000 });
    await scene.createMany(8);
    await scene.receiver.have(8);
    await change(pid, { enabled: false });
    await change(pid, { enabled: true });

    await scene.createMany(4);
    scene.receiver.answer = () => ({});

    await deliveriesOnce(pid, 12, succeeded);
    expect(scene.receiver.mostOpen).toBe(8);
  });

  it.concurrent('keeps to its rateLimitPerSecond', async () => {
    const scene = await Scene.open();
    const pid = await scene.subscribe({ rateLimitPerSecond: 5 });

    const begunAt = Date.now();
    await scene.createMany(20);

    await deliveriesOnce(pid, 20, succeeded);
    // 5 saved up, then 5 in each second: turns are given over 3 s.
    expect((scene.receiver.received.at(-1)?.at ?? 0) - begunAt).toBeGreaterThan(2_500);
  });
});

describe('an endpoint that says nothing', () => {
  it.concurrent('does not slow a healthy one', async () => {
    const scene = await Scene.open();
    const silent = await Receiver.start();
    silent.answer = () => ({ hang: true });
    const blackHole = await scene.subscribe({ timeoutMs: 30_000 }, silent.url);
    const healthy = await scene.subscribe();

    await scene.createMany(30);

    await deliveriesOnce(healthy, 30, succeeded);
    expect(silent.mostOpen).toBe(8);
    expect((await deliveriesOf(blackHole)).map(({ status }) => status)).toEqual(Array(30).fill('PENDING'));
    await change(blackHole, { enabled: false });
  });
});

describe('the circuit', () => {
  it.concurrent('opens after so many failures in a row, lets one request through after the pause, and closes on success', async () => {
    const scene = await Scene.open();
    const { received } = scene.receiver;
    const pauses = () => {
      const gaps = received.map(({ at }, index) => at - (received[index - 1]?.at ?? at));
      return [...gaps.entries()].filter(([, gap]) => gap >= COOL_DOWN_MS * 0.9);
    };
    // What is in flight when the circuit opens fails, and so does the first probe; the second one succeeds.
    scene.receiver.answer = () => ({ status: pauses().length < 2 ? 500 : 200 });
    const pid = await scene.subscribe();
    // All five at once.
    await openCircuit(pid, '1 hour');
    await scene.createMany(5);
    await openCircuit(pid, '0');
    await until('the circuit opens', async () => (await endpointOf(pid)).failures >= CIRCUIT_FAILURES);

    await deliveriesOnce(pid, 5, succeeded);

    const [[first] = [0], [second, longer] = [0]] = pauses();
    expect(first).toBeGreaterThanOrEqual(CIRCUIT_FAILURES);
    expect(first).toBeLessThanOrEqual(8);
    expect(second).toBe(first + 1);
    expect(longer).toBeGreaterThanOrEqual(COOL_DOWN_MS * 1.9);
    expect(await endpointOf(pid)).toMatchObject({ failures: 0, openUntil: null, coolDownMs: 0 });
  });

  it.concurrent('is not opened by an event that the endpoint refuses with 4xx, which holds up no other event', async () => {
    const scene = await Scene.open();
    scene.receiver.answer = (request) => ({ status: nameIn(request) === 'poison' ? 400 : 200 });
    const pid = await scene.subscribe({ maxRetries: CIRCUIT_FAILURES + 1, retryScheduleMs: [2_000] });

    await scene.create('poison');
    for (let n = 0; n < 3; n += 1) await scene.create(`lead ${n}`);

    // Two programs match events side by side.
    const deliveries = await deliveriesOnce(pid, 4);
    const [poison, ...others] = deliveries.toSorted((one, other) => other.attemptCount - one.attemptCount);
    expect(poison).toMatchObject({ status: 'FAILED', attemptCount: CIRCUIT_FAILURES + 2 });
    expect(others.map(({ status, attemptCount }) => [status, attemptCount])).toEqual(Array(3).fill(['SUCCEEDED', 1]));
    for (const { finishedAt } of others) expect(Number(finishedAt)).toBeLessThan(Number(poison?.finishedAt));
    expect(await endpointOf(pid)).toMatchObject({ failures: 0, openUntil: null });
  });
});

describe("ordering 'record'", () => {
  it.concurrent('holds a record’s later events back until the earlier ones have ended, and no other record’s', async () => {
    const scene = await Scene.open();
    let failures = 0;
    scene.receiver.answer = ({ body }) => ({ status: body.includes('"A 1"') && (failures += 1) <= 2 ? 500 : 200 });
    const pid = await scene.subscribe({ eventType: 'crm:update_lead', ordering: 'record', retryScheduleMs: [2_000] });
    const [a, b] = [await scene.create('A'), await scene.create('B')];
    const update = (lead: { pid: string }, phone: string, baseUrl: string) =>
      execute(
        scene.user.token,
        'crm:update_lead',
        { operationType: 'UPDATE', targetRecordId: lead.pid, payload: { phone } },
        { baseUrl },
      );

    await update(a, 'A 1', own.program.url);
    await update(a, 'A 2', second.url);
    await update(b, 'B 1', second.url);
    await update(a, 'A 3', own.program.url);

    await deliveriesOnce(pid, 4, succeeded);
    const phones = scene.receiver.received.map(
      ({ body }) => (JSON.parse(body) as { payload: { phone: string } }).payload.phone,
    );
    expect(phones.filter((phone) => phone.startsWith('A'))).toEqual(['A 1', 'A 1', 'A 1', 'A 2', 'A 3']);
    expect(phones.indexOf('B 1')).toBeLessThan(phones.lastIndexOf('A 1'));
  });
});

describe('a subscription whose deliveries keep running out of retries', () => {
  it.concurrent('is disabled, which is audited and told to other subscriptions', async () => {
    const scene = await Scene.open();
    const watcher = await Receiver.start();
    scene.receiver.answer = () => ({ status: 410 });
    const pid = await scene.subscribe({ maxRetries: 0, name: 'failing' });
    await scene.subscribe({ eventType: 'webhook.disabled' }, watcher.url);
    for (let n = 1; n < AUTO_DISABLE_AFTER; n += 1) await scene.create(`lead ${n}`);
    await deliveriesOnce(pid, AUTO_DISABLE_AFTER - 1);
    expect(await subscriptionRow(pid)).toMatchObject({ enabled: true, disabledReason: null });

    await scene.create('one too many');

    const [told] = await watcher.have(1);
    const reason = `${AUTO_DISABLE_AFTER} deliveries ran out of retries within 24 hours`;
    expect(told?.headers['x-webhook-event']).toBe('webhook.disabled');
    expect(JSON.parse(told?.body ?? '')).toEqual({
      commandCode: 'webhook.disabled',
      modelCode: null,
      result: { enabled: false },
      payload: {
        subscriptionPid: pid,
        name: 'failing',
        targetUrl: scene.receiver.url,
        eventType: 'crm:create_lead',
        reason,
      },
    });
    const { enabled, disabledReason } = await subscriptionRow(pid);
    expect([enabled, String(fromColumn(disabledReason))]).toEqual([false, reason]);
    expect(await auditOf(pid)).toMatchObject([
      { action: 'webhook.disable', actor: { userPid: 'system' }, reason, after: { enabled: false } },
    ]);
    await scene.create('unheard');
    expect(await deliveriesOf(pid)).toHaveLength(AUTO_DISABLE_AFTER);

    // Enabled again, it has all its chances.
    await change(pid, { enabled: true });
    await scene.create('once more');
    await deliveriesOnce(pid, AUTO_DISABLE_AFTER + 1);
    const { orm, logger } = await container();
    await autoDisable(orm, AUTO_DISABLE_AFTER, logger)({ subscriptionPid: pid, traceId: 't' });
    expect(await subscriptionRow(pid)).toMatchObject({ enabled: true });
  });
});

describe('a subscription whose deliveries wait behind an open circuit until their time is over', () => {
  it.concurrent('is disabled, too', async () => {
    const scene = await Scene.open();
    const pid = await scene.subscribe();
    await openCircuit(pid, '1 hour');
    await scene.createMany(AUTO_DISABLE_AFTER);
    await deliveriesOnce(pid, AUTO_DISABLE_AFTER, ({ status }) => status === 'PENDING');

    await runSql('update platform.webhook_delivery set expires_at = now() where subscription_pid = $1', [pid]);

    await until('it is disabled', async () => !(await subscriptionRow(pid)).enabled);
    const ended = { status: 'FAILED', reason: 'expired', attemptCount: 0 };
    expect(await deliveriesOf(pid)).toMatchObject(Array(AUTO_DISABLE_AFTER).fill(ended));
    expect(scene.receiver.received).toEqual([]);
  });
});

describe('the secret and the header values of a subscription', () => {
  /** Everything in the test's own database, row by row, as text. */
  async function databaseText(): Promise<string> {
    const tables = await runSql<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema')`,
    );
    const found: string[] = [];
    for (const { name } of tables) {
      found.push(...(await runSql<{ row: string }>(`select t::text as row from ${name} t`)).map(({ row }) => row));
    }
    return found.join('\n');
  }

  /** Everything in Redis under the test's own prefix, as text. */
  async function redisText(): Promise<string> {
    const url = new URL(readConfig().redisUrl);
    const prefix = url.searchParams.get('keyPrefix') ?? '';
    url.search = '';
    const redis = new Redis(url.href);
    const keys = await redis.keys(`${prefix}*`);
    const read: Record<string, (key: string) => Promise<unknown>> = {
      string: (key) => redis.get(key),
      hash: (key) => redis.hgetall(key),
      list: (key) => redis.lrange(key, 0, -1),
      set: (key) => redis.smembers(key),
      zset: (key) => redis.zrange(key, '0', '-1'),
      stream: (key) => redis.xrange(key, '-', '+'),
    };
    const values = await Promise.all(keys.map(async (key) => [key, await read[String(await redis.type(key))]?.(key)]));
    redis.disconnect();
    return JSON.stringify(values);
  }

  it.concurrent('stand nowhere in the database, in Redis, in the logs or in the histories of the workflows', async () => {
    const scene = await Scene.open();
    const canary = 'canary-of-the-tests';
    const key = Buffer.from(`${canary}-secret-32-bytes-in-length`).toString('base64');
    const sealed = { secret: `whsec_${key}`, headers: { authorization: `Bearer ${canary}-header` }, maxRetries: 1 };
    const answers = [{}, { status: 500 }, { hang: true }];
    const pids: string[] = [];
    for (const answer of answers) {
      const receiver = await Receiver.start();
      receiver.answer = () => answer;
      pids.push(await scene.subscribe({ ...sealed, timeoutMs: 500 }, receiver.url));
    }
    pids.push(await scene.subscribe(sealed, `http://0.0.0.0:${new URL(scene.receiver.url).port}/`));
    const marker = `marker ${Date.now()}`;

    await scene.create(marker);

    const deliveries = (await Promise.all(pids.map((pid) => deliveriesOnce(pid, 1)))).flat();
    expect(deliveries.map(({ status }) => status)).toEqual(['SUCCEEDED', 'FAILED', 'FAILED', 'FAILED']);
    // One that succeeds at once has no workflow.
    const histories = (await Promise.all(pids.slice(1).map(deliveryTexts))).flat();
    const [database, redis, logs] = [await databaseText(), await redisText(), `${own.program.logs()}${second.logs()}`];
    // What is looked through is what there is to look through.
    expect(database).toContain(marker);
    expect(database).toContain(scene.user.email);
    expect(redis).toContain(scene.user.pid);
    expect(logs).toContain(pids[0]);
    for (const { pid } of deliveries.slice(1)) expect(histories.join()).toContain(pid);
    const hex = (text: string) => Buffer.from(text).toString('hex');
    for (const text of [database, redis, logs, ...histories]) {
      for (const form of [canary, key, hex(canary), hex(key), Buffer.from(`Bearer ${canary}`).toString('base64')]) {
        expect(text.includes(form)).toBe(false);
      }
    }
  });
});
