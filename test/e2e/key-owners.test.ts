import { call, list, type Answered } from '../support/api.ts';
import { newAccount, newKey, postKey, SERVICE_ACCOUNTS } from '../support/keys.ts';
import { newCode, roleDraft, save } from '../support/models.ts';
import { anotherNode } from '../support/nodes.ts';
import { runSql } from '../support/platform.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';
import { ENVIRONMENTS } from '../../src/foundation/config/environments.ts';

const INACTIVE = 'The API key is suspended: its owner is no active user of this tenant';
const DEMOTED = 'The API key is suspended: its owner may no longer grant its scopes';

let acme: TestTenant;
let boss: TestUser;
let maker: TestUser;
let other: string;

beforeAll(async () => {
  other = await anotherNode();
});
beforeEach(async () => {
  acme = await newTenant();
  [boss, maker] = await Promise.all([newUser(['PLATFORM_ADMIN'], acme), newUser(['ADMIN'], acme)]);
});

const answered = ({ status, body }: Answered) => ({ status, body });
const forbidden = (permission: string) => ({
  status: 403,
  body: { code: 'FORBIDDEN', message: 'Permission denied', data: { permission } },
});
const suspended = (message: string) => ({ status: 401, body: { code: 'UNAUTHORIZED', message, data: null } });
const patch = ({ pid }: TestUser, body: object, by = boss) =>
  call(`/api/admin/users/${pid}`, { method: 'PATCH', token: by.token, body });
const roles = (...codes: string[]) => ({ memberships: [{ tenantId: acme.id, roles: codes }] });
const read = (key: string, baseUrl?: string) => list(key, 'leads', {}, { ...(baseUrl && { baseUrl }) });
const adopt = (accountPid: string, { token }: TestUser) =>
  call(`${SERVICE_ACCOUNTS}/${accountPid}/adopt`, { method: 'POST', token });
const keysOf = async (accountPid: string) =>
  (await call(`${SERVICE_ACCOUNTS}/${accountPid}`, { token: boss.token })).body.data.keys;

/** A manager of service accounts with these codes, the same in all environments. */
async function newManager(...codes: string[]): Promise<TestUser> {
  const role = newCode().toUpperCase();
  for (const environment of ENVIRONMENTS) {
    await save(environment, roleDraft(role, ['service_account:manage', ...codes]));
  }
  return newUser([role], acme);
}

describe('a manager of service accounts', () => {
  it('does not touch an account whose keys grant more than the manager has', async () => {
    const weak = await newManager('record:read:lead');
    const { accountPid, pid, key } = await newKey(maker, ['record:read:*', 'user:manage']);
    const path = `${SERVICE_ACCOUNTS}/${accountPid}`;

    for (const refused of [
      await postKey(weak, accountPid, { scopes: ['record:read:lead'] }),
      await call(path, { method: 'DELETE', token: weak.token }),
      await call(`${path}/keys/${pid}`, { method: 'DELETE', token: weak.token }),
      await adopt(accountPid, weak),
    ]) {
      expect(answered(refused)).toEqual(forbidden('record:read:*'));
    }
    expect((await read(key)).status).toBe(200);

    const own = await newAccount(weak);
    expect((await postKey(weak, own, { scopes: ['record:read:lead'] })).status).toBe(200);
    expect((await call(`${SERVICE_ACCOUNTS}/${own}`, { method: 'DELETE', token: weak.token })).status).toBe(200);
  });
});

describe('an API key', () => {
  it('is suspended at once, on all nodes, while its owner is disabled, and shown as such', async () => {
    const { accountPid, key } = await newKey(maker, ['record:read:*']);
    for (const baseUrl of [undefined, other]) expect((await read(key, baseUrl)).status).toBe(200);
    expect(await keysOf(accountPid)).toMatchObject([{ createdBy: maker.pid, ownedBy: maker.pid, suspended: null }]);

    await patch(maker, { status: 'disabled' });

    for (const baseUrl of [undefined, other]) expect(answered(await read(key, baseUrl))).toEqual(suspended(INACTIVE));
    expect(await keysOf(accountPid)).toMatchObject([{ ownedBy: maker.pid, suspended: 'OWNER_INACTIVE' }]);

    await patch(maker, { status: 'active' });
    for (const baseUrl of [undefined, other]) expect((await read(key, baseUrl)).status).toBe(200);
  });

  it('is suspended while its owner may no longer grant what it has, or manage keys at all', async () => {
    const { accountPid, key } = await newKey(maker, ['record:read:*', 'user:manage']);
    const reader = newCode().toUpperCase();
    const manager = newCode().toUpperCase();
    await save('dev', roleDraft(reader, ['record:read:*', 'user:manage']));
    await save('dev', roleDraft(manager, ['record:read:*', 'service_account:manage']));

    for (const demoted of [[reader], [manager], []]) {
      await patch(maker, roles(...demoted));
      expect(answered(await read(key))).toEqual(suspended(DEMOTED));
      expect(await keysOf(accountPid)).toMatchObject([{ suspended: 'OWNER_DEMOTED' }]);
    }
    await patch(maker, roles(reader, manager));
    expect((await read(key)).status).toBe(200);
    await save('dev', roleDraft(manager, ['record:read:*']));
    expect(answered(await read(key))).toEqual(suspended(DEMOTED));
    await patch(maker, { memberships: [] });
    expect(answered(await read(key))).toEqual(suspended(INACTIVE));
  });

  it('makes keys and users no more once the person behind it is demoted', async () => {
    const { accountPid, key } = await newKey(maker, ['*']);
    await patch(maker, roles('VIEWER'));

    const memberships = [{ tenantId: acme.id, roles: ['ADMIN'] }];
    const body = { email: `${newCode()}@test.example`, username: 'x', memberships };
    expect(answered(await call('/api/admin/users', { token: key, body }))).toEqual(suspended(DEMOTED));
    const made = await call(`${SERVICE_ACCOUNTS}/${accountPid}/keys`, { token: key, body: { scopes: ['*'] } });
    expect(made.status).toBe(401);
  });

  it('goes on when another person adopts its account, who answers for it and its new keys from then on', async () => {
    const { accountPid, key } = await newKey(maker, ['record:read:*', 'service_account:manage']);
    await patch(maker, { status: 'disabled' });
    const second = await newUser(['ADMIN'], acme);

    const adopted = await adopt(accountPid, second);

    const shown = { createdBy: maker.pid, ownedBy: second.pid, suspended: null };
    expect(adopted).toMatchObject({ status: 200, body: { data: { pid: accountPid, keys: [shown] } } });
    for (const baseUrl of [undefined, other]) expect((await read(key, baseUrl)).status).toBe(200);
    const audited = await runSql(
      'select actor, action, before, after from platform.audit_entry where target_pid = $1 order by id',
      [accountPid],
    );
    expect(audited.at(-1)).toMatchObject({
      action: 'service-account.adopt',
      actor: { userPid: second.pid },
      before: { owners: [maker.pid] },
      after: { owner: second.pid },
    });
    const next = await call(`${SERVICE_ACCOUNTS}/${accountPid}/keys`, {
      token: key,
      body: { scopes: ['record:read:lead'] },
    });
    expect(next.body.data).toMatchObject({ createdBy: maker.pid, ownedBy: second.pid, suspended: null });
    await patch(second, { status: 'disabled' });
    for (const each of [key, next.body.data.key]) expect(answered(await read(each))).toEqual(suspended(INACTIVE));
  });
});
