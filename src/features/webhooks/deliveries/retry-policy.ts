import { MAX_RETRY_AFTER_MS, MIN_RETRY_WINDOW_MS, RETRY_JITTER } from '../webhooks.limits.ts';

/** How one subscription's deliveries are tried. Times are in milliseconds. */
export interface RetryPolicy {
  /** Retries after the first attempt. */
  readonly maxRetries: number;
  /** The delay before each retry; the last one goes on for the retries after it. */
  readonly scheduleMs: readonly number[];
  readonly timeoutMs: number;
}

/**
 * The delay before the next try, or null when there is none left. Up to 20 % longer than scheduled, so that
 * what failed together does not come back together; `Retry-After` may lengthen it, up to an hour, and never
 * shortens it.
 * @param failed how many attempts have failed, this one included
 * @param random from 0 to 1
 */
export function nextDelayMs(
  { maxRetries, scheduleMs }: RetryPolicy,
  failed: number,
  retryAfterMs: number | null = null,
  random: number = Math.random(),
): number | null {
  if (failed > maxRetries) return null;
  const scheduled = Math.round(delayBefore(scheduleMs, failed) * (1 + RETRY_JITTER * random));
  return Math.max(scheduled, Math.min(retryAfterMs ?? 0, MAX_RETRY_AFTER_MS));
}

/**
 * How long all tries together may take. A delivery may wait for its turn behind an open circuit, but not for
 * ever: when this is over it has failed.
 */
export function retryWindowMs({ maxRetries, scheduleMs, timeoutMs }: RetryPolicy): number {
  let total = 0;
  for (let failed = 0; failed <= maxRetries; failed += 1) {
    total += timeoutMs + (failed === 0 ? 0 : delayBefore(scheduleMs, failed) * (1 + RETRY_JITTER));
  }
  return Math.max(MIN_RETRY_WINDOW_MS, Math.ceil(total * 1.5));
}

function delayBefore(scheduleMs: readonly number[], retry: number): number {
  return scheduleMs[Math.min(retry, scheduleMs.length) - 1] ?? 0;
}

/** `Retry-After` as seconds or as an HTTP date, in milliseconds from now; null when it is neither. */
export function retryAfterMs(header: string | string[] | undefined, now: number = Date.now()): number | null {
  const text = Array.isArray(header) ? header[0] : header;
  if (text === undefined) return null;
  if (/^\s*\d{1,10}\s*$/.test(text)) return Number(text) * 1_000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
