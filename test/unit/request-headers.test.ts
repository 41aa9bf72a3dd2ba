import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { deliveryHeaders, isForbiddenHeader } from '../../src/features/webhooks/deliveries/request-headers.ts';
import { newSecret } from '../../src/features/webhooks/subscription-secrets.ts';

const body = '{"commandCode":"crm:create_lead","payload":{"name":"Zoë – \u{1F6A2}"}}';
const request = {
  eventType: 'crm:create_lead',
  eventPid: '01JEVENT',
  body,
  secrets: [] as string[],
  extra: {},
  now: new Date(),
};

describe('the headers of a delivery', () => {
  it('name the event type and the time in epoch milliseconds', () => {
    expect(deliveryHeaders(request)).toMatchObject({
      'X-Webhook-Event': 'crm:create_lead',
      'X-Webhook-Timestamp': String(request.now.getTime()),
      'content-type': 'application/json; charset=utf-8',
      'webhook-id': '01JEVENT',
      'webhook-timestamp': String(Math.floor(request.now.getTime() / 1000)),
    });
  });

  it('hold a signature only when the subscription has a secret', () => {
    const names = Object.keys(deliveryHeaders(request)).map((name) => name.toLowerCase());

    expect(names).not.toContain('x-webhook-signature');
    expect(names).not.toContain('webhook-signature');
  });

  it.each(['a plain secret, ü', 'whsec_c2VjcmV0'])('sign the exact bytes with the secret as given: %s', (secret) => {
    const expected = createHmac('sha256', Buffer.from(secret, 'utf8')).update(Buffer.from(body, 'utf8')).digest('hex');

    expect(deliveryHeaders({ ...request, secrets: [secret] })['X-Webhook-Signature']).toBe(`sha256=${expected}`);
  });

  it('satisfy a verifier of Standard Webhooks', () => {
    const secret = newSecret();
    const headers = deliveryHeaders({ ...request, secrets: [secret] });

    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
  });

  it('satisfy it with a secret of any form, whose bytes are the key', () => {
    const headers = deliveryHeaders({ ...request, secrets: ['plain ü'] });

    expect(new Webhook(Buffer.from('plain ü'), { format: 'raw' }).verify(body, headers)).toEqual(JSON.parse(body));
  });

  it('satisfy it with either secret while both are live; X-Webhook-Signature is by the newest', () => {
    const [newest, older] = [newSecret(), newSecret()];
    const headers = deliveryHeaders({ ...request, secrets: [newest, older] });

    expect(() => new Webhook(newest).verify(body, headers)).not.toThrow();
    expect(() => new Webhook(older).verify(body, headers)).not.toThrow();
    expect(headers['X-Webhook-Signature']).toBe(`sha256=${createHmac('sha256', newest).update(body).digest('hex')}`);
  });

  it('do not satisfy it after one byte was changed, of the body or of the time', () => {
    const secret = newSecret();
    const headers = deliveryHeaders({ ...request, secrets: [secret] });
    const later = { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) };

    expect(() => new Webhook(secret).verify(body.replace('create', 'creatf'), headers)).toThrow(
      'No matching signature',
    );
    expect(() => new Webhook(secret).verify(body, later)).toThrow('No matching signature');
  });

  it("hold the subscription's own, which never replace any of those or the connection's", () => {
    const headers = deliveryHeaders({
      ...request,
      secrets: ['s'],
      extra: {
        'X-Api-Key': 'k',
        'x-webhook-signature': 'no',
        'Webhook-Id': 'no',
        HOST: 'no',
        'Transfer-Encoding': 'chunked',
      },
    });

    expect(headers['X-Api-Key']).toBe('k');
    expect(Object.values(headers)).not.toContain('no');
    expect(Object.keys(headers).map((name) => name.toLowerCase())).not.toContain('transfer-encoding');
    expect(isForbiddenHeader('X-Webhook-Test')).toBe(true);
  });
});
