import type { Database } from '../../../foundation/database/pool.ts';
import { TurnBatch } from '../../../foundation/database/turn-batch.ts';
import { toColumn } from '../../../foundation/i18n/text.ts';
import { MAX_STARTS } from '../../../foundation/jobs/repeated-starts.ts';
import type { Logger } from '../../../foundation/logging/logger.ts';
import { traceHeaders } from '../../../foundation/logging/trace.ts';
import type { OutboundHttp } from '../../../foundation/outbound/outbound-http.ts';
import type { OutboundOutcome } from '../../../foundation/outbound/outcome.ts';
import type { SecretBox } from '../../../foundation/secrets/secret-box.ts';
import { suspensionOfOwned } from '../../../platform/auth/orphaned.ts';
import { CHANNEL_REPLY } from '../../../platform/events/audience/channel-replies.ts';
import type {
  EventQuestion,
  EventVisibility,
  VisibleBody,
} from '../../../platform/events/audience/event-visibility.ts';
import type { SnapshotCache } from '../../../platform/metadata/snapshot/snapshot-cache.ts';
import { readerOf } from '../subscription-reader.ts';
import { liveSecrets, openHeaders } from '../subscription-secrets.ts';
import { logBody, takeBack, type AttemptEnd, type StartedAttempt } from './delivery-attempts.ts';
import { maskHeaders } from '../masked-headers.ts';
import { deliveryHeaders } from './request-headers.ts';
import { nextDelayMs, retryAfterMs } from './retry-policy.ts';
import { LOGGED_HEADERS } from '../webhooks.limits.ts';

/** Sends what a started attempt is to send, and says what that means for its delivery. */
export type SendAttempt = (attempt: StartedAttempt) => Promise<AttemptEnd>;

interface Parts {
  readonly database: Database;
  readonly snapshots: SnapshotCache;
  readonly visibility: EventVisibility;
  readonly outbound: OutboundHttp;
  readonly box: SecretBox;
  readonly logger: Logger;
  /** The delays of subscriptions that name none. */
  readonly retryScheduleMs: readonly number[];
}

/** @returns a sender that throws transient faults of our own, before anything was sent */
export function attemptSender({ database, box, logger, outbound, retryScheduleMs, ...parts }: Parts): SendAttempt {
  const bodyFor = bodySource({ database, ...parts });
  return async (attempt) => {
    if (attempt.lost >= MAX_STARTS) return ENDLESS;
    // Begun without an end would count against a delivery that has ended no worker.
    const body = await bodyFor(attempt).catch(async (error: unknown) => {
      await takeBack(database, attempt);
      throw error;
    });
    if (body === null) return UNREADABLE;
    const { targetUrl: url, timeoutMs } = attempt;
    const headers = signedHeaders(box, logger, attempt, body);
    const outcome = headers ? await outbound.send({ url, method: 'POST', headers, body, timeoutMs }) : UNSIGNABLE;
    return endOf(attempt, outcome, retryScheduleMs);
  };
}

/**
 * What the subscription's owner may see of the event now; null when that is nothing, or the subscription is
 * paused. The owner and their rights may have changed since the event was matched, so each attempt asks.
 */
function bodySource({ database, snapshots, visibility }: Pick<Parts, 'database' | 'snapshots' | 'visibility'>) {
  const visibleBodies = new TurnBatch<EventQuestion, VisibleBody | null>((questions) =>
    visibility.visibleBodies((work) => database.transaction(work), questions),
  );
  return async (attempt: StartedAttempt): Promise<string | null> => {
    const metadata = await snapshots.current(attempt.environment);
    if (suspensionOfOwned(attempt, attempt.ownerRoles, metadata) !== null) return null;
    // A channel's reply is its own body, and its binding says where it goes.
    if (attempt.eventType === CHANNEL_REPLY) return attempt.loggedBody;
    const visible = await visibleBodies.do({ event: attempt, reader: readerOf(attempt, metadata) });
    if (!visible) return null;
    if (visible.text !== attempt.loggedBody) await logBody(database, attempt.pid, visible.text);
    return visible.text ?? attempt.body;
  };
}

/**
 * Null when a secret cannot be read: SECRETS_KEY was exchanged. Unsigned it must not go out; the subscription
 * needs its secret set again.
 */
function signedHeaders(box: SecretBox, logger: Logger, attempt: StartedAttempt, body: string) {
  const { subscriptionPid: pid, eventType, eventPid, secrets, headers } = attempt;
  const now = new Date();
  try {
    const signing = liveSecrets(box, { pid, secrets }, now);
    const extra = openHeaders(box, { pid, headers });
    return deliveryHeaders({ ...traceHeaders(), eventType, eventPid, body, now, secrets: signing, extra });
  } catch (error) {
    logger.error({ err: error, subscriptionPid: pid }, 'a webhook cannot be signed');
    return null;
  }
}

const UNSIGNABLE: OutboundOutcome = {
  kind: 'error',
  errorClass: 'blocked',
  message: "the subscription's secret cannot be read any more; set it again",
  ip: null,
  durationMs: 0,
};

/** How an attempt ends whose event the subscription's owner may not read any more. */
const UNREADABLE: AttemptEnd = {
  status: 'CANCELLED',
  failedCount: 0,
  delayMs: null,
  durationMs: 0,
  statusCode: null,
  errorClass: 'blocked',
  errorMessage: 'the owner of the subscription may not read this event',
  ip: null,
  responseHeaders: null,
  responseBody: null,
  responseTruncated: null,
  healthy: null,
};

/** How a delivery ends whose attempts ended the worker, one after the other. */
const ENDLESS: AttemptEnd = {
  ...UNREADABLE,
  status: 'FAILED',
  errorMessage: 'the attempt was begun three times without an end',
};

/** What an outcome means for a delivery: it has arrived, is tried again after a delay, or has failed. */
function endOf(begun: StartedAttempt, outcome: OutboundOutcome, defaultScheduleMs: readonly number[]): AttemptEnd {
  const reported = {
    durationMs: outcome.durationMs,
    ip: outcome.ip,
    ...(outcome.kind === 'response'
      ? {
          statusCode: outcome.statusCode,
          errorClass: isSuccess(outcome) ? null : 'http',
          errorMessage: null,
          responseHeaders: loggedHeaders(outcome.headers),
          responseBody: textFor(outcome.body),
          responseTruncated: outcome.truncated,
        }
      : {
          statusCode: null,
          errorClass: outcome.errorClass,
          errorMessage: toColumn(outcome.message),
          responseHeaders: null,
          responseBody: null,
          responseTruncated: null,
        }),
    healthy: isHealthy(outcome),
  };
  if (isSuccess(outcome)) return { ...reported, status: 'SUCCEEDED', failedCount: begun.failedCount, delayMs: null };
  const failedCount = begun.failedCount + 1;
  const policy = {
    maxRetries: begun.maxRetries,
    scheduleMs: begun.retryScheduleMs ?? defaultScheduleMs,
    timeoutMs: begun.timeoutMs,
  };
  const requestedMs = outcome.kind === 'response' ? retryAfterMs(outcome.headers['retry-after']) : null;
  const delayMs = nextDelayMs(policy, failedCount, requestedMs);
  return { ...reported, status: delayMs === null ? 'FAILED' : 'RETRYING', failedCount, delayMs };
}

function isSuccess(outcome: OutboundOutcome): boolean {
  return outcome.kind === 'response' && outcome.statusCode >= 200 && outcome.statusCode < 300;
}

/**
 * A 4xx is about the event, not about the endpoint's health; what we refuse to call says nothing about it.
 */
function isHealthy(outcome: OutboundOutcome): boolean | null {
  if (outcome.kind === 'response') return outcome.statusCode < 500;
  return outcome.errorClass === 'blocked' ? null : false;
}

/** The first of them, each up to a length, without what may be a credential. */
function loggedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const first = Object.entries(headers).slice(0, LOGGED_HEADERS.most);
  const masked = maskHeaders(Object.fromEntries(first));
  return Object.fromEntries(
    Object.entries(masked).map(([name, value]) => [name, textFor(value.slice(0, LOGGED_HEADERS.maxLength))]),
  );
}

/** Postgres' text holds no NUL. */
function textFor(body: string): string {
  return body.replaceAll('\0', '\uFFFD');
}
