import { MAX_ANSWER_BYTES } from '../foundation.limits.ts';
import { text } from '../i18n/text.ts';
import { ApplicationError, conflict } from './application-error.ts';

const TOO_LARGE = 'TOO_LARGE';

/** Whether fewer of the same records, or fewer fields, may be had. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof ApplicationError && error.data?.reason === TOO_LARGE;
}

export function tooLarge(maxBytes = MAX_ANSWER_BYTES): ApplicationError {
  const maxMb = maxBytes / 1024 / 1024;
  return conflict(
    TOO_LARGE,
    text('This has more than {maxMb} MiB: ask for fewer records (pageSize), fields or expansions', { maxMb }),
  );
}

/**
 * The same for what a write reads and keeps of records: those that it changes, and those that go with them.
 */
export function tooLargeToWrite(): ApplicationError {
  const maxMb = MAX_ANSWER_BYTES / 1024 / 1024;
  return conflict(
    TOO_LARGE,
    text('This reads or changes records of more than {maxMb} MiB at once: do it in parts, related records first', {
      maxMb,
    }),
  );
}
