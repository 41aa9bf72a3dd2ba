import { fromColumn } from '../../../foundation/i18n/text.ts';
import type { Suspension } from '../../../platform/auth/accounts/vouching.ts';
import type { SecretBox } from '../../../foundation/secrets/secret-box.ts';
import { maskHeaders } from '../masked-headers.ts';
import type { Headers } from './subscription-headers.ts';
import type { SubscriptionSettings } from './subscription-request.ts';
import { openHeaders } from '../subscription-secrets.ts';
import type { EndpointState, Subscription } from '../subscription.entity.ts';

/** A subscription with what is known of its endpoint. */
export interface SubscriptionDetails {
  readonly subscription: Subscription;
  readonly endpoint: EndpointState | undefined;
  /** Why it is paused; null where it is not. */
  readonly paused: Suspension | null;
}

/** A circuit opens after so many failures in a row; 0: never. */
export type CircuitFailures = number;

/** What people may see of a subscription: no secret, and no header that may be a credential. */
export function presentSubscription(
  { subscription, endpoint, paused }: SubscriptionDetails,
  box: SecretBox,
  circuitFailures: CircuitFailures,
) {
  const { pid, secrets, disabledReason = null, createdBy, ownedBy, createdAt, updatedAt } = subscription;
  return {
    pid,
    ...settingsOf(subscription),
    headers: shownHeaders(subscription, box),
    hasSecret: secrets.length > 0,
    disabledReason: fromColumn(disabledReason),
    circuit: circuitOf(endpoint, circuitFailures),
    paused,
    createdBy,
    ownedBy,
    createdAt,
    updatedAt,
  };
}

export function settingsOf(subscription: Subscription): SubscriptionSettings {
  const { name, targetUrl, eventType, maxRetries, timeoutMs, ordering, enabled } = subscription;
  const { description = null, modelCode = null, filterExpression = null } = subscription;
  const { retryScheduleMs = null, rateLimitPerSecond = null } = subscription;
  return {
    name,
    description,
    targetUrl,
    eventType,
    modelCode,
    filterExpression,
    maxRetries,
    timeoutMs,
    retryScheduleMs,
    rateLimitPerSecond,
    ordering,
    enabled,
  };
}

/** A subscription as the audit trail keeps it: what it has of secrets and headers, not what they are. */
export function auditedSubscription(subscription: Subscription, headerNames: readonly string[] | null) {
  const { secrets, disabledReason = null } = subscription;
  return {
    ...settingsOf(subscription),
    headers: headerNames,
    secrets: secrets.length,
    disabledReason: fromColumn(disabledReason),
  };
}

/** Null: they were sealed under another SECRETS_KEY, and have to be set again. */
function shownHeaders(subscription: Subscription, box: SecretBox): Headers | null {
  const headers = readableHeaders(subscription, box);
  return headers && maskHeaders(headers);
}

/** The headers, or null when they cannot be read any more. */
export function readableHeaders(subscription: Subscription, box: SecretBox): Headers | null {
  try {
    return openHeaders(box, subscription);
  } catch {
    return null;
  }
}

function circuitOf(endpoint: EndpointState | undefined, circuitFailures: CircuitFailures) {
  const { failures = 0, openUntil = null } = endpoint ?? {};
  const isTripped = circuitFailures > 0 && failures >= circuitFailures;
  const isOpen = openUntil !== null && openUntil > new Date();
  return { state: isOpen ? 'OPEN' : isTripped ? 'HALF_OPEN' : 'CLOSED', failures, openUntil };
}
