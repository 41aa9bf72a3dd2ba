import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { ImChannelContent } from './channel-type.ts';
import { SLACK_WINDOW_SECONDS } from './messaging.limits.ts';

/** Checks the signature of a request. @param body the exact bytes */
export function isSigned(
  kind: ImChannelContent['kind'],
  headers: IncomingHttpHeaders,
  body: Buffer,
  secret: string,
  now: Date,
): boolean {
  return kind === 'slack' ? isSlackSigned(headers, body, secret, now) : isJsonSigned(headers, body, secret);
}

/** `X-IM-Signature: sha256=<hex HMAC of the body>`. */
function isJsonSigned(headers: IncomingHttpHeaders, body: Buffer, secret: string): boolean {
  const expected = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  return isSame(headers['x-im-signature'], expected);
}

/** Slack's `v0`: the timestamp is signed with the body, which prevents replays. */
function isSlackSigned(headers: IncomingHttpHeaders, body: Buffer, secret: string, now: Date): boolean {
  const timestamp = String(headers['x-slack-request-timestamp'] ?? '');
  if (!/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(now.getTime() / 1_000 - Number(timestamp)) > SLACK_WINDOW_SECONDS) return false;
  const signed = createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest('hex');
  return isSame(headers['x-slack-signature'], `v0=${signed}`);
}

function isSame(given: string | string[] | undefined, expected: string): boolean {
  const one = Buffer.from(String(given ?? ''));
  const other = Buffer.from(expected);
  return one.length === other.length && timingSafeEqual(one, other);
}
