import { randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { hashing } from '../../src/platform/auth/accounts/password-hash.ts';
import { UserEntity } from '../../src/platform/auth/accounts/user.entity.ts';
import { readConfig } from '../../src/foundation/config/config.ts';
import { call, execute, list } from '../support/api.ts';
import { sessionKey } from '../support/bad-tokens.ts';
import { until } from '../support/faults.ts';
import { nodeInside } from '../support/nodes.ts';
import { container, newTenant, newUser, PASSWORD, type TestUser } from '../support/world.ts';

const UNAUTHORIZED = { code: 'UNAUTHORIZED', message: 'Authentication is required', data: null };
const NOT_VALID = { ...UNAUTHORIZED, message: 'The token or API key is not valid, or has expired' };
const WRONG = { code: 'UNAUTHORIZED', message: 'The e-mail or the password is wrong', data: null };

const login = (email: unknown, password: unknown) => call('/api/auth/login', { body: { email, password } });

async function disable({ id }: TestUser): Promise<void> {
  const em = (await container()).orm.em.fork();
  await em.nativeUpdate(UserEntity, { id }, { status: 'disabled' });
}

describe('POST /api/auth/login', () => {
  it('gives the login result', async () => {
    const tenant = await newTenant();
    const { id, pid, email } = await newUser(['SALES'], tenant);

    const { status, body } = await login(email, PASSWORD);

    expect({ status, body }).toEqual({
      status: 200,
      body: {
        code: '0',
        message: 'ok',
        data: {
          jwt: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
          userId: id,
          userPid: pid,
          username: email,
          tenantId: tenant.id,
          tenantStatus: 'member',
          expiresAt: new Date((jwt.decode(body.data.jwt) as { exp: number }).exp * 1000).toISOString(),
          refreshToken: expect.stringMatching(/^klr_[0-9A-Z]{26}_[0-9a-f]{64}$/),
          refreshExpiresAt: expect.stringMatching(/Z$/),
        },
      },
    });
    expect(id).toMatch(/^\d+$/);
    expect(pid).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
  });

  it('opens a session in the shared store that lives as long as the token', async () => {
    const { token } = await newUser(['SALES'], await newTenant());
    const { store } = await container();

    const [ttl] = await store.pipeline([['ttl', sessionKey(token)]]);

    const { iat = 0, exp = 0 } = jwt.decode(token) as jwt.JwtPayload;
    expect(exp - iat).toBe(3_600);
    expect(ttl).toBeGreaterThan(3_500);
    expect(ttl).toBeLessThanOrEqual(3_600);
  });

  it('gives each log-in a session of its own', async () => {
    const { email, token } = await newUser(['SALES'], await newTenant());

    const { body } = await login(email, PASSWORD);

    expect(sessionKey(body.data.jwt)).not.toBe(sessionKey(token));
    expect((await list(token, 'leads')).status).toBe(200);
    expect((await list(body.data.jwt, 'leads')).status).toBe(200);
  });

  it('ignores the case of the e-mail', async () => {
    const { email } = await newUser(['SALES'], await newTenant());

    expect((await login(email.toUpperCase(), PASSWORD)).status).toBe(200);
  });

  it('resolves the default tenant of a user with several', async () => {
    const [first, second] = [await newTenant(), await newTenant()];
    const { email } = await newUser(['SALES'], second, first);

    expect((await login(email, PASSWORD)).body.data.tenantId).toBe(second.id);
  });

  it('answers unknown e-mail, wrong password and disabled user alike: 401 UNAUTHORIZED', async () => {
    const tenant = await newTenant();
    const [user, disabled] = [await newUser(['SALES'], tenant), await newUser(['SALES'], tenant)];
    await disable(disabled);

    for (const [email, password] of [
      [`${randomUUID()}@test.example`, PASSWORD],
      [user.email, `${PASSWORD} `],
      [user.email, PASSWORD.toUpperCase()],
      [disabled.email, PASSWORD],
      ["' or 1=1 --", "' or 1=1 --"],
      ['%', PASSWORD],
    ]) {
      const { status, headers, body } = await login(email, password);
      expect({ email, status, body }).toEqual({ email, status: 401, body: WRONG });
      expect(headers.get('x-trace-id')).toMatch(/^[0-9a-f]{32}$/);
    }
  });

  it('answers 400 VALIDATION_ERROR with each field that is missing or no text', async () => {
    const email = 'somebody@test.example';
    for (const [body, fieldErrors] of [
      [{}, { email: 'is required', password: 'is required' }],
      [
        { email: '', password: null },
        { email: 'is required', password: 'is required' },
      ],
      [{ email, password: 7 }, { password: 'must be a text' }],
      [
        { email: { $ne: '' }, password: ['x'] },
        { email: 'must be a text', password: 'must be a text' },
      ],
      [
        { email: 'a\0b', password: 'x'.repeat(1_001) },
        { email: 'must not contain NUL or ill-formed Unicode', password: 'is not valid' },
      ],
    ]) {
      const answered = await call('/api/auth/login', { body });
      expect({ status: answered.status, body: answered.body }).toEqual({
        status: 400,
        body: { code: 'VALIDATION_ERROR', message: 'The request is not valid', data: { fieldErrors } },
      });
    }
  });

  it('answers neither the password nor its hash', async () => {
    const { email } = await newUser(['SALES'], await newTenant());

    const answered = await login(email, PASSWORD);

    expect(JSON.stringify(answered.body)).not.toContain(PASSWORD);
    expect(JSON.stringify(answered.body)).not.toContain('argon2');
  });

  it('does the same work for known and unknown e-mails: one hash', async () => {
    const user = await newUser(['SALES'], await newTenant());
    const baseUrl = await nodeInside();

    for (const [email, password] of [
      [user.email, PASSWORD],
      [user.email, 'wrong'],
      ['nobody@test.example', 'wrong'],
      ["' or 1=1 --", ''.padEnd(500, 'x')],
    ]) {
      const before = hashing.count;
      await call('/api/auth/login', { body: { email, password }, baseUrl });
      expect({ email, hashes: hashing.count - before }).toEqual({ email, hashes: 1 });
    }
  });
});

describe('GET /api/auth/me', () => {
  it('tells who the caller is, the tenants, and the roles and permission codes in the one in use', async () => {
    const [acme, globex] = [await newTenant(), await newTenant()];
    const user = await newUser(['VIEWER'], acme, globex);

    const { body } = await call('/api/auth/me', { token: user.token, headers: { 'x-tenant-id': globex.id } });

    const membership = { tenantStatus: 'member', roles: ['VIEWER'] };
    expect(body.data).toEqual({
      userId: user.id,
      userPid: user.pid,
      username: user.email,
      email: user.email,
      tenantId: globex.id,
      environment: 'dev',
      roles: ['VIEWER'],
      permissions: expect.arrayContaining(['record:read:lead']),
      tenants: [
        { tenantId: acme.id, name: acme.name, ...membership },
        { tenantId: globex.id, name: globex.name, ...membership },
      ],
    });
  });

  it.each<[string, string[]]>([
    ['ADMIN', ['*']],
    ['PLATFORM_ADMIN', ['*', 'admin:*']],
    ['UNKNOWN', []],
  ])('tells %s the codes %j', async (role, codes) => {
    const { token } = await newUser([role], await newTenant());

    expect((await call('/api/auth/me', { token })).body.data.permissions).toEqual(codes);
  });
});

describe('every other endpoint', () => {
  const secret = readConfig().jwtSecrets[0];
  // Of a live session: a token of the corpus is refused for its own fault, not for want of a session.
  let claims: { tid: string };
  let standard: { issuer: string; audience: string; subject: string; jwtid: string; expiresIn: number };

  beforeAll(async () => {
    const { token, pid } = await newUser(['SALES'], await newTenant());
    const { tid, jti = '' } = jwt.decode(token) as jwt.JwtPayload & { tid: string };
    claims = { tid };
    standard = { issuer: 'keelson', audience: 'keelson-api', subject: pid, jwtid: jti, expiresIn: 60 };
  });

  it('answers 401 UNAUTHORIZED without a token, whatever the method and path', async () => {
    for (const [method, path] of [
      ['GET', '/api/dynamic/leads/list'],
      ['GET', '/api/dynamic/nowhere/list'],
      ['GET', '/api/dynamic/leads/01ARZ3NDEKTSV4RRFFQ69G5FAV'],
      ['POST', '/api/meta/commands/execute/crm:create_lead'],
      ['POST', '/api/meta/commands/execute/no:such'],
      ['GET', '/api/meta/commands/executions/01ARZ3NDEKTSV4RRFFQ69G5FAV'],
    ] as const) {
      const { status, body } = await call(path, { method });
      expect({ path, status, body }).toEqual({ path, status: 401, body: UNAUTHORIZED });
    }
  });

  it('accepts a token of the right algorithm, key, issuer and audience with a live session, and any case of Bearer', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      const authorization = `${scheme} ${jwt.sign(claims, secret, standard)}`;
      expect((await call('/api/dynamic/leads/list', { headers: { authorization } })).status).toBe(200);
    }
  });

  it('answers 401 UNAUTHORIZED for a token that expires while it is in use', async () => {
    const { expiresIn: _expiresIn, ...rest } = standard;
    const exp = Math.floor(Date.now() / 1000) + 5;
    const token = jwt.sign({ ...claims, exp }, secret, rest);
    expect((await list(token, 'leads')).status).toBe(200);

    // The node remembers verified tokens: not beyond their end.
    await until('the token is refused', async () => (await list(token, 'leads')).status === 401);

    expect(Date.now()).toBeGreaterThanOrEqual(exp * 1000);
  });

  it('checks the token against the shared store: a revoked session is 401 at once, on reads and commands', async () => {
    const { token } = await newUser(['SALES'], await newTenant());
    expect((await list(token, 'leads')).status).toBe(200);

    const { store } = await container();
    await store.pipeline([['del', sessionKey(token)]]);

    expect((await list(token, 'leads')).body).toEqual(NOT_VALID);
    expect((await execute(token, 'crm:create_lead', { payload: { name: 'x' } })).body).toEqual(NOT_VALID);
  });
});

describe('public endpoints', () => {
  it('are log-in and health: they need no token and mind no broken one', async () => {
    for (const headers of [{}, { authorization: 'Bearer garbage' }] as Record<string, string>[]) {
      for (const path of ['/api/health', '/actuator/health/liveness', '/actuator/health/readiness']) {
        expect([path, (await call(path, { headers })).status]).toEqual([path, 200]);
      }
      expect((await call('/api/auth/login', { body: {}, headers })).status).toBe(400);
    }
  });
});
