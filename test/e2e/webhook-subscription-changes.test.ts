import { runSql } from '../support/platform.ts';
import { startProgram } from '../support/program.ts';
import {
  auditedOf,
  createSubscription,
  problemsOfSubscription,
  subscriptionBody,
  webhooks,
} from '../support/webhook-api.ts';
import { type TestTenant, signedInForEach } from '../support/world.ts';

const CANARY = 'canary-3f9c7e51';

const { tenant, user } = signedInForEach('ADMIN');

const create = (rest: Record<string, unknown> = {}) => createSubscription(user, rest);
const problems = (rest: Record<string, unknown>) => problemsOfSubscription(user, rest);

describe('the URL of a subscription', () => {
  it.each(['http://127.0.0.1:99999/', 'http://', 'nowhere'])('is not changed to %s', async (targetUrl) => {
    const { pid } = await create();
    expect(await webhooks(user, `/${pid}`, { method: 'PATCH', body: { targetUrl } })).toMatchObject({
      status: 400,
      body: { data: { fieldErrors: { targetUrl: expect.any(String) } } },
    });
  });
});

describe('headers of a subscription', () => {
  it('are shown, but for the values of those that may be credentials', async () => {
    const headers = { Authorization: `Bearer ${CANARY}`, 'X-Api-Key': CANARY, Cookie: CANARY, 'X-Region': 'eu' };

    expect((await create({ headers })).headers).toEqual({
      Authorization: '***',
      'X-Api-Key': '***',
      Cookie: '***',
      'X-Region': 'eu',
    });
  });

  it('keep a masked value that comes back, and are replaced otherwise', async () => {
    const { pid } = await create({ headers: { Authorization: 'Bearer a', 'X-Region': 'eu' } });
    const patch = (headers: unknown) => webhooks(user, `/${pid}`, { method: 'PATCH', body: { headers } });

    expect((await patch({ authorization: '***', 'X-Zone': '1' })).body.data.headers).toEqual({
      authorization: '***',
      'X-Zone': '1',
    });
    expect((await patch({ 'X-Token': '***' })).body.data.fieldErrors).toEqual({
      headers: 'X-Token has no stored value that *** could stand for',
    });
    expect((await patch(null)).body.data.headers).toEqual({});
  });

  it.each([
    [{ 'Content-Length': '1' }, 'Content-Length'],
    [{ 'X-Webhook-Event': 'x' }, 'X-Webhook-Event'],
    [{ 'bad name': 'x' }, 'not the name'],
    [{ 'X-A': 'a\r\nX-B: b' }, 'X-A'],
    [{ 'X-A': 1 }, 'X-A'],
    [{ 'X-A': 'x'.repeat(4097) }, '4096'],
    [{ 'X-A': '1', 'x-a': '2' }, 'twice'],
    [Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`X-${index}`, '1'])), '20'],
    [['X-A'], 'object'],
  ])('cannot be %j', async (headers, problem) => {
    expect(await problems({ headers })).toEqual({ headers: expect.stringContaining(problem) });
  });
});

describe('POST /api/webhooks/{pid}/enable and /disable', () => {
  it('toggle delivery; asking twice changes and audits nothing more', async () => {
    const { pid } = await create();
    const post = async (action: string, body: unknown = {}) =>
      (await webhooks(user, `/${pid}/${action}`, { body })).body.data;

    expect(await post('disable', { reason: 'maintenance' })).toMatchObject({
      enabled: false,
      disabledReason: 'maintenance',
    });
    expect(await post('disable')).toMatchObject({ enabled: false, disabledReason: 'maintenance' });
    expect(await post('enable')).toMatchObject({ enabled: true, disabledReason: null });
    expect((await auditedOf(pid)).map(({ action, reason }) => [action, reason])).toEqual([
      ['webhook.create', null],
      ['webhook.disable', 'maintenance'],
      ['webhook.enable', null],
    ]);
  });

  it('cancel what is unfinished, and give the endpoint a fresh start', async () => {
    const { pid } = await create();
    await deliver(pid, tenant, 'PENDING', 1);
    await deliver(pid, tenant, 'RETRYING', 2);
    await deliver(pid, tenant, 'FAILED', 3);
    await runSql(
      `update platform.webhook_endpoint set failures = 12, open_until = now() + interval '1 hour' where subscription_pid = $1`,
      [pid],
    );
    expect((await webhooks(user, `/${pid}`)).body.data.circuit).toMatchObject({ state: 'OPEN', failures: 12 });

    await webhooks(user, `/${pid}/disable`, { body: {} });

    const states = await runSql(
      'select status, reason from platform.webhook_delivery where subscription_pid = $1 order by event_id',
      [pid],
    );
    expect(states).toEqual([
      { status: 'CANCELLED', reason: 'subscription disabled' },
      { status: 'CANCELLED', reason: 'subscription disabled' },
      { status: 'FAILED', reason: null },
    ]);
    expect((await webhooks(user, `/${pid}/enable`, { body: {} })).body.data.circuit).toEqual({
      state: 'CLOSED',
      failures: 0,
      openUntil: null,
    });
  });
});

describe('DELETE /api/webhooks/{pid}', () => {
  it('answers the pid; the subscription is NOT_FOUND from then on, and its unfinished deliveries are cancelled', async () => {
    const { pid } = await create();
    await deliver(pid, tenant, 'PENDING', 1);

    expect((await webhooks(user, `/${pid}`, { method: 'DELETE' })).body).toEqual({
      code: '0',
      message: 'ok',
      data: { pid },
    });

    expect((await webhooks(user, `/${pid}`)).status).toBe(404);
    expect((await webhooks(user)).body.data.total).toBe(0);
    expect(await runSql('select status from platform.webhook_delivery where subscription_pid = $1', [pid])).toEqual([
      { status: 'CANCELLED' },
    ]);
    expect((await auditedOf(pid)).map(({ action }) => action)).toEqual(['webhook.create', 'webhook.delete']);
  });
});

describe('POST /api/webhooks/{pid}/rotate-secret', () => {
  it('answers a new secret once, and lets the old one sign for the overlap', async () => {
    const { pid } = await create({ secret: 'first' });

    const { body } = await webhooks(user, `/${pid}/rotate-secret`, { body: { overlapHours: 2 } });

    expect(body.data).toMatchObject({ pid, hasSecret: true, secret: expect.stringMatching(/^whsec_/) });
    const [row] = await runSql<{ secrets: { expiresAt: string | null }[] }>(
      'select secrets from platform.webhook_subscription where pid = $1',
      [pid],
    );
    expect(row?.secrets).toHaveLength(2);
    expect(row?.secrets[0]?.expiresAt).toBeNull();
    const left = Date.parse(String(row?.secrets[1]?.expiresAt)) - Date.now();
    expect(left).toBeGreaterThan(1.9 * 3_600_000);
    expect(left).toBeLessThanOrEqual(2 * 3_600_000);
    expect((await webhooks(user, `/${pid}`)).body.data).not.toHaveProperty('secret');
  });

  it('takes a secret of the caller', async () => {
    const { pid } = await create();

    expect((await webhooks(user, `/${pid}/rotate-secret`, { body: { secret: 'mine' } })).body.data.secret).toBe('mine');
  });

  it.each([{ overlapHours: -1 }, { overlapHours: 169 }, { overlapHours: 1.5 }, { overlap: 1 }, { secret: '' }])(
    'refuses %j',
    async (body) => {
      const { pid } = await create();

      expect((await webhooks(user, `/${pid}/rotate-secret`, { body })).status).toBe(400);
    },
  );
});

describe('a secret', () => {
  it('is in no answer but the one that gives it, not in the audit trail, the database or the log', async () => {
    const node = await startProgram({ LOG_LEVEL: 'trace' });
    const send = (path: string, body?: unknown, method?: string) =>
      webhooks(user, path, { baseUrl: node.url, body, ...(method !== undefined && { method }) });
    const headers = { Authorization: `Bearer ${CANARY}-header` };
    const made = await send('', subscriptionBody({ secret: `${CANARY}-one`, headers }));
    const { pid, secret } = made.body.data;
    expect(secret).toBe(`${CANARY}-one`);

    const answers = [
      await send(`/${pid}`, { secret: `${CANARY}-two`, headers: { 'X-Token': `${CANARY}-header` } }, 'PATCH'),
      await send('', subscriptionBody({ secret: `${CANARY}${'x'.repeat(300)}`, headers: { 'X-A': `${CANARY}\n` } })),
      await send(''),
      await send(`/${pid}`),
      await send(`/${pid}/test`, { sample: true }),
      await send(`/${pid}/disable`, {}),
      await send(`/${pid}/deliveries`),
    ];
    await send(`/${pid}/rotate-secret`, { secret: `${CANARY}-three` });
    await node.stop();

    expect(answers.map(({ status }) => status)).toEqual([200, 400, 200, 200, 200, 200, 200]);
    expect(JSON.stringify(answers)).not.toContain(CANARY);
    const stored = await runSql(
      `select to_jsonb(s)::text as row from platform.webhook_subscription s where pid = $1
       union all select to_jsonb(e)::text from platform.audit_entry e where target_pid = $1`,
      [pid],
    );
    expect(stored).toHaveLength(5);
    expect(JSON.stringify(stored)).not.toContain(CANARY);
    expect(node.logs()).toContain(pid);
    expect(node.logs()).not.toContain(CANARY);
  });
});

/** A delivery as the engine would leave it. */
function deliver(subscriptionPid: string, { id }: TestTenant, status: string, event: number): Promise<unknown> {
  return runSql(
    `insert into platform.webhook_delivery (pid, environment, tenant_id, subscription_pid, event_pid, event_id, event_type, model_code, trace_id, status, next_trigger, expires_at, next_attempt_at)
     values ($1, 'dev', $2, $3, $4, $5, 'crm:create_lead', 'lead', 't', $6, 'event', now() + interval '1 day', now() + interval '1 hour')`,
    [
      `${subscriptionPid.slice(0, 24)}D${event}`,
      id,
      subscriptionPid,
      `${subscriptionPid.slice(0, 24)}E${event}`,
      event,
      status,
    ],
  );
}
