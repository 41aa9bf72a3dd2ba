import { toColumn } from '../../../foundation/i18n/text-column.ts';
import type { OutboundOutcome } from '../../../foundation/outbound/outcome.ts';
import type { AttemptEnd, StartedAttempt } from './delivery-attempts.ts';
import { nextDelayMs, retryAfterMs } from './retry-policy.ts';

/** How an attempt ends whose event the subscription's owner may not read any more. */
export const UNREADABLE: AttemptEnd = {
  status: 'CANCELLED',
  failedCount: 0,
  delayMs: null,
  durationMs: 0,
  statusCode: null,
  errorClass: 'blocked',
  errorMessage: 'the owner of the subscription may not read this event',
  ip: null,
  responseBody: null,
  responseTruncated: null,
  healthy: null,
};

/** How a delivery ends whose attempts ended the worker, one after the other. */
export const ENDLESS: AttemptEnd = {
  ...UNREADABLE,
  status: 'FAILED',
  errorMessage: 'the attempt was begun three times without an end',
};

/** What an outcome means for a delivery: it has arrived, is tried again after a delay, or has failed. */
export function endOf(
  begun: StartedAttempt,
  outcome: OutboundOutcome,
  defaultScheduleMs: readonly number[],
): AttemptEnd {
  const told = {
    durationMs: outcome.durationMs,
    ip: outcome.ip,
    ...(outcome.kind === 'response'
      ? {
          statusCode: outcome.statusCode,
          errorClass: isSuccess(outcome) ? null : 'http',
          errorMessage: null,
          responseBody: textFor(outcome.body),
          responseTruncated: outcome.truncated,
        }
      : {
          statusCode: null,
          errorClass: outcome.errorClass,
          errorMessage: toColumn(outcome.message),
          responseBody: null,
          responseTruncated: null,
        }),
    healthy: isHealthy(outcome),
  };
  if (isSuccess(outcome)) return { ...told, status: 'SUCCEEDED', failedCount: begun.failedCount, delayMs: null };
  const failedCount = begun.failedCount + 1;
  const policy = {
    maxRetries: begun.maxRetries,
    scheduleMs: begun.retryScheduleMs ?? defaultScheduleMs,
    timeoutMs: begun.timeoutMs,
  };
  const asked = outcome.kind === 'response' ? retryAfterMs(outcome.headers['retry-after']) : null;
  const delayMs = nextDelayMs(policy, failedCount, asked);
  return { ...told, status: delayMs === null ? 'FAILED' : 'RETRYING', failedCount, delayMs };
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

/** Postgres' text holds no NUL. */
function textFor(body: string): string {
  return body.replaceAll('\0', '\uFFFD');
}
