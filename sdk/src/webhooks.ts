import type { AppTypes, AnyApp } from './app-types.ts';

const TOLERANCE_SECONDS = 300;

/** A request that is no genuine delivery: answer 401. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

type BodyOf<A extends AppTypes> = {
  [T in keyof A['events'] & string]: { readonly eventType: T; readonly body: A['events'][T] };
}[keyof A['events'] & string];

/** A genuine delivery. */
export type WebhookDelivery<A extends AppTypes = AnyApp> = BodyOf<A> & {
  /** The same in every attempt: what was processed already is known by it. */
  readonly id: string;
  /** When the attempt was made. */
  readonly sentAt: Date;
  /** A test sends no event. */
  readonly isTest: boolean;
};

export interface VerifyOptions {
  /** How far the time of the request may be off, in seconds. */
  readonly toleranceSeconds?: number;
}

/**
 * Checks the signature and the time of a delivery, as docs/webhooks.md says.
 * @param secrets the subscription's secret; while it is rotated, the old and the new one
 * @param body the bytes of the request, before any parsing
 * @throws WebhookError
 */
export async function verifyWebhook<A extends AppTypes = AnyApp>(
  secrets: string | readonly string[],
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>,
  body: string | Uint8Array,
  { toleranceSeconds = TOLERANCE_SECONDS }: VerifyOptions = {},
): Promise<WebhookDelivery<A>> {
  const header = (name: string): string =>
    String((headers instanceof Headers ? headers.get(name) : headers[name]) ?? '');
  const [id, seconds] = [header('webhook-id'), header('webhook-timestamp')];
  if (!(Math.abs(Date.now() / 1_000 - Number(seconds || NaN)) <= toleranceSeconds)) {
    throw new WebhookError('The timestamp is missing, or too far off');
  }
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const start = new TextEncoder().encode(`${id}.${seconds}.`);
  const signed = new Uint8Array(start.length + bytes.length);
  signed.set(start);
  signed.set(bytes, start.length);
  const signatures = header('webhook-signature').split(' ').flatMap(bytesOfSignature);
  for (const secret of [secrets].flat()) {
    const key = await crypto.subtle.importKey('raw', keyOf(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
      'verify',
    ]);
    for (const signature of signatures) {
      // WebCrypto compares in constant time.
      if (!(await crypto.subtle.verify('HMAC', key, signature, signed))) continue;
      return {
        id,
        sentAt: new Date(Number(seconds) * 1_000),
        isTest: header('x-webhook-test') === 'true',
        eventType: header('x-webhook-event'),
        body: JSON.parse(new TextDecoder().decode(bytes)) as unknown,
      } as unknown as WebhookDelivery<A>;
    }
  }
  throw new WebhookError('No signature matches');
}

function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  return secret.startsWith('whsec_') ? bytesOf(secret.slice(6)) : new TextEncoder().encode(secret);
}

function bytesOfSignature(signature: string): Uint8Array<ArrayBuffer>[] {
  try {
    return signature.startsWith('v1,') ? [bytesOf(signature.slice(3))] : [];
  } catch {
    return [];
  }
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
