import { deliveryHeaders } from '../../src/features/webhooks/deliveries/request-headers.ts';
import { newSecret } from '../../src/features/webhooks/subscription-secrets.ts';
import { verifyWebhook, WebhookError } from '../../sdk/src/index.ts';

const [secret, former] = [newSecret(), 'a plain secret'];
const body = '{"commandCode":"crm:create_lead","payload":{"name":"Zoë"}}';
const headers = (secrets: string[], now = new Date(), sent = body) =>
  deliveryHeaders({ eventType: 'crm:create_lead', eventPid: '01JEVENT', body: sent, extra: {}, now, secrets });
const lowered = (given: Record<string, string>) =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]));

describe('verifyWebhook', () => {
  it.each([
    ['Headers and a text', (given: Record<string, string>) => new Headers(given), body],
    ['headers of Node and bytes', lowered, new TextEncoder().encode(body)],
  ])('gives the event of a genuine delivery, from %s', async (_from, as, sent) => {
    const sentAt = new Date(Math.floor(Date.now() / 1_000) * 1_000);

    expect(await verifyWebhook(secret, as(headers([secret], sentAt)), sent)).toEqual({
      id: '01JEVENT',
      sentAt,
      isTest: false,
      eventType: 'crm:create_lead',
      body: { commandCode: 'crm:create_lead', payload: { name: 'Zoë' } },
    });
  });

  it('takes either secret while they are rotated, on either side', async () => {
    const rotating = new Headers(headers([secret, former]));
    for (const one of [secret, former]) expect(await verifyWebhook(one, rotating, body)).toBeDefined();
    expect(await verifyWebhook([former, secret], new Headers(headers([secret])), body)).toBeDefined();
  });

  it.each([
    ['another secret', [newSecret()], new Date(), body],
    ['another body', [secret], new Date(), `${body} `],
    ['a request of long ago', [secret], new Date(Date.now() - 301_000), body],
    ['a request of the future', [secret], new Date(Date.now() + 3_600_000), body],
  ])('refuses %s', async (_what, secrets, now, received) => {
    await expect(verifyWebhook(secret, new Headers(headers(secrets, now)), received)).rejects.toThrow(WebhookError);
  });

  it('refuses what is not signed, or not in a form that can be read', async () => {
    const genuine = headers([secret]);
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
      for (const value of ['', 'x', 'v1,', 'v1,%%%', 'NaN']) {
        const changed = new Headers({ ...genuine, [name]: value });
        await expect(verifyWebhook(secret, changed, body)).rejects.toThrow(WebhookError);
      }
    }
  });
});
