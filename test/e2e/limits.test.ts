import { request } from 'node:http';
import { ulid } from 'ulid';
import { readConfig } from '../../src/foundation/config/config.ts';
import { createApplication, type Application } from '../../src/application.ts';
import { keyPrefixOf } from '../../src/foundation/redis/redis-store.ts';
import { listen, type HttpServer } from '../../src/foundation/http/server.ts';
import { call, execute, list, type Answered, type CallOptions, expectRefusal } from '../support/api.ts';
import { proxied, until } from '../support/faults.ts';
import { startNodeHere, type OwnNode } from '../support/own-node.ts';
import { redisTrips } from '../support/round-trips.ts';
import { container as shared, newTenant, newUser, PASSWORD, signedInForEach } from '../support/world.ts';

/** An unset variable has the default of the spec. */
const DEFAULTS = {
  RATE_LIMIT_READS: '',
  RATE_LIMIT_WRITES: '',
  RATE_LIMIT_LOGINS: '',
  RATE_LIMIT_ACCOUNT_LOGINS: '',
  // The peers of the tests are all on loopback: 127.0.0.1 is a proxy that may name the client.
  TRUST_PROXY: '127.0.0.0/8',
  TEMPORAL_TASK_QUEUE: `limits-${ulid()}`,
};

let nodes: [OwnNode, OwnNode];

beforeAll(async () => {
  nodes = await Promise.all([startNodeHere(DEFAULTS), startNodeHere({ ...DEFAULTS, KEELSON_ROLES: 'api' })]);
});
const { tenant, user } = signedInForEach('ADMIN');

/** Sends `count` requests, all at once, to the two nodes in turn. */
function together(count: number, send: (options: CallOptions) => Promise<Answered>): Promise<Answered[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => send({ baseUrl: nodes[index % 2]?.url ?? '' })));
}

/** How many answers there were of each status. */
function statuses(answers: readonly Answered[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

const limitOf = ({ headers }: Answered) => ({
  limit: headers.get('ratelimit-limit'),
  remaining: headers.get('ratelimit-remaining'),
  reset: headers.get('ratelimit-reset'),
});

/** Log-ins with a wrong password; the address is what the trusted proxy says. */
const login = (from: string, email: string, options: CallOptions = {}) =>
  call('/api/auth/login', {
    baseUrl: nodes[0].url,
    body: { email, password: 'wrong' },
    ...options,
    headers: { 'x-forwarded-for': from },
  });
let clients = 0;
/** A client that no other test is. */
const newClient = (): string => `203.0.113.${(clients += 1)}`;
const newAccount = (): string => `${ulid().toLowerCase()}@nobody.example`;

/** A log-in whose peer is this loopback address; `claimed` is what it says of itself. */
function loginFrom(localAddress: string, claimed: string, baseUrl: string): Promise<number> {
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': claimed };
  return new Promise((resolve, reject) => {
    const sent = request(`${baseUrl}/api/auth/login`, { method: 'POST', localAddress, headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    sent.on('error', reject).end(JSON.stringify({ email: newAccount(), password: 'wrong' }));
  });
}

describe('the read limit: 100 requests per minute per user', () => {
  it('lets exactly 100 of 101 lists and details on two nodes pass', async () => {
    const { pid } = (await execute(user.token, 'crm:create_lead', { payload: { name: 'Ada' } })).body.data;

    let turn = 0;
    const answers = await together(101, (options) =>
      (turn += 1) % 3 === 0
        ? call(`/api/dynamic/leads/${pid}`, { ...options, token: user.token })
        : list(user.token, 'leads', {}, options),
    );

    expect(statuses(answers)).toEqual({ 200: 100, 429: 1 });
    const remaining = answers.map((answer) => Number(limitOf(answer).remaining)).sort((a, b) => a - b);
    expect(remaining).toEqual([0, ...Array.from({ length: 100 }, (_, index) => index)]);
  });

  it('answers 429 RATE_LIMITED with Retry-After and data.retryAfterSeconds, until the window that began with the first request ends', async () => {
    const answers = await together(101, (options) => list(user.token, 'leads', {}, options));
    const refused = answers.find(({ status }) => status === 429) as Answered;

    const seconds = Number(refused.headers.get('retry-after'));
    expect(refused.body).toEqual({
      code: 'RATE_LIMITED',
      message: 'Too many requests',
      data: { retryAfterSeconds: seconds },
    });
    expect(limitOf(refused)).toEqual({ limit: '100', remaining: '0', reset: String(seconds) });
    expect(seconds).toBeGreaterThan(30);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(refused.headers.get('x-trace-id')).toMatch(/^[0-9a-f]{32}$/);

    // The minute is over: as far as Redis is concerned, at least.
    const { store } = await shared();
    const key = `keelson:limit:lists:${tenant.id}:${user.pid}`;
    expect(await store.pipeline([['pttl', key]])).toEqual([expect.any(Number)]);
    await store.pipeline([['pexpire', key, 1]]);
    const again = await until('the window ends', async () => {
      const answer = await list(user.token, 'leads', {}, { baseUrl: nodes[1].url });
      return answer.status === 200 ? answer : null;
    });
    expect(limitOf(again)).toEqual({ limit: '100', remaining: '99', reset: '60' });
  });

  it('is said on every answer, those of failures too', async () => {
    const options = { baseUrl: nodes[0].url };
    const answers = [
      await list(user.token, 'leads', {}, options),
      await list(user.token, 'leads', { pageSize: 'x' }, options),
      await list(user.token, 'no_such_page', {}, options),
      await call('/api/dynamic/leads/none', { ...options, token: user.token }),
    ];

    expect(answers.map(({ status }) => status)).toEqual([200, 400, 404, 404]);
    expect(answers.map((answer) => limitOf(answer).remaining)).toEqual(['99', '98', '97', '96']);
  });

  it('counts each user in each tenant by itself', async () => {
    const other = await newTenant();
    const both = await newUser(['ADMIN'], tenant, other);
    const inOther = { 'x-tenant-id': other.id };
    await together(100, (options) => list(both.token, 'leads', {}, options));

    expect((await list(both.token, 'leads', {}, { baseUrl: nodes[0].url })).status).toBe(429);
    expect((await list(both.token, 'leads', {}, { baseUrl: nodes[0].url, headers: inOther })).status).toBe(200);
    expect((await list(user.token, 'leads', {}, { baseUrl: nodes[0].url })).status).toBe(200);
  });

  it('counts requests for tenants of others to the user’s own: inventing tenants gains nothing', async () => {
    let invented = 9_000_000;
    const answers = await together(100, (options) =>
      list(user.token, 'leads', {}, { ...options, headers: { 'x-tenant-id': String((invented += 1)) } }),
    );
    expect(statuses(answers)).toEqual({ 403: 100 });

    const next = await list(user.token, 'leads', {}, { baseUrl: nodes[0].url, headers: { 'x-tenant-id': '1' } });
    expect(next.status).toBe(429);
    expect((await list(user.token, 'leads', {}, { baseUrl: nodes[0].url })).status).toBe(429);
    const { store, config } = await shared();
    const prefix = keyPrefixOf(config.redisUrl);
    const [left] = await store.pipeline([['keys', `${prefix}keelson:limit:*:${user.pid}`]]);
    expect(left).toEqual([`${prefix}keelson:limit:lists:${tenant.id}:${user.pid}`]);
  });

  it('does not count what comes with a token whose session has ended', async () => {
    const { store } = await shared();
    const { jti } = JSON.parse(Buffer.from(user.token.split('.')[1] ?? '', 'base64url').toString()) as { jti: string };
    await store.pipeline([['rename', `keelson:session:${jti}`, `test:${jti}`]]);
    const dead = await together(120, (options) => list(user.token, 'leads', {}, options));
    expect(statuses(dead)).toEqual({ 401: 120 });

    await store.pipeline([['rename', `test:${jti}`, `keelson:session:${jti}`]]);
    expect(limitOf(await list(user.token, 'leads', {}, { baseUrl: nodes[0].url })).remaining).toBe('99');
  });

  it('leaves other routes their own budget', async () => {
    await together(101, (options) => list(user.token, 'leads', {}, options));

    const source = await call('/api/datasource/list?datasourceId=lead_statuses', {
      baseUrl: nodes[0].url,
      token: user.token,
    });
    expect([source.status, limitOf(source).remaining]).toEqual([200, '99']);
  });
});

describe('the write limit: 30 requests per minute per user', () => {
  it('lets exactly 30 of 31 commands on two nodes pass, and the refused one does nothing', async () => {
    const answers = await together(31, (options) =>
      execute(user.token, 'crm:create_lead', { payload: { name: 'Ada' } }, options),
    );

    expect(statuses(answers)).toEqual({ 200: 30, 429: 1 });
    expect(answers.map(({ headers }) => headers.get('ratelimit-limit'))).toEqual(Array(31).fill('30'));
    const { database } = await shared();
    const made = await database.query('select 1 from platform.command_execution where user_pid = $1', [user.pid]);
    expect(made).toHaveLength(30);
    expect((await list(user.token, 'leads', {}, { baseUrl: nodes[0].url })).body.data.total).toBe(30);
  });

  it('refuses before it reads the body', async () => {
    await together(31, (options) => execute(user.token, 'none', {}, options));

    expect((await execute(user.token, 'none', '{"not json', { baseUrl: nodes[0].url })).status).toBe(429);
  });

  it('counts changes by other routes by themselves', async () => {
    const { token } = await newUser(['PLATFORM_ADMIN'], tenant);
    await together(31, (options) => execute(token, 'none', {}, options));

    const other = await call('/api/admin/promotions', { baseUrl: nodes[0].url, token, body: {} });
    expect([other.status, limitOf(other).limit, limitOf(other).remaining]).toEqual([400, '30', '29']);
  });
});

describe('the log-in limit: 10 requests per minute per client', () => {
  it('lets exactly 10 of 11 on two nodes pass, right or wrong', async () => {
    const client = newClient();
    let turn = 0;
    const answers = await together(11, ({ baseUrl = '' }) =>
      (turn += 1) % 2 === 0
        ? login(client, user.email, { baseUrl, body: { email: user.email, password: PASSWORD } })
        : login(client, newAccount(), { baseUrl }),
    );

    expect(answers.filter(({ status }) => status === 429)).toHaveLength(1);
    const refused = answers.find(({ status }) => status === 429) as Answered;
    expect(refused.body).toMatchObject({ code: 'RATE_LIMITED', data: { retryAfterSeconds: expect.any(Number) } });
    expect(limitOf(refused)).toMatchObject({ limit: '10', remaining: '0' });
    // The right password is refused, too, and another client is not.
    expect((await login(client, user.email, { body: { email: user.email, password: PASSWORD } })).status).toBe(429);
    expect((await login(newClient(), user.email, { body: { email: user.email, password: PASSWORD } })).status).toBe(
      200,
    );
  });

  it('also counts requests that are no log-in', async () => {
    const client = newClient();
    for (let sent = 0; sent < 10; sent += 1) {
      const answer = await login(client, '', { body: {} });
      expect([answer.status, limitOf(answer).remaining]).toEqual([400, String(9 - sent)]);
    }
    expect((await login(client, '', { body: '{' })).status).toBe(429);
  });

  it('takes an IPv6 network of 64 bits for one client', async () => {
    const network = `2001:db8:${(clients += 1)}:1`;
    for (let host = 1; host <= 10; host += 1)
      expect((await login(`${network}::${host}`, newAccount())).status).toBe(401);

    expect((await login(`${network}:a:b:c:d`, newAccount())).status).toBe(429);
    expect((await login(`2001:db8:${clients}:2::1`, newAccount())).status).toBe(401);
  });

  it('takes from a trusted proxy the rightmost address that is not a proxy’s, and believes no other', async () => {
    const client = newClient();
    for (let sent = 0; sent < 10; sent += 1) await login(`198.51.100.${sent}, ${client}, 127.0.0.9`, newAccount());

    // Whatever the client itself has put in front changes nothing.
    expect((await login(`192.0.2.1, ${client}`, newAccount())).status).toBe(429);
    expect((await login(`${client}, ${newClient()}`, newAccount())).status).toBe(401);
  });

  it('does not believe X-Forwarded-For of a peer that is no proxy', async () => {
    const stranger = await startNodeHere({ ...DEFAULTS, TRUST_PROXY: '10.0.0.0/8', KEELSON_ROLES: 'api' });
    const answers: number[] = [];
    for (let sent = 0; sent < 11; sent += 1) answers.push(await loginFrom('127.0.0.77', newClient(), stranger.url));

    expect(answers).toEqual([...Array<number>(10).fill(401), 429]);
  });

  it('limits an account, known or not, to 30 from all clients together', async () => {
    // The user has logged in once.
    for (const [email, left] of [[user.email, 29] as const, [newAccount(), 30] as const]) {
      const answers: Answered[] = [];
      for (let sent = 0; sent <= left; sent += 1) {
        answers.push(await login(newClient(), sent % 2 ? email : email.toUpperCase()));
      }

      expect(statuses(answers)).toEqual({ 401: left, 429: 1 });
      expect(limitOf(answers.at(-1) as Answered)).toMatchObject({ limit: '30', remaining: '0' });
    }
  });

  it('does not let a client that is refused use up an account', async () => {
    const client = newClient();
    for (let sent = 0; sent < 60; sent += 1) await login(client, user.email);

    const right = { body: { email: user.email, password: PASSWORD } };
    expect((await login(newClient(), user.email, right)).status).toBe(200);
  });
});

describe('a limit of 0', () => {
  it('is none, and nothing is said of it', async () => {
    const off = { RATE_LIMIT_READS: '0', RATE_LIMIT_LOGINS: '0', RATE_LIMIT_ACCOUNT_LOGINS: '0' };
    await withNode(off, async (baseUrl) => {
      const answers = await Promise.all(Array.from({ length: 120 }, () => list(user.token, 'leads', {}, { baseUrl })));
      expect(statuses(answers)).toEqual({ 200: 120 });
      expect(answers[0]?.headers.has('ratelimit-limit')).toBe(false);
      expect((await login('x', newAccount(), { baseUrl })).headers.has('ratelimit-limit')).toBe(false);
    });
  });
});

describe('limits and the shared store', () => {
  it('cost no round trip: session, metadata version and limit are one, on reads and on the refusal', async () => {
    await withNode({ RATE_LIMIT_READS: '3' }, async (baseUrl, { store, database }) => {
      // The first one brings copies of the user and the tenant to the shared store.
      await list(user.token, 'leads', { count: 'none' }, { baseUrl });
      const cost = async () => {
        const before = { redis: redisTrips(store), sql: database.statements };
        // An exact total would be cached behind the answer.
        const { status } = await list(user.token, 'leads', { count: 'none' }, { baseUrl });
        return { status, redis: redisTrips(store) - before.redis, sql: database.statements - before.sql };
      };

      expect(await cost()).toEqual({ status: 200, redis: 1, sql: 1 });
      expect(await cost()).toEqual({ status: 200, redis: 1, sql: 1 });
      expect(await cost()).toEqual({ status: 429, redis: 1, sql: 0 });
    });
  });

  it('fail closed: without it, 503 everywhere, never open and never 500', async () => {
    const { proxy, url } = await proxied(process.env.REDIS_URL ?? '');
    await withNode({ ...DEFAULTS, REDIS_URL: url }, async (baseUrl) => {
      expect((await list(user.token, 'leads', {}, { baseUrl })).status).toBe(200);
      proxy.cut();

      const answers = [
        await list(user.token, 'leads', {}, { baseUrl }),
        await execute(user.token, 'crm:create_lead', { payload: { name: 'x' } }, { baseUrl }),
        await login(newClient(), user.email, { baseUrl, body: { email: user.email, password: PASSWORD } }),
      ];

      for (const { status, headers, body } of answers) {
        expectRefusal({ status, body }, 'SERVICE_UNAVAILABLE', { dependency: 'redis' });
        expect(headers.get('retry-after')).toBe('2');
      }
    });
  });
});

/** A node in this process, whose round trips can be counted. */
async function withNode(
  settings: Record<string, string>,
  work: (url: string, node: Application) => Promise<void>,
): Promise<void> {
  const node = await createApplication(readConfig({ ...process.env, LOG_LEVEL: 'silent', ...settings }));
  let server: HttpServer | null = null;
  try {
    await node.open();
    server = await listen(node.app, 0);
    await work(`http://127.0.0.1:${server.port}`, node);
  } finally {
    await server?.stop(0);
    await node.close();
  }
}
