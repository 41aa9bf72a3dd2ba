import { ulid } from 'ulid';
import { call, list, type Answered, expectRefusal } from '../support/api.ts';
import { SERVICE_ACCOUNTS } from '../support/keys.ts';
import { runSql } from '../support/platform.ts';
import { newTenant, newUser, PASSWORD, type TestTenant, type TestUser } from '../support/world.ts';
import { MAX_GRACE_TOKENS } from '../../src/platform/auth/auth.limits.ts';

let acme: TestTenant;
let globex: TestTenant;
let admin: TestUser;
let platformAdmin: TestUser;

beforeAll(async () => {
  [acme, globex] = await Promise.all([newTenant(), newTenant()]);
  [admin, platformAdmin] = await Promise.all([
    newUser(['ADMIN'], acme),
    newUser(['PLATFORM_ADMIN'], await newTenant()),
  ]);
});

const newEmail = (): string => `${ulid().toLowerCase()}@test.example`;
const create = ({ token }: TestUser, body: unknown) => call('/api/admin/users', { token, body });
const problem = ({ status, body }: Answered) => ({ status, errors: body.data?.fieldErrors });
const place = (tenant: TestTenant, roles: string[] = []) => ({ tenantId: tenant.id, roles });

describe('a name', () => {
  const hostile = ['a\nBcc: b@c.example', 'a\u0007', 'a\u202Eb', 'a\u2066b\u2069', '\u200Fa', 'a\u2028b', '\u0085'];
  const refused = 'must be a text without control or direction characters';

  it('of a user, a tenant or a service account has no control or direction characters', async () => {
    const memberships = [place(acme)];
    for (const name of hostile) {
      const user = await create(admin, { email: newEmail(), username: name, memberships });
      expect(problem(user)).toEqual({ status: 400, errors: { username: refused } });
      const changed = await call(`/api/admin/users/${admin.pid}`, {
        method: 'PATCH',
        token: admin.token,
        body: { username: name },
      });
      expect(problem(changed)).toEqual({ status: 400, errors: { username: refused } });
      for (const [path, { token }] of [
        ['/api/admin/tenants', platformAdmin],
        [SERVICE_ACCOUNTS, admin],
      ] as const) {
        expect(problem(await call(path, { token, body: { name } }))).toEqual({
          status: 400,
          errors: { name: refused },
        });
      }
    }
  });

  it('may be of any script, with what joins its letters', async () => {
    for (const username of ['Élodie Garnier', 'علی‌رضا', '李 明', '👩‍💻 Ada']) {
      const made = await create(admin, { email: newEmail(), username, password: PASSWORD, memberships: [place(acme)] });
      expect(made).toMatchObject({ status: 200, body: { data: { username } } });
    }
  });
});

describe('POST /api/admin/users for an e-mail that has an account elsewhere', () => {
  it('makes its user a member, as it makes a new user one: a tenant admin is not told that it is taken', async () => {
    const stranger = await newUser(['SALES'], globex);

    const made = await create(admin, {
      email: stranger.email.toUpperCase(),
      username: 'Mine',
      password: 'another-password-of-tests',
      memberships: [place(acme, ['VIEWER'])],
    });

    expect(made).toMatchObject({
      status: 200,
      body: {
        data: { email: stranger.email, status: 'active', memberships: [{ tenantId: acme.id, roles: ['VIEWER'] }] },
      },
    });
    // At once, with the same password and name as before.
    const headers = { 'x-tenant-id': acme.id };
    expect((await list(stranger.token, 'leads', {}, { headers })).status).toBe(200);
    expect((await call('/api/auth/login', { body: { email: stranger.email, password: PASSWORD } })).status).toBe(200);
    expect((await call('/api/auth/me', { token: stranger.token })).body.data.username).toBe(stranger.email);
    const audited = await runSql('select action, before, after from platform.audit_entry where target_pid = $1', [
      stranger.pid,
    ]);
    expect(audited).toMatchObject([
      { action: 'user.update', before: { memberships: [] }, after: { memberships: [place(acme, ['VIEWER'])] } },
    ]);
  });

  it('is 409 for a member of the own tenant, and for who may see all users', async () => {
    const member = await newUser([], acme);
    const taken = { status: 409, body: { data: { reason: 'UNIQUE', fieldErrors: { email: 'is taken' } } } };
    const body = { email: member.email, username: 'x', memberships: [place(acme)] };

    expect(await create(admin, body)).toMatchObject(taken);
    expect(await create(platformAdmin, { ...body, memberships: [place(globex)] })).toMatchObject(taken);
  });
});

describe('a refresh token within its grace', () => {
  it('makes a bounded number of new ones', async () => {
    const { body } = await call('/api/auth/login', { body: { email: admin.email, password: PASSWORD } });
    const { refreshToken } = body.data;
    const refresh = () => call('/api/auth/refresh', { body: { refreshToken } });

    const answers = await Promise.all(Array.from({ length: MAX_GRACE_TOKENS + 15 }, refresh));

    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(MAX_GRACE_TOKENS);
    expect(statuses.filter((status) => status === 429)).toHaveLength(15);
    const [, sessionPid] = refreshToken.split('_');
    const made = await runSql('select 1 from platform.refresh_token where session_pid = $1', [sessionPid]);
    expect(made).toHaveLength(MAX_GRACE_TOKENS + 1);
  });
});

describe('GET /api/webhooks/{pid}/recoveries', () => {
  it('is 404 for a subscription that is not there', async () => {
    expectRefusal(await call(`/api/webhooks/${ulid()}/recoveries`, { token: admin.token }), 'NOT_FOUND');
  });
});
