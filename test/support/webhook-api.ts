import { call, type Answered, type CallOptions } from './api.ts';
import { runSql } from './platform.ts';
import type { TestUser } from './world.ts';

/** Calls the webhook endpoints as a user: `path` is what stands behind /api/webhooks. */
export function webhooks({ token }: TestUser, path = '', options: Omit<CallOptions, 'token'> = {}): Promise<Answered> {
  return call(`/api/webhooks${path}`, { ...options, token });
}

/** What a subscription needs at least, with `rest` over it. */
export function subscriptionBody(rest: Record<string, unknown> = {}): Record<string, unknown> {
  return { name: 'a test', targetUrl: 'http://127.0.0.1:18999/hook', eventType: 'crm:create_lead', ...rest };
}

/** Creates a subscription over the API. @returns its `data` */
export async function createSubscription(
  user: TestUser,
  rest: Record<string, unknown> = {},
  // oxlint-disable-next-line typescript/no-explicit-any
): Promise<any> {
  const { status, body } = await webhooks(user, '', { body: subscriptionBody(rest) });
  expect({ status, body }).toMatchObject({ status: 200 });
  return body.data;
}

/** What is wrong with a subscription that is refused. */
export async function problemsOfSubscription(user: TestUser, rest: Record<string, unknown>): Promise<unknown> {
  const { status, body } = await webhooks(user, '', { body: subscriptionBody(rest) });
  expect([status, body.code]).toEqual([400, 'VALIDATION_ERROR']);
  return body.data.fieldErrors;
}

/** What the audit trail has of a subscription, the oldest first. */
export function auditedOf(pid: string) {
  return runSql<{ action: string; before: unknown; after: unknown; reason: string | null }>(
    'select action, before, after, reason from platform.audit_entry where target_pid = $1 order by id',
    [pid],
  );
}
