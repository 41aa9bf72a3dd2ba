import { ulid } from 'ulid';
import { EventEntity } from '../../src/platform/events/outbox/event.entity.ts';
import {
  AttemptEntity,
  DeliveryEntity,
  type Attempt,
  type Delivery,
} from '../../src/features/webhooks/deliveries/delivery.entity.ts';
import { newRole } from '../support/models.ts';
import { createSubscription, webhooks } from '../support/webhook-api.ts';
import { container, newTenant, newUser, signedInForEach } from '../support/world.ts';

const BODY = JSON.stringify({
  commandCode: 'crm:create_lead',
  modelCode: 'lead',
  payload: { name: 'Ada', score: 77 },
  result: { pid: 'P', name: 'Ada', score: 77 },
});
const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

let subscriptionPid: string;

const ago = (ms: number): Date => new Date(Date.now() - ms);

const { tenant, user } = signedInForEach('ADMIN');
beforeEach(async () => {
  // Disabled, so that nothing but these tests writes its log.
  subscriptionPid = (await createSubscription(user, { enabled: false })).pid;
});

/** An ended delivery of an event, as the engine leaves it. */
async function deliver(fields: Partial<Delivery> = {}, ...attempts: Partial<Attempt>[]): Promise<string> {
  const em = (await container()).orm.em.fork();
  const about = { environment: 'dev', tenantId: tenant.id, modelCode: 'lead', traceId: ulid() };
  const event = em.create(EventEntity, {
    ...about,
    pid: ulid(),
    eventType: 'crm:create_lead',
    commandCode: 'crm:create_lead',
    body: BODY,
    dispatchedAt: new Date(),
  });
  await em.flush();
  const delivery = em.create(DeliveryEntity, {
    ...about,
    pid: ulid(),
    subscriptionPid,
    eventPid: event.pid,
    eventId: event.id,
    eventType: event.eventType,
    status: 'SUCCEEDED',
    attemptCount: attempts.length,
    nextTrigger: 'retry',
    expiresAt: ago(-HOUR),
    finishedAt: new Date(),
    ...fields,
  });
  await em.flush();
  for (const [index, attempt] of attempts.entries()) {
    em.create(AttemptEntity, {
      deliveryPid: delivery.pid,
      subscriptionPid,
      number: index + 1,
      trigger: index === 0 ? 'event' : 'retry',
      startedAt: ago(SECOND),
      finishedAt: new Date(),
      durationMs: 20,
      statusCode: 200,
      ip: '127.0.0.1',
      responseBody: 'ok',
      responseTruncated: false,
      ...attempt,
    });
  }
  await em.flush();
  return delivery.pid;
}

const list = async (query = '', as = user) => webhooks(as, `/${subscriptionPid}/deliveries?${query}`);
const pidsOf = async (query: string) =>
  (await list(query)).body.data.records.map(({ pid }: { pid: string }) => pid) as string[];

describe('GET /api/webhooks/{pid}/deliveries', () => {
  it('lists deliveries, newest first, by page', async () => {
    const pids = [await deliver(), await deliver({}, {}), await deliver()];

    const { status, body } = await list('pageSize=2');

    expect(status).toBe(200);
    expect(body.data).toMatchObject({ total: 3, pageNum: 1, pageSize: 2 });
    expect(body.data.records[1]).toEqual({
      pid: pids[1],
      subscriptionPid,
      eventPid: expect.any(String),
      eventType: 'crm:create_lead',
      modelCode: 'lead',
      status: 'SUCCEEDED',
      reason: null,
      attemptCount: 1,
      nextAttemptAt: null,
      createdAt: expect.stringMatching(/Z$/),
      finishedAt: expect.stringMatching(/Z$/),
      traceId: expect.any(String),
    });
    expect(await pidsOf('pageSize=2&pageNum=2')).toEqual([pids[0]]);
  });

  it('goes on by cursor, to the end and without repeating anything that arrives meanwhile', async () => {
    const pids = [await deliver(), await deliver(), await deliver()].reverse();

    const first = (await list('cursor=&pageSize=2')).body.data;
    await deliver();
    const second = (await list(`cursor=${first.nextCursor}&pageSize=2`)).body.data;

    const seen = [...first.records, ...second.records].map(({ pid }) => pid);
    expect(seen).toEqual(pids);
    expect(Object.keys(first).sort()).toEqual(['nextCursor', 'records']);
    expect(second.nextCursor).toBeNull();
  });

  it('filters by status, event type and time', async () => {
    const old = await deliver({ status: 'FAILED', createdAt: ago(2 * HOUR) });
    const other = await deliver({ eventType: 'lead.converted', createdAt: ago(HOUR) });

    expect(await pidsOf('status=FAILED')).toEqual([old]);
    expect(await pidsOf('eventType=lead.converted')).toEqual([other]);
    expect(await pidsOf(`since=${ago(1.5 * HOUR).toISOString()}`)).toEqual([other]);
    expect(await pidsOf(`until=${ago(1.5 * HOUR).toISOString()}&cursor=`)).toEqual([old]);
  });

  it('refuses what it does not understand, all at once', async () => {
    expect((await list('status=LOST&since=yesterday&cursor=x&pageSize=501')).body).toMatchObject({
      code: 'VALIDATION_ERROR',
      data: {
        fieldErrors: {
          status: expect.any(String),
          since: expect.any(String),
          cursor: expect.any(String),
          pageSize: expect.any(String),
        },
      },
    });
  });
});

describe('GET /api/webhooks/deliveries/{pid}', () => {
  const get = async (pid: string, as = user) => webhooks(as, `/deliveries/${pid}`);

  it('shows the body and every attempt', async () => {
    const nextAttemptAt = ago(-HOUR);
    const failed = { statusCode: 503, errorClass: 'http', responseBody: 'busy', nextAttemptAt: ago(0) };
    const refused = {
      statusCode: null,
      errorClass: 'refused',
      errorMessage: 'the connection was refused',
      responseBody: null,
    };
    const pid = await deliver({ status: 'RETRYING', finishedAt: null, nextAttemptAt }, failed, refused);

    const { data } = (await get(pid)).body;

    expect(data).toMatchObject({
      pid,
      status: 'RETRYING',
      attemptCount: 2,
      nextAttemptAt: nextAttemptAt.toISOString(),
      body: BODY,
      request: {
        url: 'http://127.0.0.1:18999/hook',
        headers: { 'X-Webhook-Event': 'crm:create_lead', 'webhook-id': expect.any(String) },
      },
    });
    expect(data.attempts).toEqual([
      {
        number: 1,
        trigger: 'event',
        startedAt: expect.any(String),
        finishedAt: expect.any(String),
        durationMs: 20,
        statusCode: 503,
        errorClass: 'http',
        errorMessage: null,
        ip: '127.0.0.1',
        responseHeaders: null,
        responseBody: 'busy',
        responseTruncated: false,
        nextAttemptAt: expect.any(String),
      },
      expect.objectContaining({ number: 2, trigger: 'retry', ...refused }),
    ]);
  });

  it('shows an attempt whose end nobody saw as unknown, but not one that is under way', async () => {
    const lost = { finishedAt: null, durationMs: null, statusCode: null, responseBody: null };
    const classes = async (fields: Partial<Delivery>, ...attempts: Partial<Attempt>[]) =>
      (
        await get(await deliver({ status: 'RETRYING', finishedAt: null, ...fields }, ...attempts))
      ).body.data.attempts.map(({ errorClass }: Attempt) => errorClass);

    expect(await classes({}, lost)).toEqual(['unknown']);
    // Cancelled while its request was out: the sweep would give one that is still to be sent another slot.
    expect(await classes({ status: 'CANCELLED', slotUntil: ago(SECOND) }, lost)).toEqual(['unknown']);
    expect(await classes({ slotUntil: ago(-HOUR) }, lost, lost)).toEqual(['unknown', null]);
    expect(await classes({}, { ...lost, finishedAt: new Date(), errorClass: 'unknown' })).toEqual(['unknown']);
  });

  it('shows what the subscription was sent where that is less than the event', async () => {
    const body = JSON.stringify({ ...JSON.parse(BODY), payload: { name: 'Ada' } });

    expect((await get(await deliver({ body }, {}))).body.data.body).toBe(body);
  });

  it('shows nothing of a body that the caller may not read, nor responses that may repeat it', async () => {
    const pid = await deliver({}, { responseBody: 'score is 77' });
    const reader = await newUser([await newRole(['webhook:manage', 'record:read:lead'])], tenant);
    const stranger = await newUser([await newRole(['webhook:manage'])], tenant);

    const reduced = (await get(pid, reader)).body.data;
    expect(JSON.parse(reduced.body)).toMatchObject({ payload: { name: 'Ada' }, result: { pid: 'P', name: 'Ada' } });
    expect(JSON.stringify(reduced)).not.toMatch(/\b77\b/);
    expect((await get(pid, stranger)).body.data).toMatchObject({ pid, body: null, attempts: [{ responseBody: null }] });
  });

  it("is NOT_FOUND for another tenant's, another environment's, and a deleted subscription's", async () => {
    const pid = await deliver();
    const stranger = await newUser(['ADMIN'], await newTenant());

    expect((await get(pid, stranger)).status).toBe(404);
    expect((await webhooks(user, `/deliveries/${pid}`, { headers: { 'X-Environment': 'prod' } })).status).toBe(404);
    await webhooks(user, `/${subscriptionPid}`, { method: 'DELETE' });
    expect((await get(pid)).status).toBe(404);
    expect((await list()).status).toBe(404);
  });
});

describe('GET /api/webhooks/{pid}/metrics', () => {
  const metrics = async (query = '') => webhooks(user, `/${subscriptionPid}/metrics${query}`);

  it('is all zero before anything was sent', async () => {
    expect((await metrics()).body.data).toEqual({
      hours: 24,
      attempts: 0,
      succeeded: 0,
      failed: 0,
      successRate: null,
      durationMs: { p50: null, p95: null },
      errors: {},
      unfinished: 0,
      exhausted: 0,
    });
  });

  it('counts attempts, errors by class, what is unfinished and what ran out of retries', async () => {
    const quick = Array.from({ length: 8 }, (_, index) => ({ durationMs: (index + 1) * 10 }));
    await deliver({}, ...quick);
    const failed = { statusCode: 500, errorClass: 'http', durationMs: 900 };
    await deliver({ status: 'FAILED' }, failed, { ...failed, errorClass: 'timeout', durationMs: 1000 });
    await deliver({ status: 'RETRYING', finishedAt: null }, { finishedAt: null, durationMs: null, statusCode: null });
    await deliver({ status: 'FAILED', finishedAt: ago(3 * HOUR) }, { ...failed, startedAt: ago(3 * HOUR) });

    expect((await metrics('?hours=1')).body.data).toEqual({
      hours: 1,
      attempts: 11,
      succeeded: 8,
      failed: 2,
      successRate: 0.8,
      durationMs: { p50: 50, p95: 1000 },
      errors: { http: 1, timeout: 1 },
      unfinished: 1,
      exhausted: 1,
    });
    expect((await metrics('?hours=24')).body.data).toMatchObject({ attempts: 12, failed: 3, exhausted: 2 });
  });

  it.each(['0', '2161', 'x', '1.5'])('refuses hours=%s', async (hours) => {
    expect((await metrics(`?hours=${hours}`)).body.data.fieldErrors).toEqual({ hours: expect.any(String) });
  });
});

describe('GET /api/webhooks/deliveries', () => {
  const log = async (query = '', as = user) => (await webhooks(as, `/deliveries?${query}`)).body.data;
  const found = async (query: string) => (await log(query)).records.map(({ pid }: { pid: string }) => pid) as string[];

  it('has the deliveries of all subscriptions, newest first, each with its endpoint and its last attempt', async () => {
    const first = await deliver({ status: 'FAILED' }, { statusCode: 500, errorClass: 'http' }, { statusCode: 503 });
    const other = (await createSubscription(user, { enabled: false, name: 'other', maxRetries: 2 })).pid;
    const second = await deliver({ subscriptionPid: other });

    const { records, nextCursor } = await log();

    expect(records.map(({ pid }: { pid: string }) => pid)).toEqual([second, first]);
    expect(records[0]).toMatchObject({ subscriptionName: 'other', maxAttempts: 3, lastAttempt: null });
    expect(records[1]).toMatchObject({
      subscriptionPid,
      targetUrl: 'http://127.0.0.1:18999/hook',
      attemptCount: 2,
      maxAttempts: 9,
      lastAttempt: { statusCode: 503, durationMs: 20 },
    });
    expect(nextCursor).toBeNull();
  });

  it('is filtered by state, answer, event, subscription and time, and goes on by cursor', async () => {
    const failed = await deliver({ status: 'FAILED', createdAt: ago(2 * HOUR) }, { statusCode: 404 });
    const silent = await deliver({ status: 'RETRYING' }, { statusCode: null, errorClass: 'timeout' });
    const good = await deliver({}, {});

    expect(await found('status=FAILED')).toEqual([failed]);
    expect(await found('statusClass=4xx')).toEqual([failed]);
    expect(await found('statusClass=none')).toEqual([silent]);
    expect(await found('statusClass=2xx')).toEqual([good]);
    expect(await found('eventType=crm:delete_lead')).toEqual([]);
    expect(await found(`subscriptionPid=${subscriptionPid}&since=${ago(HOUR).toISOString()}`)).toEqual([good, silent]);
    const { nextCursor } = await log('pageSize=2');
    expect(await found(`pageSize=2&cursor=${nextCursor}`)).toEqual([failed]);
  });

  it('shows nothing of another tenant', async () => {
    await deliver();

    expect(await log('', await newUser(['ADMIN'], await newTenant()))).toEqual({ records: [], nextCursor: null });
  });
});

describe('POST /api/webhooks/deliveries/resend', () => {
  it('sends several again, and tells which it does not send and why', async () => {
    const pids = [await deliver({ status: 'FAILED' }, {}), await deliver({ status: 'PENDING', finishedAt: null })];
    const foreign = await newUser(['ADMIN'], await newTenant());
    const unknown = ulid();
    const body = { pids: [...pids, unknown] };

    const { status, body: answer } = await webhooks(user, '/deliveries/resend', { body });

    expect([status, answer.data]).toEqual([
      200,
      {
        resent: [pids[0]],
        refused: [
          { pid: pids[1], reason: 'PENDING' },
          { pid: unknown, reason: 'NOT_FOUND' },
        ],
      },
    ]);
    expect((await webhooks(foreign, '/deliveries/resend', { body })).body.data.resent).toEqual([]);
  });

  it('takes 1 to 100', async () => {
    for (const pids of [[], Array.from({ length: 101 }, () => ulid())]) {
      const { body } = await webhooks(user, '/deliveries/resend', { body: { pids } });
      expect(body.data.fieldErrors).toEqual({ pids: expect.any(String) });
    }
  });
});

describe('GET /api/webhooks/{pid}/recoverable', () => {
  it('counts what a recovery would send again', async () => {
    await deliver({ status: 'FAILED' }, {});
    await deliver({ status: 'FAILED', createdAt: ago(3 * HOUR) }, {});
    await deliver({}, {});
    const count = async (since: Date) =>
      (await webhooks(user, `/${subscriptionPid}/recoverable?since=${since.toISOString()}`)).body.data;

    expect(await count(ago(HOUR))).toEqual({ total: 1 });
    expect(await count(ago(4 * HOUR))).toEqual({ total: 2 });
  });
});

describe('POST /api/webhooks/match', () => {
  const match = (body: object, as = user) => webhooks(as, '/match', { body });

  it('shows which of the newest events a draft would hear', async () => {
    await deliver();
    await deliver();
    const eventType = 'crm:create_*';

    expect((await match({ eventType, filterExpression: 'result.score > 70' })).body.data).toMatchObject({
      looked: 2,
      matched: 2,
      events: [{ eventType: 'crm:create_lead', modelCode: 'lead', createdAt: expect.stringMatching(/Z$/) }, {}],
    });
    expect((await match({ eventType, filterExpression: 'result.score > 80' })).body.data).toMatchObject({
      looked: 2,
      matched: 0,
      events: [],
    });
    const foreign = await newUser(['ADMIN'], await newTenant());
    expect((await match({ eventType }, foreign)).body.data).toEqual({ looked: 0, matched: 0, events: [] });
  });

  it('says what is wrong with a draft, and refuses what may not be read', async () => {
    const { body } = await match({ eventType: '', filterExpression: 'result.(', modelCode: 'no_model' });
    expect(Object.keys(body.data.fieldErrors).sort()).toEqual(['eventType', 'filterExpression', 'modelCode']);
    const blind = await newUser([await newRole(['webhook:manage'])], tenant);
    expect((await match({ eventType: 'crm:create_lead' }, blind)).status).toBe(403);
  });
});
