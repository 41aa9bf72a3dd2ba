import type { ActingStepContent, RetryContent } from '../metadata/automation-content.ts';

const DEFAULT_TIMEOUT_SECONDS: Record<ActingStepContent['type'], number> = {
  command: 60,
  query: 30,
  http: 30,
  webhook: 30,
  assistant: 300,
};

/** How long one attempt of a compensation may take. */
export const UNDO_TIMEOUT_MS = 60_000;
/** A compensation is tried for longer than what it undoes: nobody else will do it. */
export const UNDO_RETRY: RetryContent = { maxAttempts: 5, initialSeconds: 1 };

/** How long one attempt of a step may take. */
export function stepTimeoutMs({ type, timeoutSeconds }: ActingStepContent): number {
  return (timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS[type]) * 1_000;
}

/** The delay before the next attempt; null when there is none. @param attempt the one that has failed, from 1 */
export function retryDelayMs(retry: RetryContent | undefined, attempt: number): number | null {
  const { maxAttempts, initialSeconds = 1, factor = 2, maxSeconds = 60 } = retry ?? { maxAttempts: 1 };
  if (attempt >= maxAttempts) return null;
  return Math.round(Math.min(maxSeconds, initialSeconds * factor ** (attempt - 1)) * 1_000);
}
