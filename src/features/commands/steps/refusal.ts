import { Type } from 'typebox';
import { conflict, validationError, type ApplicationError } from '../../../foundation/errors/application-error.ts';
import { quoted } from '../../../foundation/i18n/text.ts';

/** `data.reason` of a conflict that an author names. */
export const REFUSAL_REASON = Type.String({
  pattern: '^[A-Z][A-Z0-9_]{0,31}$',
  description: '`data.reason` of a CONFLICT; STATE by default',
});

/** What the caller of a command hears whose author's condition does not hold: 409 with a reason, or 400 at fields. */
export function refused(
  message: string,
  as: { readonly reason: string } | { readonly fields: readonly string[] },
): ApplicationError {
  const told = quoted(message);
  if ('reason' in as) return conflict(as.reason, told);
  return validationError(Object.fromEntries(as.fields.map((field) => [field, told])), told);
}
