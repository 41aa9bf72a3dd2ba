import { call, execute, list, type Answered } from '../support/api.ts';
import { until } from '../support/faults.ts';
import { newAccount, newKey as newKeyOf, postKey, SERVICE_ACCOUNTS as BASE } from '../support/keys.ts';
import { newCode, roleDraft, save } from '../support/models.ts';
import { anotherNode, nodeInside } from '../support/nodes.ts';
import { runSql } from '../support/platform.ts';
import { redisTrips } from '../support/round-trips.ts';
import { container, newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';
import { ENVIRONMENTS } from '../../src/foundation/config/environments.ts';

const UNAUTHORIZED = {
  status: 401,
  body: { code: 'UNAUTHORIZED', message: 'The token or API key is not valid, or has expired', data: null },
};

let acme: TestTenant;
let admin: TestUser;
let other: string;

beforeAll(async () => {
  other = await anotherNode();
});
beforeEach(async () => {
  acme = await newTenant();
  admin = await newUser(['ADMIN'], acme);
});

const answered = ({ status, body }: Answered) => ({ status, body });
const forbidden = (permission: string) => ({
  status: 403,
  body: { code: 'FORBIDDEN', message: 'Permission denied', data: { permission } },
});

const newKey = (scopes: string[], user = admin) => newKeyOf(user, scopes);

describe('an API key', () => {
  it('is a bearer token with the permissions of its scopes, on any node', async () => {
    const { key } = await newKey(['record:read:lead', 'command:execute:crm:*']);

    for (const baseUrl of [undefined, other]) {
      const options = { ...(baseUrl && { baseUrl }) };
      expect((await list(key, 'leads', {}, options)).status).toBe(200);
      expect(answered(await list(key, 'accounts', {}, options))).toEqual(forbidden('record:read:account'));
    }
    const created = await execute(key, 'crm:create_lead', { payload: { name: 'by a program' } });
    expect(created.status).toBe(200);
    expect((await list(admin.token, 'leads')).body.data.records[0].name).toBe('by a program');
  });

  it('belongs to one tenant', async () => {
    const { key } = await newKey(['*']);
    const elsewhere = await newTenant();

    const crossed = await list(key, 'leads', {}, { headers: { 'x-tenant-id': elsewhere.id } });
    expect([crossed.status, crossed.body.code]).toEqual([403, 'TENANT_FORBIDDEN']);
    const moved = key.replace(/^kls_\d+x/, `kls_${elsewhere.id}x`);
    expect(answered(await list(moved, 'leads'))).toEqual(UNAUTHORIZED);
  });

  it('costs one Redis round trip on a read, and its use is written down once a minute', async () => {
    const { accountPid, key } = await newKey(['record:read:*']);
    const baseUrl = await nodeInside();
    const { store } = await container();
    const read = async (): Promise<number> => {
      const before = redisTrips(store);
      // An exact total would be remembered in a second one, and forgotten with each change of the metadata.
      expect((await list(key, 'leads', { count: 'none' }, { baseUrl })).status).toBe(200);
      return redisTrips(store) - before;
    };
    const lastUsedAt = async (): Promise<string | null> =>
      (await call(`${BASE}/${accountPid}`, { token: admin.token })).body.data.keys[0].lastUsedAt;
    expect(await lastUsedAt()).toBeNull();

    // The node has work of its own at times.
    await until('two reads in a row cost one each', async () => (await read()) === 1 && (await read()) === 1);

    const first = await until('its use is written down', lastUsedAt);
    expect(Date.now() - Date.parse(first)).toBeLessThan(60_000);
    expect((await list(key, 'leads', {}, { baseUrl: other })).status).toBe(200);
    expect(await lastUsedAt()).toBe(first);
  });

  it('that is revoked is 401 at once, on all nodes', async () => {
    const { accountPid, pid, key } = await newKey(['record:read:*']);
    for (const baseUrl of [undefined, other]) {
      expect((await list(key, 'leads', {}, { ...(baseUrl && { baseUrl }) })).status).toBe(200);
    }

    const revoked = await call(`${BASE}/${accountPid}/keys/${pid}`, { method: 'DELETE', token: admin.token });

    expect(revoked.status).toBe(200);
    for (const baseUrl of [undefined, other]) {
      expect(answered(await list(key, 'leads', {}, { ...(baseUrl && { baseUrl }) }))).toEqual(UNAUTHORIZED);
    }
  });

  it('goes on when Redis has lost what it knew of it', async () => {
    const { key, prefix } = await newKey(['record:read:*']);
    expect((await list(key, 'leads')).status).toBe(200);
    const { store } = await container();

    const [lost] = await store.pipeline([['del', `keelson:api-key:${prefix.replace('kls_', '')}`]]);

    expect(lost).toBe(1);
    expect((await list(key, 'leads')).status).toBe(200);
  });

  it('of a deleted account is 401 at once, and so is one that has expired', async () => {
    const [deleted, expired] = [await newKey(['record:read:*']), await newKey(['record:read:*'])];
    expect((await list(deleted.key, 'leads')).status).toBe(200);
    await runSql(`update platform.api_key set expires_at = now() where pid = $1`, [expired.pid]);

    await call(`${BASE}/${deleted.accountPid}`, { method: 'DELETE', token: admin.token });

    for (const { key } of [deleted, expired]) expect(answered(await list(key, 'leads'))).toEqual(UNAUTHORIZED);
  });

  it('with one wrong character is 401, and nothing else', async () => {
    const { key } = await newKey(['record:read:*']);
    const last = key.endsWith('0') ? '1' : '0';

    for (const wrong of [
      `${key.slice(0, -1)}${last}`,
      `${key}0`,
      key.slice(0, -1),
      key.toUpperCase(),
      'kls_',
      'kls_1x_',
    ]) {
      expect({ wrong, ...answered(await list(wrong, 'leads')) }).toEqual({ wrong, ...UNAUTHORIZED });
    }
  });

  it('is refused in a suspended tenant', async () => {
    const { key } = await newKey(['record:read:*']);
    const boss = await newUser(['PLATFORM_ADMIN'], await newTenant());
    const [{ pid } = { pid: '' }] = await runSql<{ pid: string }>('select pid from platform.tenant where id = $1', [
      acme.id,
    ]);

    await call(`/api/admin/tenants/${pid}`, { method: 'PATCH', token: boss.token, body: { status: 'suspended' } });

    const { status, body } = await list(key, 'leads');
    expect([status, body.code]).toEqual([403, 'TENANT_FORBIDDEN']);
  });

  it('has no session, and so no account of its own to manage', async () => {
    const { key } = await newKey(['*']);

    for (const [method, path] of [
      ['POST', '/api/auth/logout'],
      ['POST', '/api/auth/logout-all'],
      ['GET', '/api/auth/sessions'],
      ['POST', '/api/auth/password'],
    ] as const) {
      expect([path, (await call(path, { method, token: key })).status]).toEqual([path, 401]);
    }
    const { body } = await call('/api/auth/me', { token: key });
    expect(body.data).toMatchObject({ tenantId: acme.id, email: null, roles: [], permissions: ['*'], tenants: [] });
  });

  it('counts as whoever made it where a second person is needed', async () => {
    const boss = await newUser(['PLATFORM_ADMIN'], acme);
    const { key } = await newKey(['admin:promotions'], boss);
    const body = { sourceEnvId: 1, targetEnvId: 3, units: '*' };

    const { body: made } = await call('/api/admin/promotions', { token: key, body });

    expect(made.data.createdBy).toBe(boss.pid);
    await call(`/api/admin/promotions/${made.data.pid}/cancel`, { token: boss.token, body: { reason: 'a test' } });
  });
});

describe('POST /api/admin/service-accounts/{pid}/keys', () => {
  it('shows the key once; afterwards its prefix tells which one it is', async () => {
    const accountPid = await newAccount(admin, 'importer');
    const { status, body } = await postKey(admin, accountPid, { scopes: ['record:read:*', 'record:read:*'] });
    expect(status).toBe(200);
    const { key, ...shown } = body.data;
    expect(shown).toEqual({
      pid: expect.stringMatching(/^[0-9A-Z]{26}$/),
      prefix: expect.stringMatching(new RegExp(`^kls_${acme.id}x[0-9a-f]{12}$`)),
      scopes: ['record:read:*'],
      createdBy: admin.pid,
      ownedBy: admin.pid,
      suspended: null,
      createdAt: expect.stringMatching(/Z$/),
      expiresAt: expect.stringMatching(/Z$/),
      lastUsedAt: null,
    });
    expect(key).toMatch(new RegExp(`^${shown.prefix}_[0-9a-f]{64}$`));
    expect(Math.round((Date.parse(shown.expiresAt) - Date.now()) / 86_400_000)).toBe(90);

    const listed = await call(BASE, { token: admin.token });

    expect(listed.body.data).toEqual({
      records: [
        {
          pid: accountPid,
          name: 'importer',
          tenantId: acme.id,
          createdBy: admin.pid,
          createdAt: expect.stringMatching(/Z$/),
          keys: [shown],
        },
      ],
      total: 1,
      pageNum: 1,
      pageSize: 10,
    });
    const stored = JSON.stringify(await runSql('select * from platform.api_key where pid = $1', [shown.pid]));
    expect(stored).not.toContain((key as string).split('_')[2]);
    const audited = await runSql<{ action: string; after: unknown }>(
      'select action, after from platform.audit_entry where target_pid = $1 order by id',
      [accountPid],
    );
    expect(audited.map(({ action }) => action)).toEqual(['service-account.create', 'service-account.key-create']);
    expect(JSON.stringify(audited)).not.toContain((key as string).split('_')[2]);
  });

  it('gives no scope that its maker does not have in every environment', async () => {
    const [role, onlyDev] = [newCode().toUpperCase(), newCode().toUpperCase()];
    const codes = ['service_account:manage', 'record:read:lead', 'datasource:read:*'];
    for (const environment of ENVIRONMENTS) await save(environment, roleDraft(role, codes));
    await save('dev', roleDraft(onlyDev, ['record:read:account']));
    const user = await newUser([role, onlyDev], acme);
    const accountPid = await newAccount(user);

    for (const scope of ['record:read:account', 'record:read:*', '*', 'user:manage', 'admin:users']) {
      expect(answered(await postKey(user, accountPid, { scopes: ['record:read:lead', scope] }))).toEqual(
        forbidden(scope),
      );
    }
    expect(
      (await postKey(user, accountPid, { scopes: ['record:read:lead', 'datasource:read:open_leads'] })).status,
    ).toBe(200);
  });

  it('gives admin: codes only to PLATFORM_ADMIN, and only by name', async () => {
    const boss = await newUser(['PLATFORM_ADMIN'], acme);
    expect(answered(await postKey(admin, await newAccount(admin), { scopes: ['admin:users'] }))).toEqual(
      forbidden('admin:users'),
    );
    const [everything, users] = [await newKey(['*'], boss), await newKey(['admin:users'], boss)];

    const tenantsFor = async (token: string) => answered(await call('/api/admin/tenants', { token }));

    expect(await tenantsFor(everything.key)).toEqual(forbidden('admin:users'));
    expect((await tenantsFor(users.key)).status).toBe(200);
    expect((await call('/api/admin/environments', { token: users.key })).status).toBe(403);
  });

  it('refuses permission codes that protect nothing in any environment', async () => {
    const made = newCode();
    const { status, body } = await postKey(admin, await newAccount(admin), {
      scopes: ['record:read:lead', 'foo', 'record:reed:lead', `record:read:${made}`, 'datasource:*', 'admin:user'],
    });

    expect([status, body.data.fieldErrors]).toEqual([
      400,
      {
        'scopes.1': 'foo protects nothing',
        'scopes.2': 'record:reed:lead protects nothing; did you mean record:read:lead?',
        'scopes.3': expect.stringMatching(`^record:read:${made} protects nothing`),
        'scopes.5': 'admin:user protects nothing; did you mean admin:users?',
      },
    ]);
  });

  it('answers 400 VALIDATION_ERROR with every field that is wrong', async () => {
    const accountPid = await newAccount(admin);
    const scopes = ['record:read:*'];
    const noScopes = { scopes: 'must be an array of 1 to 100 permission codes' };
    const noTime = { expiresAt: 'must be an ISO 8601 time within the next 366 days' };
    for (const [body, errors] of [
      [{}, noScopes],
      [{ scopes: [] }, noScopes],
      [{ scopes: ['Record Read'] }, noScopes],
      [{ scopes: [7] }, noScopes],
      [{ scopes, expiresAt: '2020-01-01' }, noTime],
      [{ scopes, expiresAt: 'soon' }, noTime],
      [{ scopes, expiresAt: new Date(Date.now() + 400 * 86_400_000).toISOString() }, noTime],
      [{ scopes, name: 'x' }, { name: 'is not known here; known are scopes, expiresAt' }],
    ]) {
      const { status, body: envelope } = await postKey(admin, accountPid, body);
      expect({ body, status, errors: envelope.data?.fieldErrors }).toEqual({ body, status: 400, errors });
    }
  });
});

describe('/api/admin/service-accounts', () => {
  it('are those of the own tenant', async () => {
    const { accountPid, pid } = await newKey(['record:read:*']);
    const stranger = await newUser(['ADMIN'], await newTenant());

    expect((await call(BASE, { token: stranger.token })).body.data.total).toBe(0);
    for (const [method, path] of [
      ['GET', accountPid],
      ['DELETE', accountPid],
      ['POST', `${accountPid}/keys`],
      ['DELETE', `${accountPid}/keys/${pid}`],
    ] as const) {
      const body = method === 'POST' ? { body: { scopes: ['record:read:*'] } } : {};
      const { status } = await call(`${BASE}/${path}`, { method, token: stranger.token, ...body });
      expect([method, path, status]).toEqual([method, path, 404]);
    }
  });

  it('have a name of their own within the tenant', async () => {
    await newAccount(admin, 'importer');

    const { status, body } = await call(BASE, { token: admin.token, body: { name: 'importer' } });

    expect([status, body.data]).toEqual([409, { reason: 'UNIQUE', fieldErrors: { name: 'is taken' } }]);
    const stranger = await newUser(['ADMIN'], await newTenant());
    expect((await call(BASE, { token: stranger.token, body: { name: 'importer' } })).status).toBe(200);
  });

  it('share no id with a user: what counts by id, such as idempotency keys, tells them apart', async () => {
    await newKey(['record:read:*']);
    const shared = await runSql('select a.id from platform.service_account a join platform."user" u on u.id = a.id');

    expect(shared).toEqual([]);
  });
});
