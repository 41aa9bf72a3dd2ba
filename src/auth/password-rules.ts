import { textOf } from '../http/formats.ts';

const MIN_LENGTH = 12;
const MAX_LENGTH = 128;

/** Length is what makes a password strong: there are no rules of composition. */
function problemOfNewPassword(password: string): string | null {
  // Lone surrogates all become the same bytes.
  if (!password.isWellFormed()) return 'is not valid';
  const { length } = [...password];
  return length < MIN_LENGTH || length > MAX_LENGTH ? `must have ${MIN_LENGTH} to ${MAX_LENGTH} characters` : null;
}

export const NEW_PASSWORD = textOf('new-password', problemOfNewPassword, {
  minLength: MIN_LENGTH,
  maxLength: MAX_LENGTH,
});

/** What is wrong with a new password; null when it will do. */
export function problemOfPassword(password: string, email: string): string | null {
  const problem = problemOfNewPassword(password);
  return problem === null && password.toLowerCase() === email.toLowerCase() ? 'must not be the e-mail' : problem;
}
