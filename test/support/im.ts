import { createHmac } from 'node:crypto';
import { call, type Answered } from './api.ts';
import { newCode, save } from './models.ts';
import { newUser, type TestTenant, type TestUser } from './world.ts';

export const SECRET = 'the-secret-of-the-channel';

export interface TestChannel {
  readonly code: string;
  readonly manager: TestUser;
}

/** A channel of the test's own, answered by the demo's assistant and bound to a tenant. */
export async function newChannel(
  tenant: TestTenant,
  { kind = 'json', ...binding }: { kind?: 'json' | 'slack'; replyUrl?: string; roles?: string[] } = {},
): Promise<TestChannel> {
  const code = newCode();
  await save('dev', { resourceType: 'IM_CHANNEL', code, content: { name: code, kind, assistant: 'crm' } });
  const manager = await newUser(['ADMIN'], tenant);
  const bound = await bind(manager, code, binding);
  if (bound.status !== 200) throw new Error(JSON.stringify(bound.body));
  return { code, manager };
}

export function bind(user: TestUser, code: string, binding: Record<string, unknown>): Promise<Answered> {
  const body = { secret: SECRET, roles: ['VIEWER'], ...binding };
  return call(`/api/im/channels/${code}`, { method: 'PUT', token: user.token, body });
}

/** Posts a message as a channel of kind json does. */
export function post(
  code: string,
  message: unknown,
  options: { secret?: string; headers?: Record<string, string> } = {},
) {
  const body = typeof message === 'string' ? message : JSON.stringify(message);
  const { secret = SECRET, headers = {} } = options;
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  return call(`/api/im/${code}/messages`, { body, headers: { 'X-IM-Signature': signature, ...headers } });
}

/** Posts an event as Slack does. */
export function postSlack(code: string, event: unknown, { at = Date.now(), secret = SECRET } = {}): Promise<Answered> {
  const body = JSON.stringify(event);
  const timestamp = String(Math.floor(at / 1_000));
  const signature = `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')}`;
  const headers = { 'X-Slack-Signature': signature, 'X-Slack-Request-Timestamp': timestamp };
  return call(`/api/im/${code}/messages`, { body, headers });
}
