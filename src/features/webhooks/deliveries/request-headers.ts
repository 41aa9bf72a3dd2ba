import { createHmac } from 'node:crypto';

/** What the headers of one attempt are made of. */
export interface DeliveryRequest {
  readonly eventType: string;
  readonly eventPid: string;
  /** The exact text that is sent. */
  readonly body: string;
  /** The secrets that sign, newest first. */
  readonly secrets: readonly string[];
  /** The subscription's own headers. */
  readonly extra: Readonly<Record<string, string>>;
  readonly now: Date;
  /** Under which the receiver's log may go on. */
  readonly traceparent?: string;
}

const USER_AGENT = 'Keelson-Webhooks/1';
const STANDARD_SECRET = 'whsec_';
/** Headers of the delivery itself, and those that belong to the connection. */
const FORBIDDEN: ReadonlySet<string> = new Set([
  'content-type',
  'content-length',
  'content-encoding',
  'user-agent',
  'host',
  'date',
  'expect',
  'accept-encoding',
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'proxy-authenticate',
  'proxy-authorization',
  'http2-settings',
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
  'traceparent',
]);

/** Whether a header is not a subscription's to set. */
export function isForbiddenHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return FORBIDDEN.has(lower) || lower.startsWith('x-webhook-');
}

/**
 * The headers of one attempt. Signatures cover the exact bytes of the body. Spec: "Delivery request";
 * Standard Webhooks beside it.
 */
export function deliveryHeaders(request: DeliveryRequest): Record<string, string> {
  const { eventType, eventPid, body, secrets, now, traceparent } = request;
  const extra = Object.entries(request.extra).filter(([name]) => !isForbiddenHeader(name));
  const seconds = Math.floor(now.getTime() / 1000).toString();
  const headers: Record<string, string> = {
    ...Object.fromEntries(extra),
    'content-type': 'application/json; charset=utf-8',
    'user-agent': USER_AGENT,
    'X-Webhook-Event': eventType,
    'X-Webhook-Timestamp': now.getTime().toString(),
    'webhook-id': eventPid,
    'webhook-timestamp': seconds,
    ...(traceparent !== undefined && { traceparent }),
  };
  const [newest] = secrets;
  if (newest !== undefined) {
    headers['X-Webhook-Signature'] = `sha256=${createHmac('sha256', newest).update(body).digest('hex')}`;
    headers['webhook-signature'] = secrets
      .map((secret) => `v1,${standardSignature(secret, `${eventPid}.${seconds}.${body}`)}`)
      .join(' ');
  }
  return headers;
}

function standardSignature(secret: string, signed: string): string {
  const key = secret.startsWith(STANDARD_SECRET)
    ? Buffer.from(secret.slice(STANDARD_SECRET.length), 'base64')
    : Buffer.from(secret, 'utf8');
  return createHmac('sha256', key).update(signed).digest('base64');
}
