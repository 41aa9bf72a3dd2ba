import { call, execute, list } from '../support/api.ts';
import { newKey } from '../support/keys.ts';
import { newCode, roleDraft, save } from '../support/models.ts';
import { startOwnNode } from '../support/own-node.ts';
import { Receiver } from '../support/receiver.ts';
import { auditedOf, createSubscription, webhooks } from '../support/webhook-api.ts';
import { attemptsOf, deliveriesOf, ended, subscribe, waiting } from '../support/webhooks.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

let tenant: TestTenant;
let boss: TestUser;
let maker: TestUser;
let receiver: Receiver;

beforeAll(async () => {
  await startOwnNode('hookowners');
});
beforeEach(async () => {
  tenant = await newTenant();
  [boss, maker] = await Promise.all([newUser(['ADMIN'], tenant), newUser(['ADMIN'], tenant)]);
  receiver = await Receiver.start();
});

const create = (name = 'Ada') => execute(boss.token, 'crm:create_lead', { payload: { name } });
const patch = ({ pid }: TestUser, body: object, by = boss) =>
  call(`/api/admin/users/${pid}`, { method: 'PATCH', token: by.token, body });
const roles = (...codes: string[]) => ({ memberships: [{ tenantId: tenant.id, roles: codes }] });
const shown = async (pid: string) => (await webhooks(boss, `/${pid}`)).body.data;

describe('a subscription', () => {
  it('is paused while its owner is disabled: no event is matched, and the list says why', async () => {
    const [paused, control] = [
      await subscribe(tenant, maker, receiver.url),
      await subscribe(tenant, boss, receiver.url),
    ];
    await create('before');
    await ended(paused);
    expect(await shown(paused)).toMatchObject({ paused: null, ownedBy: maker.pid, enabled: true });

    await patch(maker, { status: 'disabled' });
    await create('meanwhile');

    await receiver.have(3);
    expect((await ended(control)).status).toBe('SUCCEEDED');
    expect(await deliveriesOf(paused)).toHaveLength(1);
    expect(await shown(paused)).toMatchObject({ paused: 'OWNER_INACTIVE', enabled: true });
    const { records } = (await webhooks(boss)).body.data;
    expect(records.map(({ paused: why }: { paused: unknown }) => why).sort()).toEqual(['OWNER_INACTIVE', null]);

    await patch(maker, { status: 'active' });
    await create('after');
    await receiver.have(5);
    expect(await deliveriesOf(paused)).toHaveLength(2);
  });

  it('is paused while its owner may no longer grant what it reads with, also for retries under way', async () => {
    receiver.answer = () => ({ status: 500 });
    const pid = await subscribe(tenant, maker, receiver.url, { retryScheduleMs: [1_500] });
    await create();
    const { pid: delivery } = await waiting(pid);
    const role = newCode().toUpperCase();
    await save('dev', roleDraft(role, ['webhook:manage', 'record:read:*']));

    await patch(maker, roles(role));

    expect(await shown(pid)).toMatchObject({ paused: 'OWNER_DEMOTED' });
    expect((await ended(pid)).status).toBe('CANCELLED');
    expect(await attemptsOf(delivery)).toMatchObject([
      { statusCode: 500 },
      { statusCode: null, errorClass: 'blocked' },
    ]);
    expect(receiver.received).toHaveLength(1);
  });

  it('goes on as the person who adopts it, who has to be allowed to read what it hears of', async () => {
    const { pid } = await createSubscription(maker, { targetUrl: receiver.url });
    const weak = newCode().toUpperCase();
    await save('dev', roleDraft(weak, ['webhook:manage']));
    const stranger = await newUser([weak], tenant);
    await patch(maker, { status: 'disabled' });

    const refused = await webhooks(stranger, `/${pid}/adopt`, { method: 'POST' });
    expect(refused).toMatchObject({ status: 403, body: { data: { permission: 'record:read:lead' } } });
    const adopted = await webhooks(boss, `/${pid}/adopt`, { method: 'POST' });

    expect(adopted).toMatchObject({
      status: 200,
      body: { data: { ownedBy: boss.pid, createdBy: boss.pid, paused: null } },
    });
    await create('adopted');
    await receiver.have(1);
    expect((await auditedOf(pid)).at(-1)).toMatchObject({
      action: 'webhook.adopt',
      before: { owner: maker.pid },
      after: { owner: boss.pid, roles: ['ADMIN'] },
    });
  });

  it('that a program has made needs the rights of the owner of its key', async () => {
    const { key } = await newKey(maker, ['webhook:manage', 'record:read:*']);
    const { pid } = await createSubscription({ ...maker, token: key });
    expect(await shown(pid)).toMatchObject({ ownedBy: maker.pid, paused: null });

    await patch(maker, roles());

    expect(await shown(pid)).toMatchObject({ paused: 'OWNER_DEMOTED' });
  });
});

describe('PATCH /api/admin/users/{pid}', () => {
  it('names what a disabled person leaves behind', async () => {
    const { accountPid, key } = await newKey(maker, ['record:read:*']);
    const { pid, name } = await createSubscription(maker);
    expect((await patch(maker, { username: 'Ada' })).body.data.leftBehind).toEqual([]);

    const { body } = await patch(maker, { status: 'disabled' });

    const common = { tenantId: tenant.id, adopted: false };
    expect(body.data.leftBehind).toEqual([
      { ...common, kind: 'service-account', pid: accountPid, name: expect.any(String), environment: null },
      { ...common, kind: 'webhook', pid, name, environment: 'dev' },
    ]);
    expect((await list(key, 'leads')).status).toBe(401);
  });

  it('has the caller adopt it in the same call, as far as the caller may grant it', async () => {
    const platformAdmin = await newUser(['PLATFORM_ADMIN'], tenant);
    const [plain, strong] = [await newKey(maker, ['record:read:*']), await newKey(platformAdmin, ['admin:metadata'])];
    const { pid } = await createSubscription(maker);

    const { body } = await patch(maker, { status: 'disabled', adopt: true });

    expect(body.data.leftBehind).toMatchObject([
      { kind: 'service-account', pid: plain.accountPid, adopted: true },
      { kind: 'webhook', pid, adopted: true },
    ]);
    expect((await list(plain.key, 'leads')).status).toBe(200);
    expect(await shown(pid)).toMatchObject({ ownedBy: boss.pid, paused: null });

    const second = await newUser(['PLATFORM_ADMIN'], await newTenant());
    const other = await patch(platformAdmin, { status: 'disabled', adopt: true }, second);
    expect(other.body.data.leftBehind).toMatchObject([{ pid: strong.accountPid, adopted: false }]);
  });
});
