import { ApplicationError } from '../errors/application-error.ts';
import { toStoredError, type StoredError } from '../errors/failure.ts';

/** An event that a step has to send, in the transaction that ends it. */
export interface StepEvent {
  readonly eventType: string;
  readonly body: string;
}

/** What came of one attempt of a step. */
export type StepOutcome =
  | { readonly kind: 'done'; readonly output: unknown; readonly event?: StepEvent }
  | { readonly kind: 'failed'; readonly error: StoredError; readonly retryable: boolean };

/** Failures that the same attempt would meet again. */
const FINAL: ReadonlySet<string> = new Set(['VALIDATION_ERROR', 'FORBIDDEN', 'NOT_FOUND']);

export function failedWith(error: ApplicationError, retryable = !FINAL.has(error.code)): StepOutcome {
  return { kind: 'failed', error: toStoredError(error), retryable };
}

/** What a step gives later expressions; kept with the step, so its size has a limit. */
const MAX_OUTPUT_BYTES = 1024 * 1024;

export function checkedSize(outcome: StepOutcome): StepOutcome {
  if (outcome.kind !== 'done' || outcome.output === undefined) return outcome;
  const bytes = Buffer.byteLength(JSON.stringify(outcome.output) ?? '');
  if (bytes <= MAX_OUTPUT_BYTES) return outcome;
  return failedWith(
    new ApplicationError('PAYLOAD_TOO_LARGE', { message: `The step gave ${bytes} bytes; a run keeps 1 MiB of one` }),
    false,
  );
}
