import { validationError } from '../errors/application-error.ts';
import { object, textUpTo } from '../http/schema.ts';

const MAX_LENGTH = 2_000;

/** A body that is a reason alone, or an optional one. */
export const REASON_TEXT = textUpTo(MAX_LENGTH);
export const REASON_BODY = object({ reason: REASON_TEXT });

/** The reason that a change of shared state must give. @throws VALIDATION_ERROR with `fieldErrors.reason` */
export function parseReason({ reason }: Readonly<Record<string, unknown>>): string {
  if (reason === undefined || reason === null) throw validationError({ reason: 'is required' });
  if (typeof reason !== 'string' || reason.trim() === '' || !isStorable(reason)) {
    throw validationError({ reason: 'must be a text' });
  }
  if (reason.length > MAX_LENGTH) throw validationError({ reason: `must not be longer than ${MAX_LENGTH} characters` });
  return reason;
}

/** Whether Postgres gives the text back as it was: otherwise the audit trail's hashes would not fit what it says. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
