import { ApplicationFailure } from '@temporalio/common';
import { ApplicationError } from '../src/foundation/errors/application-error.ts';
import { toApplicationFailure } from '../src/foundation/errors/temporal-failure.ts';

/**
 * What an activity throws. Only transient errors are retried; every other error fails the activity. The
 * driver's words stay in this process's log: they may quote values, and histories are plain text.
 */
export function toFailure(error: unknown): ApplicationFailure {
  if (error instanceof ApplicationError && error.code !== 'SERVICE_UNAVAILABLE') return toApplicationFailure(error);
  const failure = ApplicationFailure.retryable('a passing fault', 'SERVICE_UNAVAILABLE');
  // Paths of this machine do not belong into a history either.
  failure.stack = '';
  return failure;
}

/** The outcome of a step, with its failures as Temporal is to see them. */
export async function failing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw toFailure(error);
  }
}
