import { runSql } from '../support/platform.ts';
import { newModel, newRole } from '../support/models.ts';
import {
  auditedOf,
  createSubscription,
  problemsOfSubscription,
  subscriptionBody,
  webhooks,
} from '../support/webhook-api.ts';
import { newTenant, newUser, signedInForEach } from '../support/world.ts';

const { tenant, user } = signedInForEach('ADMIN');

const create = (rest: Record<string, unknown> = {}) => createSubscription(user, rest);
const problems = (rest: Record<string, unknown>) => problemsOfSubscription(user, rest);

describe('POST /api/webhooks', () => {
  it('makes a subscription with the defaults of the specification', async () => {
    const { body } = await webhooks(user, '', { body: subscriptionBody() });

    expect(body).toEqual({
      code: '0',
      message: 'ok',
      data: {
        pid: expect.stringMatching(/^[0-9A-Z]{26}$/),
        name: 'a test',
        description: null,
        targetUrl: 'http://127.0.0.1:18999/hook',
        eventType: 'crm:create_lead',
        modelCode: null,
        filterExpression: null,
        maxRetries: 8,
        timeoutMs: 10_000,
        retryScheduleMs: null,
        rateLimitPerSecond: null,
        ordering: 'none',
        enabled: true,
        headers: {},
        hasSecret: false,
        disabledReason: null,
        createdBy: user.pid,
        ownedBy: user.pid,
        paused: null,
        circuit: { state: 'CLOSED', failures: 0, openUntil: null },
        createdAt: expect.stringMatching(/Z$/),
        updatedAt: expect.stringMatching(/Z$/),
        warnings: ['The address is not HTTPS: what is sent can be read on its way'],
      },
    });
    expect((await webhooks(user, `/${body.data.pid}`)).body.data).toMatchObject({ pid: body.data.pid, enabled: true });
  });

  it('takes every field, and answers the secret this once', async () => {
    const settings = {
      description: 'for the warehouse',
      eventType: 'crm:*',
      modelCode: 'lead',
      filterExpression: "status == 'won'",
      maxRetries: 0,
      timeoutMs: 500,
      retryScheduleMs: [100, 200],
      rateLimitPerSecond: 5,
      ordering: 'record',
      enabled: false,
    };
    const made = await create({ ...settings, secret: 'a secret' });

    expect(made).toMatchObject({ ...settings, hasSecret: true, secret: 'a secret' });
    const { data } = (await webhooks(user, `/${made.pid}`)).body;
    expect(data).toMatchObject({ ...settings, hasSecret: true });
    expect(data).not.toHaveProperty('secret');
  });

  it('tells all problems at once, by field', async () => {
    expect(
      await problems({
        name: ' ',
        targetUrl: 'ftp://127.0.0.1/',
        eventType: 'a*b',
        modelCode: 'no_such',
        filterExpression: 'a =',
        maxRetries: 21,
        timeoutMs: 499,
        retryScheduleMs: [99],
        rateLimitPerSecond: 0,
        ordering: 'any',
        enabled: 'yes',
        secret: '',
        headers: { Host: 'x' },
        unknownField: 1,
      }),
    ).toEqual({
      name: expect.stringContaining('empty'),
      targetUrl: expect.stringContaining('http'),
      eventType: expect.stringContaining('end'),
      modelCode: expect.stringContaining('not a model'),
      filterExpression: expect.stringContaining('line 1, column 3'),
      maxRetries: 'must be a whole number from 0 to 20',
      timeoutMs: 'must be a whole number from 500 to 30000',
      retryScheduleMs: expect.stringContaining('100'),
      rateLimitPerSecond: 'must be a whole number from 1 to 1000',
      ordering: expect.stringContaining('record'),
      enabled: 'must be true or false',
      secret: expect.stringContaining('empty'),
      headers: expect.stringContaining('Host'),
      unknownField: expect.stringContaining('is not known here; known are name, targetUrl'),
    });
  });

  it('names what is missing', async () => {
    const { status, body } = await webhooks(user, '', { body: {} });

    expect([status, body.data.fieldErrors]).toEqual([
      400,
      { name: 'is required', targetUrl: 'is required', eventType: 'is required' },
    ]);
  });

  it.each([
    'http://169.254.169.254/latest',
    'http://10.0.0.1/',
    'http://[::ffff:10.0.0.1]/',
    'http://u:p@127.0.0.1:18999/',
  ])('refuses the target %s', async (targetUrl) => {
    expect(await problems({ targetUrl })).toEqual({ targetUrl: expect.any(String) });
  });

  it('allows an event type that nothing emits yet, and says so', async () => {
    expect((await create({ eventType: 'crm:not_yet' })).warnings).toContain(
      'Nothing in this environment emits crm:not_yet: nothing will be sent',
    );
    expect((await create({ eventType: 'lead.converted' })).warnings).toHaveLength(1);
    expect((await create({ eventType: 'record.*' })).warnings).toHaveLength(1);
    const filtered = async (filterExpression: string, eventType = 'crm:create_lead') =>
      (await create({ eventType, filterExpression })).warnings.slice(0, -1);
    expect(await filtered("statsu == 'won'")).toEqual([
      'The filter is not a valid expression: line 1, column 1: Unknown variable: statsu; did you mean status?',
    ]);
    expect(await filtered("result.status == 'wn'")).toEqual([expect.stringContaining('"wn" is not one of')]);
    expect(await filtered("status == 'won' && amount > 5 && result.pid != ''")).toEqual([]);
    expect(await filtered('whatever == 1', '*')).toEqual([]);
  });

  it('refuses a whsec_ secret that no verifier could decode', async () => {
    expect(await problems({ secret: 'whsec_not base64!' })).toEqual({ secret: 'must have base64 behind whsec_' });
  });

  it('makes at most 100 for a tenant in an environment', async () => {
    const { pid } = await create();
    await runSql(
      `insert into platform.webhook_subscription (pid, environment, tenant_id, name, target_url, event_type, secrets, max_retries, timeout_ms, ordering, enabled, roles, created_by, created_by_name, owned_by)
       select left(pid, 22) || lpad(n::text, 4, '0'), environment, tenant_id, name, target_url, event_type, secrets, max_retries, timeout_ms, ordering, enabled, roles, created_by, created_by_name, owned_by
       from platform.webhook_subscription, generate_series(1, 98) n where pid = $1`,
      [pid],
    );

    const answers = await Promise.all([1, 2, 3].map(() => webhooks(user, '', { body: subscriptionBody() })));

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({
      code: 'CONFLICT',
      data: { reason: 'LIMIT', limit: 100 },
    });
  });
});

describe('webhook:manage', () => {
  it('is needed by every endpoint', async () => {
    const { pid } = await create();
    const other = await newUser(['SALES'], tenant);
    const calls: [string, string][] = [
      ...([
        ['GET', ''],
        ['POST', ''],
        ['GET', '/event-types'],
        ['GET', `/${pid}`],
        ['PATCH', `/${pid}`],
      ] as [string, string][]),
      ...([
        ['DELETE', `/${pid}`],
        ['POST', `/${pid}/enable`],
        ['POST', `/${pid}/disable`],
      ] as [string, string][]),
      ...([
        ['POST', `/${pid}/rotate-secret`],
        ['POST', `/${pid}/test`],
        ['GET', `/${pid}/deliveries`],
      ] as [string, string][]),
      ...([
        ['GET', `/${pid}/metrics`],
        ['GET', `/deliveries/${pid}`],
      ] as [string, string][]),
    ];
    for (const [method, path] of calls) {
      const { status, body } = await webhooks(other, path, { method, ...(method !== 'GET' && { body: {} }) });
      expect([method, path, status, body.data]).toEqual([method, path, 403, { permission: 'webhook:manage' }]);
    }
  });

  it('is not enough to listen for what one may not read', async () => {
    const manager = await newUser([await newRole(['webhook:manage', 'record:read:lead'])], tenant);
    const permission = async (rest: Record<string, unknown>) => {
      const { status, body } = await webhooks(manager, '', { body: subscriptionBody(rest) });
      return status === 200 ? null : body.data.permission;
    };

    expect(await permission({})).toBeNull();
    expect(await permission({ eventType: '*' })).toBeNull();
    expect(await permission({ eventType: 'crm:create_deal' })).toBe('record:read:deal');
    expect(await permission({ eventType: '*', modelCode: 'deal' })).toBe('record:read:deal');
    expect(await permission({ eventType: 'lead.converted' })).toMatch(/^record:read:(account|contact|deal)$/);
    expect(await permission({ filterExpression: 'score > 50' })).toBe('field:read:lead.score');
    expect(await permission({ filterExpression: "payload['score'] > 50" })).toBe('field:read:lead.score');
    expect(await permission({ eventType: 'record.*', filterExpression: 'result.score > 50' })).toBe(
      'field:read:lead.score',
    );
    expect(await permission({ filterExpression: "status == 'won'" })).toBeNull();
  });

  it('does not let its holder turn what others may read to a URL of their own', async () => {
    const { pid } = await create({ eventType: 'crm:create_deal' });
    const manager = await newUser([await newRole(['webhook:manage'])], tenant);

    const { status, body } = await webhooks(manager, `/${pid}`, {
      method: 'PATCH',
      body: { targetUrl: 'http://127.0.0.1:18998/' },
    });

    expect([status, body.data]).toEqual([403, { permission: 'record:read:deal' }]);
    expect((await webhooks(manager, `/${pid}/disable`, { body: {} })).status).toBe(200);
    expect(await runSql('select roles from platform.webhook_subscription where pid = $1', [pid])).toEqual([
      { roles: ['ADMIN'] },
    ]);
  });
});

describe('GET /api/webhooks', () => {
  it('lists the newest first, by page and filter', async () => {
    const [first, second] = [
      await create({ name: 'Alpha' }),
      await create({ name: 'Beta', eventType: '*', enabled: false }),
    ];
    const listed = async (query: string) => {
      const { data } = (await webhooks(user, `?${query}`)).body;
      return { ...data, records: data.records.map(({ pid }: { pid: string }) => pid) };
    };

    expect(await listed('')).toEqual({ records: [second.pid, first.pid], total: 2, pageNum: 1, pageSize: 10 });
    expect(await listed('pageSize=1&pageNum=2')).toEqual({ records: [first.pid], total: 2, pageNum: 2, pageSize: 1 });
    expect((await listed('enabled=false')).records).toEqual([second.pid]);
    expect((await listed('eventType=crm:create_lead')).records).toEqual([first.pid]);
    expect((await listed('keyword=alph')).records).toEqual([first.pid]);
    expect((await listed('keyword=%25')).records).toEqual([]);
    expect((await webhooks(user, '?enabled=maybe&pageSize=0')).body.data.fieldErrors).toEqual({
      enabled: 'must be true or false',
      pageSize: expect.any(String),
    });
  });

  it("finds nothing of another tenant's or another environment's", async () => {
    const { pid } = await create();
    const stranger = await newUser(['ADMIN'], await newTenant());

    expect((await webhooks(stranger)).body.data.total).toBe(0);
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/enable'],
      ['POST', '/rotate-secret'],
      ['POST', '/test'],
      ['GET', '/deliveries'],
      ['GET', '/metrics'],
    ] as const) {
      const { status, body } = await webhooks(stranger, `/${pid}${path}`, {
        method,
        ...(method !== 'GET' && { body: {} }),
      });
      expect([path, status, body.code]).toEqual([path, 404, 'NOT_FOUND']);
    }
    expect((await webhooks(user, `/${pid}`, { headers: { 'X-Environment': 'staging' } })).status).toBe(404);
  });
});

describe('PATCH /api/webhooks/{pid}', () => {
  it('changes what it names, and nothing else', async () => {
    const made = await create({ description: 'old', maxRetries: 3 });

    const { body } = await webhooks(user, `/${made.pid}`, {
      method: 'PATCH',
      body: { name: 'new', description: null },
    });

    expect(body.data).toMatchObject({ name: 'new', description: null, maxRetries: 3, targetUrl: made.targetUrl });
    expect(Date.parse(body.data.updatedAt)).toBeGreaterThanOrEqual(Date.parse(made.updatedAt));
  });

  it('refuses what create refuses', async () => {
    const { pid } = await create();
    const body = { name: null, pid: 'x', timeoutMs: 1, filterExpression: '1 +', targetUrl: 'http://10.0.0.1/' };

    const answered = await webhooks(user, `/${pid}`, { method: 'PATCH', body });

    expect(answered.status).toBe(400);
    expect(Object.keys(answered.body.data.fieldErrors).sort()).toEqual(Object.keys(body).sort());
  });

  it('makes the subscription read as whoever changed it', async () => {
    const { pid } = await create();
    const roles = [await newRole(['webhook:manage', 'record:read:lead'])];
    const other = await newUser(roles, tenant);

    expect((await webhooks(other, `/${pid}`, { method: 'PATCH', body: { name: 'mine' } })).body.data.createdBy).toBe(
      other.pid,
    );
    expect(await runSql('select roles from platform.webhook_subscription where pid = $1', [pid])).toEqual([{ roles }]);
  });

  it('replaces the secret at once, or removes it', async () => {
    const { pid } = await create({ secret: 'one' });
    const patch = async (secret: unknown) =>
      (await webhooks(user, `/${pid}`, { method: 'PATCH', body: { secret } })).body.data;

    expect(await patch('two')).toMatchObject({ hasSecret: true });
    expect(await patch(null)).toMatchObject({ hasSecret: false });
    expect(await patch(null)).not.toHaveProperty('secret');
  });

  it('with enabled does what enable and disable do', async () => {
    const { pid } = await create();

    expect((await webhooks(user, `/${pid}`, { method: 'PATCH', body: { enabled: false } })).body.data.enabled).toBe(
      false,
    );
    expect((await webhooks(user, `/${pid}`, { method: 'PATCH', body: { enabled: true } })).body.data.enabled).toBe(
      true,
    );
    expect((await auditedOf(pid)).map(({ action }) => action)).toEqual([
      'webhook.create',
      'webhook.disable',
      'webhook.enable',
    ]);
  });
});

describe('a model that leaves the environment', () => {
  it('is refused by name when a subscription is changed, and does not keep it from being disabled', async () => {
    const model = await newModel({ fields: [{ code: 'name', name: 'Name', type: 'string' }] });
    const { pid } = await create({ eventType: model.command, modelCode: model.code });
    await runSql('update platform.webhook_subscription set model_code = $1 where pid = $2', ['gone', pid]);

    expect((await webhooks(user, `/${pid}`, { method: 'PATCH', body: { name: 'x' } })).body.data.fieldErrors).toEqual({
      modelCode: 'is not a model of this environment',
    });
    expect((await webhooks(user, `/${pid}/disable`, { body: {} })).body.data.enabled).toBe(false);
    expect((await webhooks(user, `/${pid}`, { method: 'PATCH', body: { enabled: true } })).status).toBe(200);
  });
});
