import { ulid } from 'ulid';
import { call, execute, list, type Answered, type CallOptions } from '../support/api.ts';
import { newCode, roleDraft, save } from '../support/models.ts';
import { anotherNode } from '../support/nodes.ts';
import { runSql } from '../support/platform.ts';
import { newTenant, newUser, PASSWORD, type TestTenant, type TestUser } from '../support/world.ts';
import { ENVIRONMENTS } from '../../src/foundation/config/environments.ts';

let acme: TestTenant;
let globex: TestTenant;
let platformAdmin: TestUser;
let admin: TestUser;
let other: string;

beforeAll(async () => {
  other = await anotherNode();
});
beforeEach(async () => {
  acme = await newTenant();
  globex = await newTenant();
  platformAdmin = await newUser(['PLATFORM_ADMIN'], await newTenant());
  admin = await newUser(['ADMIN'], acme);
});

const newEmail = (): string => `${ulid().toLowerCase()}@test.example`;
const answered = ({ status, body }: Answered) => ({ status, body });
const forbidden = (permission: string) => ({
  status: 403,
  body: { code: 'FORBIDDEN', message: 'Permission denied', data: { permission } },
});
const create = ({ token }: TestUser, body: unknown) => call('/api/admin/users', { token, body });
const patch = ({ token }: TestUser, { pid }: { pid: string }, body: unknown) =>
  call(`/api/admin/users/${pid}`, { method: 'PATCH', token, body });
const fieldErrors = ({ status, body }: Answered) => ({ status, errors: body.data?.fieldErrors });

/** A role with the same codes everywhere, as after its promotion. */
async function newRoleEverywhere(codes: string[], environments: readonly string[] = ENVIRONMENTS): Promise<string> {
  const code = newCode().toUpperCase();
  for (const environment of environments) await save(environment, roleDraft(code, codes));
  return code;
}

async function auditOf(pid: string) {
  return runSql<{ action: string; before: unknown; after: unknown; actor: { userPid: string } }>(
    'select action, actor, before, after from platform.audit_entry where target_pid = $1 order by id',
    [pid],
  );
}

describe('a change of roles', () => {
  it('takes effect at once on all nodes, in sessions that are open', async () => {
    const user = await newUser(['VIEWER'], acme);
    const lead = { payload: { name: 'x' } };
    for (const baseUrl of [undefined, other]) {
      expect((await execute(user.token, 'crm:create_lead', lead, { ...(baseUrl && { baseUrl }) })).status).toBe(403);
    }

    expect((await patch(admin, user, { memberships: [{ tenantId: acme.id, roles: ['SALES'] }] })).status).toBe(200);
    for (const baseUrl of [undefined, other]) {
      expect((await execute(user.token, 'crm:create_lead', lead, { ...(baseUrl && { baseUrl }) })).status).toBe(200);
    }

    await patch(admin, user, { memberships: [{ tenantId: acme.id, roles: [] }] });
    for (const baseUrl of [undefined, other]) {
      expect((await list(user.token, 'leads', {}, { ...(baseUrl && { baseUrl }) })).status).toBe(403);
    }
  });

  it('reaches every request that starts after its answer, however many run meanwhile', async () => {
    const user = await newUser(['VIEWER'], acme);
    let answeredAt = Infinity;
    const late: number[] = [];
    const read = async (baseUrl?: string): Promise<void> => {
      while (late.length < 60) {
        const startedAt = performance.now();
        const { status } = await list(user.token, 'leads', {}, { ...(baseUrl && { baseUrl }) });
        if (startedAt > answeredAt) late.push(status);
      }
    };
    const change = async (): Promise<void> => {
      await patch(admin, user, { memberships: [{ tenantId: acme.id, roles: [] }] });
      answeredAt = performance.now();
    };

    await Promise.all([read(), read(other), read(), change()]);

    expect(late.length).toBeGreaterThanOrEqual(60);
    expect(new Set(late)).toEqual(new Set([403]));
  });

  it('ends what a membership was for: 403 TENANT_FORBIDDEN at once', async () => {
    const user = await newUser(['SALES'], acme, globex);

    await patch(admin, user, { memberships: [] });

    expect(answered(await list(user.token, 'leads', {}, { headers: { 'x-tenant-id': acme.id } }))).toEqual({
      status: 403,
      body: { code: 'TENANT_FORBIDDEN', message: 'Not a member of this tenant', data: null },
    });
    expect((await list(user.token, 'leads', {}, { headers: { 'x-tenant-id': globex.id } })).status).toBe(200);
  });
});

describe('a disabled user', () => {
  it('loses every session at once on all nodes, cannot log in or refresh, and gets in again when active', async () => {
    const user = await newUser(['SALES'], acme);
    const { body } = await call('/api/auth/login', { body: { email: user.email, password: PASSWORD } });

    expect((await patch(admin, user, { status: 'disabled' })).status).toBe(200);

    for (const token of [user.token, body.data.jwt]) {
      expect((await list(token, 'leads')).status).toBe(401);
      expect((await list(token, 'leads', {}, { baseUrl: other })).status).toBe(401);
    }
    const refreshed = await call('/api/auth/refresh', { body: { refreshToken: body.data.refreshToken } });
    expect(refreshed.status).toBe(401);
    const login = () => call('/api/auth/login', { body: { email: user.email, password: PASSWORD } });
    expect((await login()).status).toBe(401);

    await patch(admin, user, { status: 'active' });

    expect((await login()).status).toBe(200);
    expect((await list(user.token, 'leads')).status).toBe(401);
  });
});

describe('POST /api/admin/users', () => {
  it('makes a user who can log in, and audits it without the password', async () => {
    const email = newEmail();
    const memberships = [{ tenantId: acme.id, roles: ['SALES'] }];

    const made = await create(admin, { email: email.toUpperCase(), username: 'Ada', password: PASSWORD, memberships });

    expect(answered(made)).toEqual({
      status: 200,
      body: {
        code: '0',
        message: 'ok',
        data: {
          pid: expect.stringMatching(/^[0-9A-Z]{26}$/),
          userId: expect.stringMatching(/^\d+$/),
          email,
          username: 'Ada',
          status: 'active',
          memberships: [{ tenantId: acme.id, tenantName: acme.name, roles: ['SALES'] }],
          createdAt: expect.stringMatching(/Z$/),
        },
      },
    });
    expect((await call('/api/auth/login', { body: { email, password: PASSWORD } })).body.data.tenantId).toBe(acme.id);
    expect(await auditOf(made.body.data.pid)).toEqual([
      {
        action: 'user.create',
        actor: { userPid: admin.pid, username: admin.email },
        before: null,
        after: { email, username: 'Ada', status: 'active', memberships },
      },
    ]);
  });

  it('answers 409 CONFLICT, reason UNIQUE, for an e-mail that somebody has', async () => {
    const body = { email: admin.email, username: 'x', memberships: [{ tenantId: acme.id, roles: [] }] };

    expect(answered(await create(admin, body))).toEqual({
      status: 409,
      body: {
        code: 'CONFLICT',
        message: 'The value is taken',
        data: { reason: 'UNIQUE', fieldErrors: { email: 'is taken' } },
      },
    });
  });

  it('answers 400 VALIDATION_ERROR with every field that is wrong', async () => {
    const memberships = [{ tenantId: acme.id, roles: [] }];
    const good = { email: newEmail(), username: 'x', memberships };
    const noPlaces = { memberships: 'must be an array of one or more {tenantId, roles}' };
    for (const [body, errors] of [
      [{}, { email: 'is required', username: 'is required', ...noPlaces }],
      [
        { ...good, email: 'no e-mail', username: 7 },
        { email: 'must be an e-mail', username: 'must be a text' },
      ],
      [{ ...good, password: `long enough\0` }, { password: 'must not contain NUL or ill-formed Unicode' }],
      [{ ...good, password: 'short' }, { password: 'must have 12 to 128 characters' }],
      [{ ...good, role: 'ADMIN' }, { role: 'is not known here; known are email, username, memberships, password' }],
      [{ ...good, memberships: [] }, noPlaces],
      [{ ...good, memberships: [...memberships, ...memberships] }, { memberships: 'must name each tenant once' }],
      [{ ...good, memberships: [{ tenantId: acme.id, roles: ['scope:*'] }] }, noPlaces],
      [
        { ...good, memberships: [{ tenantId: acme.id, roles: ['NO_SUCH_ROLE'] }] },
        { memberships: 'there is no role NO_SUCH_ROLE' },
      ],
    ]) {
      expect(fieldErrors(await create(admin, body))).toEqual({ status: 400, errors });
    }
    const nowhere = { ...good, memberships: [{ tenantId: '999999999', roles: [] }] };
    expect(fieldErrors(await create(platformAdmin, nowhere))).toEqual({
      status: 400,
      errors: { memberships: 'there is no tenant 999999999' },
    });
  });

  it('sends who has no password an e-mail to choose one', async () => {
    const email = newEmail();
    await create(admin, { email, username: 'Ada', memberships: [{ tenantId: acme.id, roles: [] }] });

    const { body } = await call('/api/admin/mail-outbox', { token: platformAdmin.token });

    const mail = (body.data as { to: string; text: string }[]).find(({ to }) => to === email);
    const token = /klp_[0-9a-f]{64}/.exec(mail?.text ?? '')?.[0];
    const confirmed = await call('/api/auth/password-reset/confirm', { body: { token, newPassword: PASSWORD } });
    expect(confirmed.status).toBe(200);
    expect((await call('/api/auth/login', { body: { email, password: PASSWORD } })).status).toBe(200);
  });
});

describe('nobody hands on more than they have', () => {
  const place = (roles: string[], tenant = acme) => [{ tenantId: tenant.id, roles }];
  const newcomer = (roles: string[], tenant = acme) => ({
    email: newEmail(),
    username: 'x',
    password: PASSWORD,
    memberships: place(roles, tenant),
  });

  it('PLATFORM_ADMIN comes from PLATFORM_ADMIN only', async () => {
    const user = await newUser(['SALES'], acme);

    expect(answered(await create(admin, newcomer(['PLATFORM_ADMIN'])))).toEqual(forbidden('admin:users'));
    expect(answered(await patch(admin, user, { memberships: place(['PLATFORM_ADMIN']) }))).toEqual(
      forbidden('admin:users'),
    );
    expect((await create(platformAdmin, newcomer(['PLATFORM_ADMIN']))).status).toBe(200);
  });

  it('an ADMIN cannot touch a PLATFORM_ADMIN in the own tenant', async () => {
    const boss = await newUser(['PLATFORM_ADMIN'], acme);

    for (const body of [{ memberships: [] }, { status: 'disabled' }, { username: 'x' }]) {
      expect(answered(await patch(admin, boss, body))).toEqual(forbidden('admin:users'));
    }
    const reset = await call(`/api/admin/users/${boss.pid}/reset`, { method: 'POST', token: admin.token });
    expect(answered(reset)).toEqual(forbidden('admin:users'));
    expect((await list(boss.token, 'leads')).status).toBe(200);
  });

  it('a role may be given by whoever has all of its codes, in every environment', async () => {
    const manager = await newRoleEverywhere(['user:manage', 'record:read:*']);
    const reader = await newRoleEverywhere(['record:read:lead']);
    const writer = await newRoleEverywhere(['command:execute:*']);
    const sneaky = newCode().toUpperCase();
    await save('dev', roleDraft(sneaky, ['record:read:lead']));
    await save('prod', roleDraft(sneaky, ['command:execute:*']));
    const user = await newUser([manager], acme);

    expect((await create(user, newcomer([reader]))).status).toBe(200);
    for (const role of [writer, 'ADMIN', sneaky]) {
      expect(answered(await create(user, newcomer([role])))).toEqual(forbidden('admin:users'));
    }
    expect(answered(await patch(user, admin, { memberships: [] }))).toEqual(forbidden('admin:users'));
  });

  it('a code that somebody has in dev alone is none here: accounts reach into every environment', async () => {
    const user = await newUser([await newRoleEverywhere(['*'], ['dev'])], acme);

    expect(answered(await call('/api/admin/users', { token: user.token }))).toEqual(forbidden('user:manage'));
  });

  it('nobody changes their own status or roles', async () => {
    for (const body of [{ status: 'disabled' }, { memberships: place(['ADMIN']) }]) {
      expect(answered(await patch(admin, admin, body))).toEqual({
        status: 409,
        body: { code: 'CONFLICT', message: 'Nobody changes their own status or roles', data: { reason: 'SELF' } },
      });
    }
    expect((await patch(admin, admin, { username: 'Ada' })).body.data.username).toBe('Ada');
  });
});

describe('with user:manage alone', () => {
  it('an administrator sees the members of the own tenant, and of them what belongs to it', async () => {
    const both = await newUser(['SALES'], acme, globex);
    const stranger = await newUser(['SALES'], globex);

    const { body } = await call('/api/admin/users?pageSize=500', { token: admin.token });

    expect(body.data.total).toBe(2);
    expect(body.data.records.map(({ pid }: { pid: string }) => pid).sort()).toEqual([admin.pid, both.pid].sort());
    const one = await call(`/api/admin/users/${both.pid}`, { token: admin.token });
    expect(one.body.data.memberships).toEqual([{ tenantId: acme.id, tenantName: acme.name, roles: ['SALES'] }]);
    for (const options of [{}, { method: 'PATCH', body: { username: 'x' } }] as CallOptions[]) {
      const { status } = await call(`/api/admin/users/${stranger.pid}`, { ...options, token: admin.token });
      expect(status).toBe(404);
    }
  });

  it('what is not of the own tenant alone needs admin:users', async () => {
    const both = await newUser(['SALES'], acme, globex);

    for (const body of [
      { status: 'disabled' },
      { username: 'x' },
      { memberships: [{ tenantId: globex.id, roles: [] }] },
    ]) {
      expect(answered(await patch(admin, both, body))).toEqual(forbidden('admin:users'));
    }
    const reset = await call(`/api/admin/users/${both.pid}/reset`, { method: 'POST', token: admin.token });
    expect(answered(reset)).toEqual(forbidden('admin:users'));
    expect((await patch(platformAdmin, both, { status: 'disabled' })).status).toBe(200);
  });

  it('changing the own tenant leaves other memberships as they are', async () => {
    const both = await newUser(['SALES'], acme, globex);

    await patch(admin, both, { memberships: [{ tenantId: acme.id, roles: ['VIEWER'] }] });

    const { body } = await call(`/api/admin/users/${both.pid}`, { token: platformAdmin.token });
    expect(body.data.memberships).toEqual([
      { tenantId: acme.id, tenantName: acme.name, roles: ['VIEWER'] },
      { tenantId: globex.id, tenantName: globex.name, roles: ['SALES'] },
    ]);
  });
});

describe('GET /api/admin/users', () => {
  it('lists by pages, and finds by tenant, status and keyword', async () => {
    const names = ['Ada 100%', 'Bob', 'Cem'];
    for (const username of names) {
      const memberships = [{ tenantId: globex.id, roles: [] }];
      await create(platformAdmin, { email: newEmail(), username, password: PASSWORD, memberships });
    }
    const find = async (query: string): Promise<unknown> => {
      const { body } = await call(`/api/admin/users?tenantId=${globex.id}&${query}`, { token: platformAdmin.token });
      return { total: body.data.total, names: body.data.records.map(({ username }: { username: string }) => username) };
    };

    expect(await find('pageSize=2')).toEqual({ total: 3, names: names.slice(0, 2) });
    expect(await find('pageSize=2&pageNum=2')).toEqual({ total: 3, names: names.slice(2) });
    expect(await find('keyword=bO')).toEqual({ total: 1, names: ['Bob'] });
    expect(await find('keyword=100%25')).toEqual({ total: 1, names: ['Ada 100%'] });
    expect(await find('keyword=_')).toEqual({ total: 0, names: [] });
    expect(await find('status=disabled')).toEqual({ total: 0, names: [] });
  });

  it('answers 400 VALIDATION_ERROR for what it cannot look for', async () => {
    const { status, body } = await call('/api/admin/users?status=x&tenantId=y&pageSize=501&keyword=a&keyword=b', {
      token: platformAdmin.token,
    });

    expect([status, Object.keys(body.data.fieldErrors as object).sort()]).toEqual([
      400,
      ['keyword', 'pageSize', 'status', 'tenantId'],
    ]);
  });
});

describe('POST /api/admin/users/{pid}/reset', () => {
  it('takes the password and every session, and sends an e-mail; the password does not work any more', async () => {
    const user = await newUser(['SALES'], acme);

    const { status } = await call(`/api/admin/users/${user.pid}/reset`, { method: 'POST', token: admin.token });

    expect(status).toBe(200);
    expect((await list(user.token, 'leads', {}, { baseUrl: other })).status).toBe(401);
    expect((await call('/api/auth/login', { body: { email: user.email, password: PASSWORD } })).status).toBe(401);
    const { body } = await call('/api/admin/mail-outbox', { token: platformAdmin.token });
    expect((body.data as { to: string }[]).map(({ to }) => to)).toContain(user.email);
    expect((await auditOf(user.pid)).map(({ action }) => action)).toEqual(['user.reset']);
  });
});

describe('GET /api/admin/roles', () => {
  it("gives the built-in roles and the environment's PERMISSION resources, and which of them the asker may give", async () => {
    const code = newCode().toUpperCase();
    await save('dev', roleDraft(code, ['record:read:lead'], 'A role'));
    const roles = async (options: CallOptions = {}): Promise<{ code: string }[]> =>
      (await call('/api/admin/roles', { token: admin.token, ...options })).body.data;

    const here = await roles();

    expect(here).toContainEqual({
      code: 'PLATFORM_ADMIN',
      name: 'PLATFORM_ADMIN',
      builtIn: true,
      codes: ['*', 'admin:*'],
      grantable: false,
    });
    expect(here).toContainEqual({ code: 'ADMIN', name: 'ADMIN', builtIn: true, codes: ['*'], grantable: true });
    expect(here).toContainEqual({ code, name: 'A role', builtIn: false, codes: ['record:read:lead'], grantable: true });
    const elsewhere = await roles({ headers: { 'x-environment': 'staging' } });
    expect(elsewhere.map((role) => role.code)).not.toContain(code);
  });
});
