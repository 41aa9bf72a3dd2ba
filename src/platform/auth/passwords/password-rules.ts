import { problemOfStorable, textOf } from '../../../foundation/validation/formats.ts';
import { text, type Message } from '../../../foundation/i18n/text.ts';
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../auth.limits.ts';

/** Length is what makes a password strong: there are no rules of composition. */
function problemOfNewPassword(password: string): Message | null {
  // Lone surrogates all become the same bytes, and log-in takes no NUL.
  const problem = problemOfStorable(password);
  if (problem !== null) return problem;
  const { length } = [...password];
  return length < MIN_PASSWORD_LENGTH || length > MAX_PASSWORD_LENGTH
    ? text('must have {min} to {max} characters', { min: MIN_PASSWORD_LENGTH, max: MAX_PASSWORD_LENGTH })
    : null;
}

export const NEW_PASSWORD = textOf('new-password', problemOfNewPassword, {
  minLength: MIN_PASSWORD_LENGTH,
  maxLength: MAX_PASSWORD_LENGTH,
});

/** The problem of a new password; null if none. */
export function problemOfPassword(password: string, email: string): Message | null {
  const problem = problemOfNewPassword(password);
  return problem === null && password.toLowerCase() === email.toLowerCase() ? 'must not be the e-mail' : problem;
}
