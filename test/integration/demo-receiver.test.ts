import { spawn, type ChildProcess } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { OutboundHttp, type OutboundRequest } from '../../src/foundation/outbound/outbound-http.ts';
import { until } from '../support/faults.ts';

const SECRET = `whsec_${Buffer.from('a key of thirty-two bytes length').toString('base64')}`;
const BODY = '{"commandCode":"crm:create_lead","payload":{"name":"Ünïcode"}}';

let receiver: ChildProcess;
let output: string;
let url: string;
const client = new OutboundHttp(['127.0.0.0/8']);

/** Starts the receiver as a person would, on a free port. */
async function start(...args: string[]): Promise<void> {
  output = '';
  receiver = spawn(process.execPath, ['demo/receiver.mjs', '--port', '0', ...args]);
  receiver.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await until('the receiver listens', async () => output.includes('Listening on http'));
  url = /http:\S+/.exec(output)?.[0] ?? '';
}
afterEach(() => receiver.kill());
afterAll(() => client.close());

function headersFor(secret: string, { id = 'msg_1', ageSeconds = 0, body = BODY } = {}): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1000) - ageSeconds);
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret);
  return {
    'X-Webhook-Event': 'crm:create_lead',
    'X-Webhook-Signature': `sha256=${createHmac('sha256', Buffer.from(secret)).update(body).digest('hex')}`,
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
  };
}
const deliver = (headers: Record<string, string>, rest: Partial<OutboundRequest> = {}) =>
  client.send({ url, method: 'POST', headers, body: BODY, timeoutMs: 5_000, ...rest });

describe('the receiver of the demo', () => {
  it.each([SECRET, 'a plain secret, grün'])(
    'accepts what is signed with its secret %s, and shows it',
    async (secret) => {
      await start('--secret', secret);

      expect(await deliver(headersFor(secret))).toMatchObject({ statusCode: 200 });
      await until('it has shown the delivery', async () => output.includes('signatures are right'));
      expect(output).toContain('"name": "Ünïcode"');
    },
  );

  it('accepts one right signature among several', async () => {
    await start('--secret', SECRET);
    const headers = headersFor(SECRET);

    headers['webhook-signature'] = `v1,AAAA v1a,BBBB ${headers['webhook-signature']}`;

    expect(await deliver(headers)).toMatchObject({ statusCode: 200 });
  });

  it('refuses another body, another secret, another id, and what is not signed', async () => {
    await start('--secret', SECRET);
    const { 'X-Webhook-Signature': _one, ...half } = headersFor(SECRET);
    const { 'webhook-signature': _other, ...otherHalf } = headersFor(SECRET);

    expect(await deliver(headersFor(SECRET), { body: `${BODY} ` })).toMatchObject({ statusCode: 401 });
    for (const headers of [
      headersFor('other'),
      { ...headersFor(SECRET), 'webhook-id': 'msg_2' },
      half,
      otherHalf,
      {},
    ]) {
      expect(await deliver(headers)).toMatchObject({ statusCode: 401 });
    }
  });

  it('refuses what was sent more than five minutes ago, and what comes from the future', async () => {
    await start('--secret', SECRET);

    expect(await deliver(headersFor(SECRET, { ageSeconds: 290 }))).toMatchObject({ statusCode: 200 });
    for (const ageSeconds of [302, -330]) {
      const outcome = await deliver(headersFor(SECRET, { ageSeconds }));
      expect(outcome).toMatchObject({ statusCode: 401, body: expect.stringContaining('too old') });
    }
  });

  it('fails as often as it was told, and says when it has seen a delivery before', async () => {
    await start('--fail', '2');

    const statuses = [];
    for (let attempt = 0; attempt < 4; attempt += 1) {
      const outcome = await deliver(headersFor(SECRET));
      statuses.push(outcome.kind === 'response' ? [outcome.statusCode, JSON.parse(outcome.body).repeated] : outcome);
    }

    expect(statuses).toEqual([
      [500, false],
      [500, false],
      [200, false],
      [200, true],
    ]);
    await until('it has said so', async () => output.includes('seen before'));
  });

  it('waits before each answer as long as it was told', async () => {
    await start('--delay', '150');

    expect(await deliver({}, { timeoutMs: 50 })).toMatchObject({ errorClass: 'timeout' });
    const outcome = await deliver({});
    expect(outcome.durationMs).toBeGreaterThanOrEqual(149);
  });
});
