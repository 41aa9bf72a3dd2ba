import { createHmac } from 'node:crypto';
import { ulid } from 'ulid';
import { call, execute, expectRefusal } from '../support/api.ts';
import { saidBy } from '../support/chat.ts';
import { until } from '../support/faults.ts';
import { bind, newChannel, post, postSlack, SECRET } from '../support/im.ts';
import { newRole } from '../support/models.ts';
import { runSql } from '../support/platform.ts';
import { Receiver } from '../support/receiver.ts';
import { watch } from '../support/streams.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

let tenant: TestTenant;
let reader: TestUser;

beforeEach(async () => {
  tenant = await newTenant();
  reader = await newUser(['ADMIN'], tenant);
});

const asking = (text: string, conversationId: string = ulid()) => ({ conversationId, sender: 'ada', text });
const streamOf = (conversationId: string): string =>
  `/api/im/conversations/${encodeURIComponent(conversationId)}/stream`;
const createLead = (payload: object) => execute(reader.token, 'crm:create_lead', { payload });

async function answerIn(conversationId: string) {
  const watched = await watch(streamOf(conversationId), { token: reader.token });
  await watched.over();
  return watched;
}

/** The answers in a conversation, whoever may see them over the API. */
const answers = (conversationId: string) =>
  runSql<{ text: string; status: string }>(
    `select m.text, m.status from platform.ai_message m join platform.ai_conversation c on c.pid = m.conversation_pid
     where c.external_id = $1 and m.role = 'assistant' order by m.id`,
    [conversationId],
  );

describe('POST /api/im/{channel}/messages', () => {
  it('takes a signed message and streams the answer', async () => {
    const { code } = await newChannel(tenant);
    await createLead({ name: 'Ada', status: 'open' });
    const message = asking('how many open leads');

    const taken = await post(code, message);

    expect(taken).toMatchObject({
      status: 202,
      body: { code: '0', data: { conversationId: message.conversationId, replyPid: expect.any(String) } },
    });
    const watched = await answerIn(message.conversationId);
    expect(watched.events[0]).toMatchObject({
      event: 'conversation',
      data: { conversationId: message.conversationId },
    });
    expect(saidBy(watched)).toContain('There is 1 lead (status open).');
    const { text } = watched.events.at(-1)?.data as { text: string };
    expect(watched.events.at(-1)).toMatchObject({
      event: 'message.completed',
      data: { conversationId: message.conversationId },
    });
    expect(text).toBe(saidBy(watched));
  });

  it.each<[string, (body: string) => Record<string, string>]>([
    ['no signature', () => ({ 'X-IM-Signature': '' })],
    [
      'one of another secret',
      (body) => ({ 'X-IM-Signature': `sha256=${createHmac('sha256', 'x').update(body).digest('hex')}` }),
    ],
    [
      'one of another body',
      () => ({ 'X-IM-Signature': `sha256=${createHmac('sha256', SECRET).update('{}').digest('hex')}` }),
    ],
    [
      'one without its algorithm',
      (body) => ({ 'X-IM-Signature': createHmac('sha256', SECRET).update(body).digest('hex') }),
    ],
  ])('refuses %s', async (_what, headersFor) => {
    const { code } = await newChannel(tenant);
    const body = JSON.stringify(asking('hello'));
    expectRefusal(await post(code, body, { headers: headersFor(body) }), 'UNAUTHORIZED');
  });

  it.each<[string, unknown, string]>([
    ['no JSON', 'x', 'body'],
    ['no conversation', { sender: 'a', text: 'b' }, 'conversationId'],
    ['no sender', { conversationId: 'a', text: 'b' }, 'sender'],
    ['an empty text', { conversationId: 'a', sender: 'b', text: '' }, 'text'],
    ['a number for a text', { conversationId: 'a', sender: 'b', text: 1 }, 'text'],
  ])('refuses %s, although it is signed', async (_what, message, name) => {
    const { code } = await newChannel(tenant);
    expectRefusal(await post(code, message), 'VALIDATION_ERROR', { fieldErrors: { [name]: expect.any(String) } });
  });

  it('refuses a channel that there is not or that nobody has bound, and a body over 64 KiB', async () => {
    const { code } = await newChannel(tenant);
    expect(await post('none', asking('hello'))).toMatchObject({ status: 404 });
    expect(await post(code, asking('hello'), { headers: { 'X-Environment': 'staging' } })).toMatchObject({
      status: 404,
    });
    expectRefusal(await post(code, asking('x'.repeat(66_000))), 'PAYLOAD_TOO_LARGE');
  });

  it('answers a message once that comes twice, and each of two that differ', async () => {
    const { code } = await newChannel(tenant);
    const message = asking('hello');

    const [first, second, other] = [
      await post(code, message),
      await post(code, message),
      await post(code, { ...message, text: 'help' }),
    ];

    expect(second?.body.data).toEqual(first?.body.data);
    expect(other?.body.data.replyPid).not.toBe(first?.body.data.replyPid);
    await until('both are answered', async () =>
      (await answers(message.conversationId)).every(({ status }) => status === 'COMPLETED'),
    );
    expect(await answers(message.conversationId)).toHaveLength(2);
  });

  it('knows a message by its messageId for longer than by its body', async () => {
    const { code } = await newChannel(tenant);
    const message = { ...asking('yes'), messageId: 'm1' };
    const first = await post(code, message);
    const repeated = await post(code, { ...message, text: 'yes!' });
    const next = await post(code, { ...message, messageId: 'm2' });
    expect(repeated.body.data).toEqual(first.body.data);
    expect(next.body.data.replyPid).not.toBe(first.body.data.replyPid);
  });

  it('answers what comes at once one after the other, in order', async () => {
    const { code } = await newChannel(tenant);
    const conversationId = ulid();
    for (const text of ['which models exist', 'how many leads', 'hello'])
      await post(code, asking(text, conversationId));

    await until('all are answered', async () => {
      const all = await answers(conversationId);
      return all.length === 3 && all.every(({ status }) => status === 'COMPLETED');
    });
    const [models, leads, hello] = await answers(conversationId);
    expect(models?.text).toContain('Lead (lead)');
    expect(leads?.text).toContain('There are 0 leads');
    expect(hello?.text).toContain('Hello');
    const watched = await watch(streamOf(conversationId), { token: reader.token, lastEventId: '0' });
    await watched.over();
    expect(watched.events.map(({ event }) => event).filter((event) => !/delta|tool/.test(event))).toEqual([
      'conversation',
      'message.completed',
    ]);
  });

  it("reads with the binding's roles, and runs no commands", async () => {
    const { code } = await newChannel(tenant);
    await createLead({ name: 'Ada', score: 7 });
    const first = asking('show lead Ada');
    await post(code, first);
    expect(saidBy(await answerIn(first.conversationId))).not.toContain('Score');

    const second = asking('run crm:create_lead {"name": "Eve"}');
    await post(code, second);
    const watched = await answerIn(second.conversationId);
    expect(watched.named('confirm')).toEqual([]);
    expect(saidBy(watched)).toContain('Nobody can confirm commands in a channel');
  });
});

describe('a channel of kind slack', () => {
  const said = (more: object = {}, eventId = `Ev${ulid()}`) => ({
    type: 'event_callback',
    event_id: eventId,
    event: { type: 'message', channel: 'C1', user: 'U1', text: 'hello', ts: '1.0', ...more },
  });

  it("answers Slack's challenge at the top of the body", async () => {
    const { code } = await newChannel(tenant, { kind: 'slack' });
    const answered = await postSlack(code, { type: 'url_verification', challenge: 'abc' });
    expect(answered).toMatchObject({ status: 200, body: { challenge: 'abc' } });
  });

  it('takes messages; a retry of the same event is the same message', async () => {
    const { code } = await newChannel(tenant, { kind: 'slack' });
    const event = said();
    const first = await postSlack(code, event);
    expect(first).toMatchObject({ status: 202, body: { data: { conversationId: 'C1' } } });
    expect((await postSlack(code, event)).body.data).toEqual(first.body.data);
    const threaded = await postSlack(code, said({ thread_ts: '1.0' }));
    expect(threaded.body.data.conversationId).toBe('C1:1.0');
  });

  it('ignores bots, changes and other events', async () => {
    const { code } = await newChannel(tenant, { kind: 'slack' });
    for (const event of [
      said({ bot_id: 'B1' }),
      said({ subtype: 'message_changed' }),
      said({ type: 'reaction_added' }),
    ]) {
      expect(await postSlack(code, event)).toMatchObject({ status: 200, body: { message: 'ignored', data: null } });
    }
  });

  it('refuses a signature that is older than five minutes, or wrong', async () => {
    const { code } = await newChannel(tenant, { kind: 'slack' });
    expect(await postSlack(code, said(), { at: Date.now() - 301_000 })).toMatchObject({ status: 401 });
    expect(await postSlack(code, said(), { at: Date.now() + 400_000 })).toMatchObject({ status: 401 });
    expect(await postSlack(code, said(), { secret: 'another' })).toMatchObject({ status: 401 });
  });
});

describe('an answer', () => {
  it("is posted to the channel's reply URL, signed with its secret, until it arrives", async () => {
    const receiver = await Receiver.start();
    receiver.answer = (_request, index) => ({ status: index === 0 ? 503 : 200 });
    const { code } = await newChannel(tenant, { replyUrl: receiver.url });
    const message = asking('how many leads');
    const { body } = await post(code, message);

    const [, request] = await receiver.have(2);

    expect(JSON.parse(request?.body ?? '')).toEqual({
      conversationId: message.conversationId,
      replyPid: body.data.replyPid,
      text: expect.stringContaining('There are 0 leads.'),
    });
    const signature = `sha256=${createHmac('sha256', SECRET)
      .update(request?.body ?? '')
      .digest('hex')}`;
    expect(request?.headers).toMatchObject({ 'x-webhook-event': 'im.reply', 'x-webhook-signature': signature });
  });

  it('goes to Slack as Slack takes it', async () => {
    const receiver = await Receiver.start();
    const { code } = await newChannel(tenant, { kind: 'slack', replyUrl: receiver.url });
    const event = { type: 'message', channel: 'C1', user: 'U1', text: 'hello', thread_ts: '1.5' };
    await postSlack(code, { type: 'event_callback', event_id: 'E1', event });

    const [request] = await receiver.have(1);
    expect(JSON.parse(request?.body ?? '')).toEqual({
      channel: 'C1',
      thread_ts: '1.5',
      text: expect.stringContaining('Hello'),
    });
  });
});

describe('GET /api/im/conversations/{id}/stream', () => {
  it('needs im:read:<channel> in the tenant that the channel is bound to', async () => {
    const { code } = await newChannel(tenant);
    const { conversationId } = asking('hello');
    await post(code, asking('hello', conversationId));
    const other = await newUser([await newRole(['im:read:other'])], tenant);
    const foreign = await newUser(['ADMIN'], await newTenant());
    const allowed = await newUser([await newRole([`im:read:${code}`])], tenant);

    expect(await call(streamOf(conversationId))).toMatchObject({ status: 401 });
    expect(await call(streamOf(conversationId), { token: other.token })).toMatchObject({ status: 404 });
    expect(await call(streamOf(conversationId), { token: foreign.token })).toMatchObject({ status: 404 });
    const watched = await watch(streamOf(conversationId), { token: allowed.token });
    await watched.over();
    expect(saidBy(watched)).toContain('Hello');
  });
});

describe('/api/im/channels', () => {
  it('binds, shows without the secret, changes and sets free', async () => {
    const { code, manager } = await newChannel(tenant);
    const [shown] = (await call('/api/im/channels', { token: manager.token })).body.data;
    expect(shown).toMatchObject({ channel: code, roles: ['VIEWER'], replyUrl: null, hasSecret: true });
    expect(JSON.stringify(shown)).not.toContain(SECRET);
    expect(await runSql('select 1 from platform.im_channel_binding where secret like $1', [`%${SECRET}%`])).toEqual([]);

    await bind(manager, code, { secret: 'another-secret' });
    expect(await post(code, asking('hello'))).toMatchObject({ status: 401 });
    expect(await post(code, asking('hello'), { secret: 'another-secret' })).toMatchObject({ status: 202 });

    expect(await call(`/api/im/channels/${code}`, { method: 'DELETE', token: manager.token })).toMatchObject({
      status: 200,
    });
    expect(await post(code, asking('hello'))).toMatchObject({ status: 404 });
  });

  it('belongs to one tenant at a time', async () => {
    const { code } = await newChannel(tenant);
    const foreign = await newUser(['ADMIN'], await newTenant());
    expectRefusal(await bind(foreign, code, {}), 'CONFLICT', { reason: 'BOUND' });
    expect(await call(`/api/im/channels/${code}`, { method: 'DELETE', token: foreign.token })).toMatchObject({
      status: 404,
    });
  });

  it('cannot be deleted while a tenant has bound it', async () => {
    const { code, manager } = await newChannel(tenant);
    const admin = await newUser(['PLATFORM_ADMIN'], tenant);
    const remove = () => execute(admin.token, 'meta:delete', { payload: { resourceType: 'IM_CHANNEL', code } });

    expect(await remove()).toMatchObject({
      status: 409,
      body: {
        data: { reason: 'REFERENCE' },
        message: `The tenant ${tenant.name} has bound the channel ${code}`,
      },
    });

    await call(`/api/im/channels/${code}`, { method: 'DELETE', token: manager.token });
    expect(await remove()).toMatchObject({ status: 200 });
  });

  it('is suspended while its owner is no active user, until another person adopts it', async () => {
    const { code, manager } = await newChannel(tenant);
    const change = (body: object) =>
      call(`/api/admin/users/${manager.pid}`, { method: 'PATCH', token: reader.token, body });
    const shown = async () => (await call('/api/im/channels', { token: reader.token })).body.data[0];

    const { leftBehind } = (await change({ status: 'disabled' })).body.data;

    expect(leftBehind).toMatchObject([{ kind: 'im-channel', name: code, environment: 'dev', adopted: false }]);
    expect(await shown()).toMatchObject({ ownedBy: manager.pid, suspended: 'OWNER_INACTIVE' });
    expectRefusal(await post(code, asking('hello')), 'CONFLICT', { reason: 'OWNER_INACTIVE' });

    await change({ status: 'active' });
    expect(await post(code, asking('hello'))).toMatchObject({ status: 202 });
    expect((await change({ status: 'disabled', adopt: true })).body.data.leftBehind).toMatchObject([{ adopted: true }]);
    expect(await shown()).toMatchObject({ ownedBy: reader.pid, suspended: null });
    expect(await post(code, asking('hello'))).toMatchObject({ status: 202 });
  });

  it('is suspended while its owner may not give it its roles', async () => {
    const { code, manager } = await newChannel(tenant);
    const memberships = [{ tenantId: tenant.id, roles: [await newRole(['im:manage'])] }];
    await call(`/api/admin/users/${manager.pid}`, { method: 'PATCH', token: reader.token, body: { memberships } });

    expect(await post(code, asking('hello'))).toMatchObject({
      status: 409,
      body: { data: { reason: 'OWNER_DEMOTED' } },
    });

    await bind(reader, code, {});
    expect(await post(code, asking('hello'))).toMatchObject({ status: 202 });
  });

  it.each<[string, object, string]>([
    ['a role that is not its own', { roles: ['ADMIN'] }, 'roles'],
    ['no roles', { roles: [] }, 'roles'],
    ['a short secret', { secret: 'short' }, 'secret'],
    ['an address that is not public', { replyUrl: 'http://169.254.169.254/x' }, 'replyUrl'],
    ['an unknown key', { tenantId: '1' }, 'tenantId'],
  ])('refuses %s', async (_what, binding, name) => {
    const { code } = await newChannel(tenant);
    const role = await newRole(['im:manage']);
    const manager = await newUser([role], tenant);
    expect(await bind(manager, code, { roles: [role], ...binding })).toMatchObject({
      status: 400,
      body: { data: { fieldErrors: { [name]: expect.any(String) } } },
    });
  });
});
