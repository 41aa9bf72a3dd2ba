import { ulid } from 'ulid';
import { call } from '../support/api.ts';
import { until } from '../support/faults.ts';
import { bind, newChannel, post, type TestChannel } from '../support/im.ts';
import { newRole } from '../support/models.ts';
import { Receiver } from '../support/receiver.ts';
import { deliveriesOnce, ended } from '../support/webhooks.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

/*
 * Replies of a channel say what its roles may read. Setup: a channel with a reply URL, and a user who
 * manages webhooks, and may read no record and no channel.
 */
let tenant: TestTenant;
let receiver: Receiver;
let channel: TestChannel;
let stranger: TestUser;
let subscription: string;

beforeEach(async () => {
  tenant = await newTenant();
  receiver = await Receiver.start();
  channel = await newChannel(tenant, { replyUrl: receiver.urlOf('room') });
  stranger = await newUser([await newRole(['webhook:manage'])], tenant);
  const [bound] = (await call('/api/im/channels', { token: channel.manager.token })).body.data;
  subscription = bound.subscriptionPid;
});

const say = (text: string) => post(channel.code, { conversationId: ulid(), sender: 'ada', text });
const webhook = (path: string, body?: object, method = 'POST') =>
  call(`/api/webhooks${path}`, { token: stranger.token, method, ...(body && { body }) });

describe('a reply that was posted to the reply URL', () => {
  it('is shown by the log of deliveries to those who may read its channel', async () => {
    await say('hello');
    const { pid } = await ended(subscription);
    const shown = async ({ token }: TestUser) => (await call(`/api/webhooks/deliveries/${pid}`, { token })).body.data;
    const reader = await newUser([await newRole(['webhook:manage', `im:read:${channel.code}`])], tenant);

    expect((await shown(reader)).body).toContain('Hello');
    expect(await shown(stranger)).toMatchObject({
      status: 'SUCCEEDED',
      body: null,
      attempts: [{ responseBody: null }],
    });
  });

  it('is no sample for the test of another subscription', async () => {
    await say('hello');
    await ended(subscription);
    const settings = { name: 'all', targetUrl: receiver.urlOf('other'), eventType: 'im.*' };
    const { pid } = (await webhook('', settings)).body.data;

    expect(await webhook(`/${pid}/test`, { sample: false })).toMatchObject({
      status: 409,
      body: { data: { reason: 'NO_EVENT' } },
    });
    expect(await webhook('', { ...settings, eventType: 'im.reply' })).toMatchObject({
      status: 400,
      body: { data: { fieldErrors: { eventType: 'is for the reply URLs of channels alone' } } },
    });
  });
});

describe('the subscription of a channel', () => {
  it('is changed by the binding alone: who manages webhooks can turn it off and on', async () => {
    const refused = { status: 409, body: { code: 'CONFLICT', data: { reason: 'CHANNEL' } } };
    const targetUrl = receiver.urlOf('stranger');

    expect(await webhook(`/${subscription}`, { targetUrl }, 'PATCH')).toMatchObject(refused);
    expect(await webhook(`/${subscription}/adopt`)).toMatchObject(refused);
    expect(await webhook(`/${subscription}/rotate-secret`, {})).toMatchObject(refused);
    expect(await webhook(`/${subscription}/disable`)).toMatchObject({ status: 200 });
    expect(await webhook(`/${subscription}/enable`)).toMatchObject({ status: 200 });

    await say('hello');
    await ended(subscription);
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook/room']);
  });

  it('is another one for a reply URL of another origin: what was said before is not sent there', async () => {
    receiver.answer = () => ({ status: 503 });
    await say('hello');
    const [waiting] = await deliveriesOnce(subscription, 1, ({ nextAttemptAt }) => nextAttemptAt);
    const elsewhere = await Receiver.start();
    const manager = await newUser([await newRole(['im:manage', 'webhook:manage']), 'VIEWER'], tenant);

    const bound = await bind(manager, channel.code, { secret: null, replyUrl: elsewhere.url });

    const other = bound.body.data.subscriptionPid;
    expect(other).not.toBe(subscription);
    const act = (path: string, body: object) => call(`/api/webhooks/${path}`, { token: manager.token, body });
    expect(await act(`deliveries/${waiting?.pid}/resend`, {})).toMatchObject({ status: 409 });
    const since = new Date(Date.now() - 600_000).toISOString();
    expect(await act(`${subscription}/recover`, { since })).toMatchObject({ status: 404 });
    expect(await act(`${other}/recover`, { since })).toMatchObject({ status: 202, body: { data: { total: 0 } } });
    const next = await say('help');
    await until('the next one arrives', () => elsewhere.received.length > 0);
    expect(elsewhere.received.map(({ body }) => JSON.parse(body))).toMatchObject([
      { replyPid: next.body.data.replyPid },
    ]);
    expect(await deliveriesOnce(subscription, 1)).toMatchObject([{ status: 'CANCELLED' }]);
  });
});
