import { ApplicationFailure } from '@temporalio/common';
import type { ApplicationError } from './application-error.ts';
import { isErrorCode, type ErrorCode } from './catalogue.ts';

/**
 * The Temporal form of an error: the code travels as the failure's `type`. It is final: repeating a command
 * that broke a rule would break it again. Field values of `data` stay out of the history; the execution row
 * keeps them.
 */
export function toApplicationFailure(error: ApplicationError): ApplicationFailure {
  const failure = ApplicationFailure.create({ type: error.code, message: error.message, nonRetryable: true });
  // A rule that was broken has no interesting place in the code; paths of this machine do not belong into a
  // history.
  failure.stack = '';
  return failure;
}

/**
 * The catalogue code of a failure that came back from Temporal, however deep it is wrapped; null for any
 * other.
 */
export function codeOfFailure(failure: unknown): ErrorCode | null {
  for (let current = failure; current instanceof Error; current = current.cause) {
    if (current instanceof ApplicationFailure && isErrorCode(current.type)) return current.type;
  }
  return null;
}
