import type { Actor } from '../../../platform/auth/requests/actor.ts';
import { newPid } from '../../../foundation/database/pid.ts';
import type { Database } from '../../../foundation/database/pool.ts';
import { conflict } from '../../../foundation/errors/application-error.ts';
import { text, Text } from '../../../foundation/i18n/text.ts';
import { traceHeaders } from '../../../foundation/logging/trace.ts';
import type { OutboundHttp } from '../../../foundation/outbound/outbound-http.ts';
import type { OutboundOutcome } from '../../../foundation/outbound/outcome.ts';
import type { SecretBox } from '../../../foundation/secrets/secret-box.ts';
import { matchesFilter } from '../../../platform/events/event-filter.ts';
import { newestEvents } from '../../../platform/events/outbox/outbox.ts';
import { matchesEventType } from '../../../platform/metadata/resources/event-types.ts';
import { sampleFor } from './event-types.ts';
import { deliveryHeaders } from '../deliveries/request-headers.ts';
import { maskHeaders } from '../masked-headers.ts';
import type { Headers } from './subscription-headers.ts';
import { liveSecrets, openHeaders } from '../subscription-secrets.ts';
import type { Subscription } from '../subscription.entity.ts';
import { readerOf } from '../subscription-reader.ts';
import { within, type EventVisibility } from '../../../platform/events/audience/event-visibility.ts';
import { TEST_CANDIDATES } from '../webhooks.limits.ts';

/** What came of a test. Bodies are texts: that of the request is the exact one that was signed. */
export interface TestResult {
  readonly delivered: boolean;
  readonly statusCode: number | null;
  readonly durationMs: number;
  readonly request: { readonly headers: Headers; readonly body: string };
  readonly response: { readonly headers: Headers; readonly body: string; readonly truncated: boolean } | null;
  readonly error: { readonly errorClass: string; readonly message: Text } | null;
}

interface TestEvent {
  readonly eventType: string;
  readonly body: string;
}

/** Lets receivers recognize a test. */
const TEST_HEADER = { 'X-Webhook-Test': 'true' };

interface Parts {
  readonly database: Database;
  readonly visibility: EventVisibility;
  readonly outbound: OutboundHttp;
  readonly box: SecretBox;
}

/**
 * Sends one request as a delivery would be sent: at once, once, also for a disabled subscription. It is not
 * logged, and holds nothing that the actor may not read, whatever the subscription may: the answer shows it.
 * @param sample false: the newest real event that the subscription matches
 * @throws CONFLICT (NO_EVENT) when there is none
 */
export type SendTest = (actor: Actor, subscription: Subscription, sample: boolean) => Promise<TestResult>;

export function testSender({ outbound, box, ...parts }: Parts): SendTest {
  return async (actor, subscription, sample) => {
    const { eventType, body } = sample
      ? sampleEvent(actor, subscription)
      : await newestEvent(parts, actor, subscription);
    const { pid, secrets, targetUrl: url, timeoutMs } = subscription;
    const now = new Date();
    const extra = openHeaders(box, subscription);
    // An id of its own: a receiver that knows the event's would take this, or the real one, for a duplicate.
    const signed = { eventType, eventPid: newPid(), body, now, secrets: liveSecrets(box, { pid, secrets }, now) };
    const headers = { ...deliveryHeaders({ ...signed, ...traceHeaders(), extra }), ...TEST_HEADER };
    const outcome = await outbound.send({ url, method: 'POST', headers, body, timeoutMs });
    return { ...resultOf(outcome), request: { headers: { ...headers, ...maskHeaders(extra) }, body } };
  };
}

function sampleEvent(actor: Actor, subscription: Subscription): TestEvent {
  const both = { has: (code: string) => actor.permissions.has(code) && reader.permissions.has(code) };
  const reader = readerOf(subscription, actor.metadata);
  const { eventType, sample } = sampleFor(
    { ...actor, permissions: both },
    subscription.eventType,
    subscription.modelCode ?? null,
  );
  return { eventType, body: JSON.stringify(sample) };
}

async function newestEvent(
  { database, visibility }: Pick<Parts, 'database' | 'visibility'>,
  actor: Actor,
  subscription: Subscription,
): Promise<TestEvent> {
  const { environment, tenantId, eventType: pattern, modelCode = null, filterExpression: filter } = subscription;
  const found = await database.transaction(async (transaction) => {
    const scope = { environment, tenantId, modelCode };
    for (const event of await newestEvents(transaction, scope, pattern, TEST_CANDIDATES)) {
      if (!matchesEventType(pattern, event.eventType)) continue;
      const sent = await visibility.visibleBody(within(transaction), event, readerOf(subscription, actor.metadata));
      if (!sent || (filter && !matchesFilter(filter, sent.body()))) continue;
      const body = sent.text ?? event.body;
      const shown = await visibility.visibleBody(within(transaction), { ...event, body }, actor);
      if (shown) return { eventType: event.eventType, body: shown.text ?? body };
    }
    return null;
  });
  if (!found) throw conflict('NO_EVENT', 'No event of late matches the subscription; test it with a sample');
  return found;
}

function resultOf(outcome: OutboundOutcome): Omit<TestResult, 'request'> {
  const { durationMs } = outcome;
  if (outcome.kind === 'error') {
    const { errorClass, message } = outcome;
    const error = { errorClass, message: Text.from(message) };
    return { delivered: false, statusCode: null, durationMs, response: null, error };
  }
  const { statusCode, headers, body, truncated } = outcome;
  const delivered = statusCode >= 200 && statusCode < 300;
  const error = delivered
    ? null
    : { errorClass: 'http', message: text('the endpoint answered {status}', { status: statusCode }) };
  return { delivered, statusCode, durationMs, response: { headers, body, truncated }, error };
}
