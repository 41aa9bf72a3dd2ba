import { execute } from '../support/api.ts';
import { insert, newModel, newRole } from '../support/models.ts';
import { startOwnNode } from '../support/own-node.ts';
import { Receiver } from '../support/receiver.ts';
import { webhooks } from '../support/webhook-api.ts';
import { attemptsOf, deliveriesOf, deliveriesOnce, ended, subscribe, waiting } from '../support/webhooks.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

/** A delay that no test waits for. */
const NEVER = [600_000];
const CREDENTIALS = { secret: 'the former secret', headers: { Authorization: 'Bearer former', 'X-Region': 'eu' } };

let tenant: TestTenant;
let admin: TestUser;
let former: Receiver;
let other: Receiver;

beforeAll(async () => {
  await startOwnNode('hookowner');
});
beforeEach(async () => {
  tenant = await newTenant();
  admin = await newUser(['ADMIN'], tenant);
  former = await Receiver.start();
  other = await Receiver.start();
});

const create = (payload: object = { name: 'Ada', score: 7 }) => execute(admin.token, 'crm:create_lead', { payload });
const patch = (pid: string, body: object, user = admin) => webhooks(user, `/${pid}`, { method: 'PATCH', body });
const resend = (pid: string) => webhooks(admin, `/deliveries/${pid}/resend`, { body: {} });
const recover = (pid: string) =>
  webhooks(admin, `/${pid}/recover`, { body: { since: '2020-01-01T00:00:00Z', until: new Date().toISOString() } });
const payloads = ({ received }: Receiver) =>
  received.map(({ body }) => (JSON.parse(body) as { payload: Record<string, unknown> }).payload);

describe('PATCH /api/webhooks/{pid} with a targetUrl of another origin', () => {
  it('drops the stored headers and makes a new secret, which it answers once', async () => {
    const pid = await subscribe(tenant, admin, former.url, CREDENTIALS);

    const { body } = await patch(pid, { targetUrl: other.url });

    expect(body.data).toMatchObject({ headers: {}, hasSecret: true, secret: expect.stringMatching(/^whsec_/) });
    expect(body.data.warnings).toContain('The stored headers and secret belong to the former address and are removed');
    expect((await webhooks(admin, `/${pid}`)).body.data).not.toHaveProperty('secret');
    await create();
    const [request] = await other.have(1);
    expect(request?.headers).not.toHaveProperty('authorization');
    expect(request?.headers).not.toHaveProperty('x-region');
    expect(request?.headers['webhook-signature']).toMatch(/^v1,\S+$/);
  });

  it('keeps what is given with it', async () => {
    const pid = await subscribe(tenant, admin, former.url, CREDENTIALS);
    const headers = { Authorization: 'Bearer mine' };

    const { body } = await patch(pid, { targetUrl: other.url, headers, secret: null });

    expect(body.data).toMatchObject({ headers: { Authorization: '***' }, hasSecret: false });
    expect(body.data).not.toHaveProperty('secret');
    await create();
    expect((await other.have(1))[0]?.headers).toMatchObject({ authorization: 'Bearer mine' });
  });

  it('refuses *** for a header: the stored value belongs to the former address', async () => {
    const pid = await subscribe(tenant, admin, former.url, CREDENTIALS);

    const { body } = await patch(pid, { targetUrl: other.url, headers: { Authorization: '***' } });

    expect(body.data.fieldErrors).toEqual({ headers: 'Authorization has no stored value that *** could stand for' });
  });

  it('keeps everything for another path of the same origin', async () => {
    const pid = await subscribe(tenant, admin, former.url, CREDENTIALS);

    const { body } = await patch(pid, { targetUrl: former.urlOf('moved') });

    expect(body.data).toMatchObject({ headers: { Authorization: '***', 'X-Region': 'eu' }, hasSecret: true });
    expect(body.data).not.toHaveProperty('secret');
    await create();
    expect((await former.have(1))[0]?.headers).toMatchObject({ authorization: 'Bearer former' });
  });

  it('cancels retries under way, and recovers them to the new address', async () => {
    former.answer = () => ({ status: 500 });
    const pid = await subscribe(tenant, admin, former.url, { ...CREDENTIALS, retryScheduleMs: NEVER });
    await create();
    const { pid: deliveryPid } = await waiting(pid);

    await patch(pid, { targetUrl: other.url });

    expect(await deliveriesOf(pid)).toMatchObject([{ status: 'CANCELLED', reason: 'sent to another address before' }]);
    expect(await attemptsOf(deliveryPid)).toHaveLength(1);
    expect((await recover(pid)).status).toBe(202);
    expect((await other.have(1))[0]?.headers).not.toHaveProperty('authorization');
  });
});

describe('after a change of owner', () => {
  /** A user who manages webhooks and reads leads without `lead.score`. */
  const successor = async () =>
    newUser([await newRole(['webhook:manage', 'record:read:lead', 'command:execute:crm:create_lead'])], tenant);

  it('resend sends what the present owner may see', async () => {
    const pid = await subscribe(tenant, admin, former.url);
    await create();
    const { pid: deliveryPid } = await ended(pid);

    await patch(pid, { name: 'taken over' }, await successor());
    await resend(deliveryPid);

    await former.have(2);
    expect(payloads(former)).toEqual([{ name: 'Ada', score: 7 }, { name: 'Ada' }]);
    await deliveriesOnce(pid, 1);
    const { body } = await webhooks(admin, `/deliveries/${deliveryPid}`);
    expect(JSON.parse(body.data.body)).toMatchObject({ payload: { name: 'Ada' } });
    expect(body.data.body).toBe(former.received[1]?.body);
  });

  it('so do recover and a retry', async () => {
    former.answer = (_request, index) => ({ status: index < 2 ? 500 : 200 });
    const failing = await subscribe(tenant, admin, former.urlOf('failing'), { maxRetries: 0 });
    const retrying = await subscribe(tenant, admin, former.urlOf('retrying'), { retryScheduleMs: [1_500] });
    await create();
    await ended(failing);
    await former.have(2);
    const user = await successor();

    await patch(failing, { name: 'taken over' }, user);
    await patch(retrying, { name: 'taken over' }, user);
    await recover(failing);

    await former.have(4);
    expect(payloads(former).slice(2)).toEqual([{ name: 'Ada' }, { name: 'Ada' }]);
  });

  it('a wider right of the present owner shows more, too', async () => {
    const role = await newRole(['webhook:manage', 'record:read:lead', 'command:execute:crm:create_lead']);
    const pid = await subscribe(tenant, admin, former.url, { roles: [role] });
    await create();
    const { pid: deliveryPid } = await ended(pid);

    await patch(pid, { name: 'taken over' });
    await resend(deliveryPid);

    await former.have(2);
    expect(payloads(former)).toEqual([{ name: 'Ada' }, { name: 'Ada', score: 7 }]);
  });

  it('nothing is sent of a record that a row rule hides from them', async () => {
    const rule = {
      name: 'Own',
      conditions: [{ fieldName: 'created_by', operator: 'eq' as const, value: '$user.pid' }],
    };
    const model = await newModel({
      fields: [{ code: 'name', name: 'Name', type: 'string' }],
      rowRules: [{ ...rule, unless: 'record:read_all:t' }],
    });
    const pid = await subscribe(tenant, admin, former.url, { eventType: model.command });
    await execute(admin.token, model.command, { operationType: 'CREATE', payload: { name: 'secret' } });
    const { pid: deliveryPid } = await ended(pid);
    await insert(tenant, model.code, [{ name: 'another' }]);
    const user = await newUser([await newRole(['webhook:manage', ...model.permissions])], tenant);

    await patch(pid, { name: 'taken over' }, user);
    await resend(deliveryPid);

    expect(
      await deliveriesOnce(pid, 1, ({ attemptCount, finishedAt }) => attemptCount === 2 && finishedAt),
    ).toMatchObject([{ status: 'CANCELLED' }]);
    expect((await attemptsOf(deliveryPid)).at(-1)).toMatchObject({
      errorClass: 'blocked',
      errorMessage: 'the owner of the subscription may not read this event',
    });
    expect(former.received).toHaveLength(1);
  });
});
