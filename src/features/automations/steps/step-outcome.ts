import { SecretUnreadableError } from '../../../foundation/secrets/secret-box.ts';
import { text } from '../../../foundation/i18n/text.ts';
import { ApplicationError } from '../../../foundation/errors/application-error.ts';
import type { NewEvent } from '../../../platform/events/outbox/outbox.ts';
import { toStoredError, type StoredError } from '../../../foundation/errors/failure.ts';
import { MAX_OUTPUT_BYTES } from '../automations.limits.ts';

/** Outcome of one attempt of a step; `event` is sent in the transaction that ends the attempt. */
export type StepOutcome =
  | { readonly kind: 'done'; readonly output: unknown; readonly event?: NewEvent }
  | { readonly kind: 'failed'; readonly error: StoredError; readonly retryable: boolean };

/** Failures that the same attempt would meet again. */
const FINAL: ReadonlySet<string> = new Set(['VALIDATION_ERROR', 'EXPRESSION_LIMIT', 'FORBIDDEN', 'NOT_FOUND']);

export function failedWith(error: ApplicationError, retryable = !isFinal(error)): StepOutcome {
  return { kind: 'failed', error: toStoredError(error), retryable };
}

function isFinal(error: ApplicationError): boolean {
  return FINAL.has(error.code) || error instanceof SecretUnreadableError;
}

export function withinSizeLimit(outcome: StepOutcome): StepOutcome {
  if (outcome.kind !== 'done' || outcome.output === undefined) return outcome;
  const bytes = Buffer.byteLength(JSON.stringify(outcome.output) ?? '');
  if (bytes <= MAX_OUTPUT_BYTES) return outcome;
  return failedWith(
    new ApplicationError('PAYLOAD_TOO_LARGE', {
      message: text('The step gave {bytes} bytes; a run keeps 1 MiB of one', { bytes }),
    }),
    false,
  );
}
