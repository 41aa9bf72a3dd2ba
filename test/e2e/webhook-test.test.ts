import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { execute } from '../support/api.ts';
import { newRole } from '../support/models.ts';
import { runSql } from '../support/platform.ts';
import { Receiver } from '../support/receiver.ts';
import { createSubscription, webhooks } from '../support/webhook-api.ts';
import { newUser, signedInForEach } from '../support/world.ts';

let receiver: Receiver;

const { tenant, user } = signedInForEach('ADMIN');
beforeEach(async () => {
  receiver = await Receiver.start();
});

const create = (rest: Record<string, unknown> = {}) => createSubscription(user, { targetUrl: receiver.url, ...rest });
const test = (pid: string, body: unknown = { sample: true }, as = user) => webhooks(as, `/${pid}/test`, { body });

describe('POST /api/webhooks/{pid}/test with sample true', () => {
  it('delivers a sample at once, and answers the request and the response', async () => {
    receiver.answer = () => ({ status: 202, headers: { 'X-Answer': 'yes' }, body: 'thanks' });
    const { pid } = await create();

    const { status, body } = await test(pid);

    expect(status).toBe(200);
    expect(receiver.received).toHaveLength(1);
    const [arrived] = receiver.received;
    expect(body.data).toEqual({
      delivered: true,
      statusCode: 202,
      durationMs: expect.any(Number),
      error: null,
      request: {
        headers: expect.objectContaining({
          'X-Webhook-Event': 'crm:create_lead',
          'X-Webhook-Test': 'true',
          'X-Webhook-Timestamp': arrived?.headers['x-webhook-timestamp'],
        }),
        body: arrived?.body,
      },
      response: { headers: expect.objectContaining({ 'x-answer': 'yes' }), body: 'thanks', truncated: false },
    });
    expect(JSON.parse(arrived?.body ?? '')).toMatchObject({
      commandCode: 'crm:create_lead',
      modelCode: 'lead',
      payload: { name: expect.any(String), status: 'new', amount: '1250.00', due_on: '2026-01-31' },
      result: { pid: expect.any(String), tenant_id: expect.any(String), version: 1, name: expect.any(String) },
    });
  });

  it('signs as a delivery does, with every live secret, and shows signatures but no secret', async () => {
    const { pid } = await create({
      secret: 'whsec_Zmlyc3QgY2FuYXJ5IHNlY3JldA==',
      headers: { Authorization: 'Bearer canary' },
    });
    const rotated = await webhooks(user, `/${pid}/rotate-secret`, { body: {} });
    const { secret } = rotated.body.data;

    const { body } = await test(pid);

    const [arrived] = receiver.received;
    const headers = arrived?.headers as Record<string, string>;
    for (const each of ['whsec_Zmlyc3QgY2FuYXJ5IHNlY3JldA==', secret]) {
      expect(() => new Webhook(each).verify(arrived?.body ?? '', headers)).not.toThrow();
    }
    const hex = createHmac('sha256', secret)
      .update(arrived?.body ?? '')
      .digest('hex');
    expect(headers['x-webhook-signature']).toBe(`sha256=${hex}`);
    expect(body.data.request.headers['X-Webhook-Signature']).toBe(`sha256=${hex}`);
    expect(headers.authorization).toBe('Bearer canary');
    expect(body.data.request.headers.Authorization).toBe('***');
    expect(JSON.stringify(body)).not.toContain('canary');
  });

  it('takes no sample to mean one, and refuses what is neither true nor false', async () => {
    const { pid } = await create();

    expect((await test(pid, {})).body.data.delivered).toBe(true);
    expect((await test(pid, { sample: 'yes' })).body.data.fieldErrors).toEqual({ sample: 'must be true or false' });
  });

  it('works for a disabled subscription, and is no delivery of the log', async () => {
    const { pid } = await create({ enabled: false });

    expect((await test(pid)).body.data.delivered).toBe(true);
    expect((await webhooks(user, `/${pid}/deliveries`)).body.data.total).toBe(0);
  });

  it.each([
    ['crm:*', null, 'lead'],
    ['record.updated', 'deal', 'deal'],
    ['lead.converted', null, 'lead'],
    ['webhook.disabled', null, null],
    ['crm:not_yet', 'task', 'task'],
  ])('of %s tells of the model %s', async (eventType, modelCode, expected) => {
    const { pid } = await create({ eventType, ...(modelCode !== null && { modelCode }) });

    const { body } = await test(pid);

    const sent = JSON.parse(body.data.request.body);
    expect(Object.keys(sent)).toEqual(['commandCode', 'modelCode', 'payload', 'result']);
    if (eventType !== 'crm:*') expect(sent.modelCode).toBe(expected);
    expect(body.data.request.headers['X-Webhook-Event']).not.toContain('*');
  });

  it('tells of an endpoint that fails', async () => {
    receiver.answer = () => ({ status: 500, body: 'oops' });
    const { pid } = await create();
    expect((await test(pid)).body.data).toMatchObject({
      delivered: false,
      statusCode: 500,
      response: { body: 'oops' },
      error: { errorClass: 'http', message: 'the endpoint answered 500' },
    });

    receiver.answer = () => ({ status: 302, headers: { Location: receiver.url } });
    expect((await test(pid)).body.data).toMatchObject({ delivered: false, statusCode: 302 });
    expect(receiver.received).toHaveLength(2);

    receiver.answer = () => ({ hang: true });
    await webhooks(user, `/${pid}`, { method: 'PATCH', body: { timeoutMs: 500 } });
    expect((await test(pid)).body.data).toMatchObject({
      delivered: false,
      statusCode: null,
      response: null,
      error: { errorClass: 'timeout' },
    });

    receiver.stop();
    expect((await test(pid)).body.data).toMatchObject({ delivered: false, error: { errorClass: 'refused' } });
  });
});

describe('POST /api/webhooks/{pid}/test with sample false', () => {
  it('is 409 CONFLICT NO_EVENT when nothing has happened that matches', async () => {
    const { pid } = await create();

    const { status, body } = await test(pid, { sample: false });

    expect([status, body.code, body.data]).toEqual([409, 'CONFLICT', { reason: 'NO_EVENT' }]);
    expect(receiver.received).toHaveLength(0);
  });

  it('sends the newest event that matches type, model and filter', async () => {
    const { pid } = await create({
      eventType: 'crm:*',
      modelCode: 'lead',
      filterExpression: "name.startsWith('A')",
      enabled: false,
    });
    for (const name of ['Abe', 'Ada', 'Bob']) await execute(user.token, 'crm:create_lead', { payload: { name } });
    await execute(user.token, 'crm:create_account', { payload: { name: 'Acme' } });

    const { body } = await test(pid, { sample: false });

    expect(body.data.delivered).toBe(true);
    const sent = JSON.parse(receiver.received[0]?.body ?? '');
    expect(sent).toMatchObject({ commandCode: 'crm:create_lead', payload: { name: 'Ada' }, result: { name: 'Ada' } });
    const [event] = await runSql<{ pid: string }>(
      `select pid from platform.event where tenant_id = $1 and body like '%"Ada"%' and event_type = 'crm:create_lead'`,
      [tenant.id],
    );
    expect(receiver.received[0]?.headers['webhook-id']).not.toBe(event?.pid);
  });

  it('shows and sends nothing that whoever tests may not read', async () => {
    const { pid } = await create({ enabled: false });
    await execute(user.token, 'crm:create_lead', { payload: { name: 'Ada', score: 77 } });
    const manager = await newUser([await newRole(['webhook:manage', 'record:read:lead'])], tenant);
    const stranger = await newUser([await newRole(['webhook:manage'])], tenant);

    const { body } = await test(pid, { sample: false }, manager);

    expect(JSON.parse(body.data.request.body).payload).toEqual({ name: 'Ada' });
    expect(receiver.received[0]?.body).toBe(body.data.request.body);
    expect(JSON.parse((await test(pid, { sample: true }, manager)).body.data.request.body).payload).not.toHaveProperty(
      'score',
    );
    expect((await test(pid, { sample: false }, stranger)).body.data).toEqual({ reason: 'NO_EVENT' });
  });
});
