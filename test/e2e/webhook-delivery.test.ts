import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { newSecret, rotateSecrets, sealSecret } from '../../src/features/webhooks/subscription-secrets.ts';
import { deliveryWorkflowId } from '../../workflows/contracts.ts';
import { execute, type Answered } from '../support/api.ts';
import { temporal, until } from '../support/faults.ts';
import { startOwnNode } from '../support/own-node.ts';
import { freePort } from '../support/program.ts';
import { Receiver, type Received, type Response } from '../support/receiver.ts';
import * as webhooks from '../support/webhooks.ts';
import { attemptsOf, ended, subscribe, waiting, workflowEnd } from '../support/webhooks.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

let tenant: TestTenant;
let user: TestUser;
let receiver: Receiver;
let elsewhere: Receiver;
let answered: Answered;

/*
 * Setup: one subscription for each case below, all to the same event type, each with a path of its own at one
 * receiver. Timeline: one command; every case is delivered at the same time.
 */
const SECRET = newSecret();
const [OLD_SECRET, NEW_SECRET] = [newSecret(), newSecret()];
const PLAIN_SECRET = 'no base64 at all';
const LARGE = 'x'.repeat(1_000_000);
const ODD_BYTES = Buffer.from([0x61, 0x00, 0xff, 0xfe, 0xed, 0xa0, 0x80, 0x62]);
const subscriptions = new Map<string, string>();

type Fields = Parameters<typeof subscribe>[3];
const CASES: Record<string, Fields & { readonly answers: readonly Response[] }> = {
  ok: { answers: [{}] },
  'no-content': { answers: [{ status: 204, body: '' }] },
  'refused-once': { answers: [{ status: 404, body: 'who?' }, {}] },
  'failing-twice': { answers: [{ status: 503 }, { status: 500 }, {}] },
  'always-404': { answers: [{ status: 404 }], maxRetries: 2 },
  'always-503': { answers: [{ status: 503 }], maxRetries: 2, secret: SECRET },
  'no-retries': { answers: [{ status: 500 }], maxRetries: 0 },
  silent: { answers: [{ hang: true }], maxRetries: 1, timeoutMs: 500 },
  redirect: { answers: [{ status: 307, headers: { location: 'ELSEWHERE' } }], maxRetries: 1 },
  large: { answers: [{ body: LARGE }] },
  'large-failure': { answers: [{ status: 500, body: LARGE }], maxRetries: 0 },
  odd: { answers: [{ body: ODD_BYTES }] },
  'later-please': { answers: [{ status: 429, headers: { 'retry-after': '2' } }, {}] },
  plain: { answers: [{}], secret: PLAIN_SECRET },
  rotated: { answers: [{}], secret: OLD_SECRET },
  'over-and-gone': { answers: [{}], secret: OLD_SECRET },
  headers: { answers: [{}], headers: { authorization: 'Bearer of-the-receiver', 'x-webhook-event': 'forged' } },
};

beforeAll(async () => {
  await startOwnNode('hookdelivery');
  tenant = await newTenant();
  user = await newUser(['ADMIN'], tenant);
  receiver = await Receiver.start();
  elsewhere = await Receiver.start();
  for (const [name, { answers: _answers, ...fields }] of Object.entries(CASES)) {
    subscriptions.set(name, await subscribe(tenant, user, receiver.urlOf(name), fields));
  }
  await rotate('rotated', 60_000);
  await rotate('over-and-gone', -1);
  const port = await freePort();
  const others = {
    closed: `http://127.0.0.1:${port}/`,
    // On this machine it would lead to the receiver.
    blocked: receiver.url.replace('127.0.0.1', '0.0.0.0'),
    // A name that is too long to be asked for: no name server hears of it.
    unknown: `http://${'a'.repeat(64)}.invalid/`,
  };
  for (const [name, url] of Object.entries(others)) {
    subscriptions.set(name, await subscribe(tenant, user, url, { maxRetries: 1 }));
  }
  subscriptions.set('disabled', await subscribe(tenant, user, receiver.urlOf('disabled'), { enabled: false }));
  subscriptions.set('deleted', await subscribe(tenant, user, receiver.urlOf('deleted'), { deletedAt: new Date() }));
  receiver.answer = ({ path }) => {
    const name = path.split('/').at(-1) ?? '';
    const { answers = [{}] } = CASES[name] ?? {};
    const answer = answers[Math.min(receiver.at(name).length, answers.length) - 1] ?? {};
    return answer.headers?.location ? { ...answer, headers: { location: elsewhere.url } } : answer;
  };
  answered = await execute(user.token, 'crm:create_lead', { payload: { name: 'Ada', email: 'ada@acme.example' } });
});

/** A new secret in the place of the first one, which signs for `overlapMs` more. */
async function rotate(name: string, overlapMs: number): Promise<void> {
  const pid = pidOf(name);
  const { secrets } = await webhooks.subscriptionRow(pid);
  const now = new Date();
  const newest = sealSecret(webhooks.secretBox(), pid, NEW_SECRET, now);
  await webhooks.change(pid, { secrets: rotateSecrets(secrets, newest, overlapMs, now) });
}

const pidOf = (name: string): string => subscriptions.get(name) ?? '';
const deliveryOf = (name: string) => ended(pidOf(name));
async function attempts(name: string) {
  return attemptsOf((await deliveryOf(name)).pid);
}
/** What has arrived when the case is over. */
async function posts(name: string): Promise<Received[]> {
  await deliveryOf(name);
  return receiver.at(name);
}
async function firstPost(name: string): Promise<Received> {
  const [post] = await posts(name);
  if (!post) throw new Error(`nothing has arrived at ${name}`);
  return post;
}
const hex = (secret: string, body: string) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

describe('an event that a subscription matches', () => {
  it('goes on with the trace id of the request, in every attempt', async () => {
    const traceId = answered.headers.get('x-trace-id');
    const sent = (await posts('failing-twice')).map(({ headers }) => headers.traceparent);

    expect(sent).toEqual(Array(3).fill(expect.stringMatching(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`))));
    expect(new Set(sent).size).toBe(3);
  });

  it('is POSTed to the target URL with the delivery payload as its body', async () => {
    const [post] = await posts('ok');

    expect(JSON.parse(post?.body ?? '')).toEqual({
      commandCode: 'crm:create_lead',
      modelCode: 'lead',
      payload: { name: 'Ada', email: 'ada@acme.example' },
      result: answered.body.data,
    });
    expect(post?.headers).toMatchObject({
      'content-type': expect.stringContaining('application/json'),
      'user-agent': 'Keelson-Webhooks/1',
      'x-webhook-event': 'crm:create_lead',
      'x-webhook-timestamp': expect.stringMatching(/^\d{13}$/),
    });
  });

  it('brings the headers of the subscription, but none that are the delivery’s own', async () => {
    const [post] = await posts('headers');

    expect(post?.headers).toMatchObject({
      authorization: 'Bearer of-the-receiver',
      'x-webhook-event': 'crm:create_lead',
    });
  });

  it('can be found in the Web UI by subscription, event type and status where it takes more than one attempt', async () => {
    const { pid } = await deliveryOf('refused-once');
    const { workflow } = await temporal();
    const query = `subscriptionPid = '${pidOf('refused-once')}' and eventType = 'crm:create_lead' and status = 'SUCCEEDED'`;

    const found = await until('the workflow is listed', async () => {
      const ids: string[] = [];
      for await (const { workflowId } of workflow.list({ query })) ids.push(workflowId);
      return ids.length > 0 && ids;
    });

    expect(found).toEqual([deliveryWorkflowId(pid)]);
  });

  it('is no delivery for a subscription that is disabled or deleted', async () => {
    await deliveryOf('ok');

    expect(await webhooks.deliveriesOf(pidOf('disabled'))).toEqual([]);
    expect(await webhooks.deliveriesOf(pidOf('deleted'))).toEqual([]);
  });
});

describe('the retry table', () => {
  it.each(['ok', 'no-content'])('2xx marks the delivery successful: %s', async (name) => {
    expect(await deliveryOf(name)).toMatchObject({ status: 'SUCCEEDED', attemptCount: 1, nextAttemptAt: null });
    expect(receiver.at(name)).toHaveLength(1);
  });

  it('4xx is retried like any failed delivery', async () => {
    expect(await deliveryOf('refused-once')).toMatchObject({ status: 'SUCCEEDED', attemptCount: 2 });
    expect(await attempts('refused-once')).toMatchObject([
      { number: 1, trigger: 'event', statusCode: 404, errorClass: 'http', responseBody: 'who?' },
      { number: 2, trigger: 'retry', statusCode: 200, errorClass: null, responseBody: 'ok', ip: '127.0.0.1' },
    ]);
  });

  it('5xx is retried until it succeeds', async () => {
    expect(await deliveryOf('failing-twice')).toMatchObject({ status: 'SUCCEEDED', attemptCount: 3 });
    expect(await attempts('failing-twice')).toMatchObject([
      { number: 1, trigger: 'event', statusCode: 503, nextAttemptAt: expect.any(Date) },
      { number: 2, trigger: 'retry', statusCode: 500, nextAttemptAt: expect.any(Date) },
      { number: 3, trigger: 'retry', statusCode: 200, nextAttemptAt: null },
    ]);
  });

  it.each([
    ['always-404', 404],
    ['always-503', 503],
  ])('%s: maxRetries 2 gives exactly 3 POSTs, then FAILED', async (name, statusCode) => {
    expect(await deliveryOf(name)).toMatchObject({ status: 'FAILED', attemptCount: 3, failedCount: 3 });
    expect(receiver.at(name)).toHaveLength(3);
    expect((await attempts(name)).map((attempt) => attempt.statusCode)).toEqual(Array(3).fill(statusCode));
  });

  it('maxRetries 0 gives one POST', async () => {
    expect(await deliveryOf('no-retries')).toMatchObject({ status: 'FAILED', attemptCount: 1 });
    expect(receiver.at('no-retries')).toHaveLength(1);
  });

  it('a timeout is retried until maxRetries', async () => {
    expect(await deliveryOf('silent')).toMatchObject({ status: 'FAILED', attemptCount: 2 });
    for (const attempt of await attempts('silent')) {
      expect(attempt).toMatchObject({ errorClass: 'timeout', statusCode: null, ip: '127.0.0.1' });
      expect(attempt.durationMs).toBeGreaterThanOrEqual(500);
      // The receiver never answers.
      expect(attempt.durationMs).toBeLessThan(60_000);
    }
  });

  it('no delay is shorter than the schedule says', async () => {
    const [first, second] = await attempts('refused-once');

    expect(Number(first?.nextAttemptAt) - Number(first?.finishedAt)).toBeGreaterThanOrEqual(50);
    expect(Number(second?.startedAt)).toBeGreaterThanOrEqual(Number(first?.nextAttemptAt));
  });

  it('Retry-After lengthens the delay', async () => {
    const [first, second] = await posts('later-please');

    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(2_000);
  });

  it('a redirect is a failure and is not followed', async () => {
    expect(await deliveryOf('redirect')).toMatchObject({ status: 'FAILED', attemptCount: 2 });
    expect(await attempts('redirect')).toMatchObject(Array(2).fill({ statusCode: 307, errorClass: 'http' }));
    expect(elsewhere.received).toEqual([]);
  });

  it.each([
    ['closed', 'refused', '127.0.0.1'],
    ['blocked', 'blocked', null],
    ['unknown', 'dns', null],
  ])('an endpoint that cannot be reached is retried: %s is of class %s', async (name, errorClass, ip) => {
    expect(await deliveryOf(name)).toMatchObject({ status: 'FAILED', attemptCount: 2 });
    const attempt = { errorClass, ip, statusCode: null, responseBody: null, errorMessage: expect.any(String) };
    expect(await attempts(name)).toMatchObject([attempt, attempt]);
  });
});

describe('a response', () => {
  it.each([
    ['large', 'SUCCEEDED', 200],
    ['large-failure', 'FAILED', 500],
  ])('that is too long counts by its status, and 16 KiB of it are kept: %s', async (name, status, statusCode) => {
    expect(await deliveryOf(name)).toMatchObject({ status, attemptCount: 1 });
    const kept = { statusCode, responseBody: LARGE.slice(0, 16_384), responseTruncated: true };
    expect(await attempts(name)).toMatchObject([kept]);
    expect(receiver.at(name)).toHaveLength(1);
  });

  it('with NUL, invalid UTF-8 and half surrogates is stored', async () => {
    expect(await deliveryOf('odd')).toMatchObject({ status: 'SUCCEEDED', attemptCount: 1 });
    const [attempt] = await attempts('odd');
    expect(attempt?.responseBody).toMatch(/^a\uFFFD+b$/);
  });
});

describe('the signatures', () => {
  it('cover the same bytes in every attempt, each with a fresh timestamp', async () => {
    const sent = await posts('always-503');

    expect(sent).toHaveLength(3);
    expect(new Set(sent.map(({ body }) => body)).size).toBe(1);
    expect(new Set(sent.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    const times = sent.map(({ headers }) => Number(headers['x-webhook-timestamp']));
    for (const [index, time] of times.entries()) {
      expect(Math.abs(time - (sent[index]?.at ?? 0))).toBeLessThan(30_000);
      expect(time).toBeGreaterThan(times[index - 1] ?? 0);
    }
  });

  it('are right for node:crypto and for standardwebhooks in every attempt', async () => {
    for (const { body, headers } of await posts('always-503')) {
      expect(headers['x-webhook-signature']).toBe(hex(SECRET, body));
      expect(new Webhook(SECRET).verify(body, headers as Record<string, string>)).toMatchObject({ modelCode: 'lead' });
    }
  });

  it('of a secret that is no whsec_ are made with its bytes', async () => {
    const { body, headers } = await firstPost('plain');

    expect(headers['x-webhook-signature']).toBe(hex(PLAIN_SECRET, body));
    const verifier = new Webhook(PLAIN_SECRET, { format: 'raw' });
    expect(verifier.verify(body, headers as Record<string, string>)).toMatchObject({ modelCode: 'lead' });
  });

  it('do not fit one flipped byte', async () => {
    const { body, headers } = await firstPost('always-503');
    const flipped = body.replace('Ada', 'Adb');

    expect(headers['x-webhook-signature']).not.toBe(hex(SECRET, flipped));
    expect(() => new Webhook(SECRET).verify(flipped, headers as Record<string, string>)).toThrow();
  });

  it('are absent without a secret', async () => {
    const [post] = await posts('ok');

    expect(post?.headers).not.toHaveProperty('x-webhook-signature');
    expect(post?.headers).not.toHaveProperty('webhook-signature');
    expect(post?.headers).toHaveProperty('webhook-id');
  });

  it('are of both secrets while a rotation overlaps, of the new one alone in X-Webhook-Signature', async () => {
    const { body, headers } = await firstPost('rotated');

    for (const secret of [OLD_SECRET, NEW_SECRET]) {
      expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({ modelCode: 'lead' });
    }
    expect(headers['x-webhook-signature']).toBe(hex(NEW_SECRET, body));
  });

  it('are of the new secret alone when the overlap is over', async () => {
    const { body, headers } = await firstPost('over-and-gone');

    expect(() => new Webhook(OLD_SECRET).verify(body, headers as Record<string, string>)).toThrow();
    expect(new Webhook(NEW_SECRET).verify(body, headers as Record<string, string>)).toBeTruthy();
  });
});

describe('a subscription that is disabled or deleted', () => {
  it.each([
    ['disabled', { enabled: false }],
    ['deleted', { deletedAt: new Date() }],
  ])('has its unfinished deliveries cancelled and their workflows ended: %s', async (what, fields) => {
    const others = await newTenant();
    const owner = await newUser(['ADMIN'], others);
    const failing = await Receiver.start();
    failing.answer = () => ({ status: 503 });
    const pid = await subscribe(others, owner, failing.url, { retryScheduleMs: [600_000] });
    await execute(owner.token, 'crm:create_lead', { payload: { name: 'Ada' } });
    const delivery = await waiting(pid);
    expect(delivery.status).toBe('RETRYING');

    await webhooks.change(pid, fields);
    await execute(owner.token, 'crm:create_lead', { payload: { name: 'Bea' } });

    expect(await workflowEnd(delivery.pid)).toBe('CANCELLED');
    expect(await webhooks.deliveriesOf(pid)).toMatchObject([
      { pid: delivery.pid, status: 'CANCELLED', reason: `subscription ${what}`, nextAttemptAt: null },
    ]);
    expect(failing.received).toHaveLength(1);
  });
});
