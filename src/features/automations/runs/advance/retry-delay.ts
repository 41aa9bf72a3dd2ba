import type { RetryPolicy } from '../../steps/step-schema.ts';
import { RETRY_DEFAULTS } from '../../automations.limits.ts';

/**
 * The delay before the next attempt; null when there is none.
 * @param attempt the one that has failed, from 1
 */
export function retryDelayMs(retry: RetryPolicy | undefined, attempt: number): number | null {
  const { maxAttempts, initialSeconds, factor, maxSeconds } = { ...RETRY_DEFAULTS, maxAttempts: 1, ...retry };
  if (attempt >= maxAttempts) return null;
  return Math.round(Math.min(maxSeconds, initialSeconds * factor ** (attempt - 1)) * 1_000);
}
