import { randomBytes } from 'node:crypto';
import { ulid } from 'ulid';
import { call, dataOf } from '../support/api.ts';
import { newKey } from '../support/keys.ts';
import { expectLive, slowestLiveness } from '../support/liveness.ts';
import { save } from '../support/models.ts';
import { startNodeHere, type OwnNode } from '../support/own-node.ts';
import { MAX_REFUSALS_PER_SECOND } from '../../src/platform/auth/auth.limits.ts';
import { newTenant, newUser, PASSWORD, type TestTenant, type TestUser } from '../support/world.ts';

/*
 * Setup: a node with small budgets, behind a proxy that names the client.
 * What this proves: requests without a known caller, and answers without a bound, do not keep a node from its
 * work.
 */

const MAX_REFUSED = 5;
const MAX_REFRESHES = 3;

let node: OwnNode;
let tenant: TestTenant;
let admin: TestUser;
beforeAll(async () => {
  node = await startNodeHere({
    RATE_LIMIT_REFUSED: String(MAX_REFUSED),
    RATE_LIMIT_REFRESHES: String(MAX_REFRESHES),
    TRUST_PROXY: '127.0.0.0/8',
    KEELSON_ROLES: 'api',
    TEMPORAL_TASK_QUEUE: `unauthenticated-${ulid()}`,
  });
  tenant = await newTenant();
  admin = await newUser(['ADMIN', 'PLATFORM_ADMIN'], tenant);
});

let clients = 0;
/** An address of a client that no other test has. */
const newClient = () => ({ 'x-forwarded-for': `203.0.113.${++clients}` });
const unknownKey = () => `kls_${tenant.id}x${randomBytes(6).toString('hex')}_${randomBytes(32).toString('hex')}`;
const me = (token: string, headers: Record<string, string>) =>
  call('/api/auth/me', { baseUrl: node.url, token, headers });

describe('unknown API keys', () => {
  it('are 429 for an address that has sent several, without a look at them', async () => {
    const client = newClient();
    const statuses = [];
    for (let sent = 0; sent < MAX_REFUSED + 2; sent += 1) statuses.push((await me(unknownKey(), client)).status);
    const refused = await me(unknownKey(), client);

    expect(statuses).toEqual([...Array<number>(MAX_REFUSED).fill(401), 429, 429]);
    expect(refused.body).toMatchObject({ code: 'RATE_LIMITED', data: { retryAfterSeconds: expect.any(Number) } });
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    expect((await me(unknownKey(), newClient())).status).toBe(401);
  });

  it('do not lock out sessions and known keys of the same address', async () => {
    const client = newClient();
    const { key } = await newKey(admin, ['record:read:lead']);
    expect((await me(key, client)).status).toBe(200);
    for (let sent = 0; sent <= MAX_REFUSED; sent += 1) await me(unknownKey(), client);

    expect((await me(unknownKey(), client)).status).toBe(429);
    expect((await me(key, client)).status).toBe(200);
    expect((await me(admin.token, client)).status).toBe(200);
  });

  it('count for instant messages, too, before a channel is looked up', async () => {
    const client = newClient();
    const send = () =>
      call('/api/im/no_such_channel/messages', { baseUrl: node.url, method: 'POST', body: {}, headers: client });
    for (let sent = 0; sent < MAX_REFUSED; sent += 1) expect((await send()).status).toBe(404);

    expect((await send()).status).toBe(429);
  });
});

describe('unknown API keys that come together', () => {
  const statusesOf = async (baseUrl: string, count: number, clientOf: (index: number) => object) => {
    const sent = Array.from({ length: count }, (_, index) =>
      call('/api/auth/me', { baseUrl, token: unknownKey(), headers: { ...clientOf(index) } }),
    );
    return (await Promise.all(sent)).map(({ status }) => status);
  };

  it('count before the look-up: of a burst of one address no more are looked up than it may send', async () => {
    const client = newClient();
    const statuses = await statusesOf(node.url, 60, () => client);

    expect(statuses.filter((status) => status === 401)).toHaveLength(MAX_REFUSED);
    expect(statuses.filter((status) => status === 429)).toHaveLength(60 - MAX_REFUSED);
  });

  it('are limited for the node, too, where RATE_LIMIT_REFUSED=0 lifts the limit of an address', async () => {
    const unlimited = await startNodeHere({
      RATE_LIMIT_REFUSED: '0',
      TRUST_PROXY: '127.0.0.0/8',
      KEELSON_ROLES: 'api',
      TEMPORAL_TASK_QUEUE: `unauthenticated-${ulid()}`,
    });
    const startedAt = Date.now();
    const addressOf = (index: number) => ({ 'x-forwarded-for': `198.51.100.${index % 250}` });
    const flood = statusesOf(unlimited.url, 600, addressOf);
    const login = await call('/api/auth/login', {
      baseUrl: unlimited.url,
      body: { email: admin.email, password: PASSWORD },
      headers: newClient(),
    });
    const statuses = await flood;

    const seconds = Math.floor(Date.now() / 1_000) - Math.floor(startedAt / 1_000) + 1;
    expect(login.status).toBe(200);
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(MAX_REFUSALS_PER_SECOND * seconds);
    // On a busy machine no second may be too full; unit tests show the rule by a clock.
    expect(statuses.filter((status) => ![401, 429, 503].includes(status))).toEqual([]);
  });
});

describe('POST /api/auth/refresh', () => {
  const refresh = (refreshToken: string, headers = newClient()) =>
    call('/api/auth/refresh', { baseUrl: node.url, body: { refreshToken }, headers });

  it('has a budget per client address', async () => {
    const client = newClient();
    for (let sent = 0; sent < MAX_REFRESHES; sent += 1) expect((await refresh('x', client)).status).toBe(401);

    expect((await refresh('x', client)).body.code).toBe('RATE_LIMITED');
  });

  it.each([
    ['/api/auth/refresh', { refreshToken: 'x'.repeat(9_000) }],
    ['/api/auth/login', { email: 'a@test.example', password: 'x'.repeat(9_000) }],
    ['/api/auth/password-reset/request', { email: 'x'.repeat(9_000) }],
  ])('as %s, reads bodies of at most 8 KiB', async (path, body) => {
    expect((await call(path, { baseUrl: node.url, body, headers: newClient() })).body.code).toBe('PAYLOAD_TOO_LARGE');
  });
});

describe('a body of mistakes', () => {
  it('is answered with at most 100 field errors', async () => {
    const keys = Array.from({ length: 25_000 }, (_, index) => [`k${index}`, 1]);
    const { status, body } = await call('/api/webhooks', {
      baseUrl: node.url,
      token: admin.token,
      body: Object.fromEntries(keys),
    });

    expect(status).toBe(400);
    expect(Object.keys(body.data.fieldErrors)).toHaveLength(100);
  });
});

describe('an import with millions of array elements', () => {
  it('is refused before it is parsed', async () => {
    const body = `{"snapshot":[${'1,'.repeat(15_000_000)}1]}`;
    const sent = call('/api/admin/environments/00000000000000000000000DEV/import', {
      baseUrl: node.url,
      token: admin.token,
      body,
    });

    expectLive(await slowestLiveness(node.url, sent));
    expect((await sent).body).toMatchObject({
      code: 'VALIDATION_ERROR',
      data: { fieldErrors: { body: 'has more than 1000000 values' } },
    });
  });
});

const TEN = '(values (1), (2), (3), (4), (5), (6), (7), (8), (9), (10))';
/** Each is ten times as long as the one before: `d4` is a text of 10 MB. */
const TENFOLD = [
  `d0 as (select '${'x'.repeat(1_000)}' as s)`,
  ...[1, 2, 3, 4].map((level) => `d${level} as (select ${Array(10).fill('s').join(' || ')} as s from d${level - 1})`),
];

describe('GET /api/datasource/list of a data source in SQL', () => {
  const rowsOf = (code: string) =>
    call(`/api/datasource/list?datasourceId=${code}`, { baseUrl: node.url, token: admin.token });
  const newSource = async (sql: string): Promise<string> => {
    const code = `t_${ulid().toLowerCase()}`;
    await save('dev', { resourceType: 'DATASOURCE', code, content: { name: code, kind: 'sql', sql } });
    return code;
  };

  it.each([
    ['one row', `with ${TENFOLD.join(', ')} select s as big from d4`],
    ['many rows', `select '${'x'.repeat(5_000)}' as big from ${TEN} a(n), ${TEN} b(n), ${TEN} c(n)`],
  ])('refuses an answer of more than 2 MiB in %s, and goes on with its work', async (_what, sql) => {
    const code = await newSource(sql);
    const asked = call(`/api/datasource/list?datasourceId=${code}&maxItems=5000`, {
      baseUrl: node.url,
      token: admin.token,
    });

    expectLive(await slowestLiveness(node.url, asked));
    expect((await asked).body).toMatchObject({
      code: 'CONFLICT',
      data: { reason: 'DATASOURCE' },
      message: expect.stringContaining('longer than 2097152 bytes'),
    });
  });

  it('keeps digits of JSON that JavaScript would round, and refuses JSON that is too deep', async () => {
    const exact = await newSource(
      `select '{"n":12345678901234567890,"e":1e400,"k":1.5}'::jsonb as a, '[1]'::json as b`,
    );
    const levels = 5_000;
    const x = `'${'x'.repeat(levels)}'`;
    const deep = await newSource(`select (replace(${x}, 'x', '[') || replace(${x}, 'x', ']'))::json as a`);

    expect(dataOf(await rowsOf(exact))).toEqual([
      { a: { n: '12345678901234567890', e: `1${'0'.repeat(400)}`, k: 1.5 }, b: [1] },
    ]);
    expect((await rowsOf(deep)).body).toMatchObject({
      code: 'CONFLICT',
      data: { reason: 'DATASOURCE' },
      message: expect.stringContaining('it is too complex'),
    });
  });

  it('keeps names, types and order of what fits', async () => {
    const code = await newSource(`select n as "a b", n::numeric / 4 as c, null as d from (values (3), (2), (1)) v(n)`);

    expect(dataOf(await rowsOf(code))).toEqual([
      { 'a b': 3, c: '0.75000000000000000000', d: null },
      { 'a b': 2, c: '0.50000000000000000000', d: null },
      { 'a b': 1, c: '0.25000000000000000000', d: null },
    ]);
  });
});

describe('a log-in beside unknown keys', () => {
  it('succeeds', async () => {
    const client = newClient();
    const noise = Promise.all(Array.from({ length: 300 }, () => me(unknownKey(), client)));
    const login = await call('/api/auth/login', {
      baseUrl: node.url,
      body: { email: admin.email, password: PASSWORD },
      headers: newClient(),
    });

    expect(login.status).toBe(200);
    await noise;
  });
});
