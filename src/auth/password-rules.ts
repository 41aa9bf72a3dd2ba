import { text } from '../http/schema.ts';

const MIN_LENGTH = 12;
const MAX_LENGTH = 128;

export const NEW_PASSWORD = text({ minLength: MIN_LENGTH, maxLength: MAX_LENGTH });

/** What is wrong with a new password; null when it will do. Length is what makes it strong: there are no rules of composition. */
export function problemOfPassword(password: unknown, email: string): string | null {
  if (password === undefined || password === null || password === '') return 'is required';
  if (typeof password !== 'string') return 'must be a text';
  // Lone surrogates all become the same bytes.
  if (!password.isWellFormed()) return 'is not valid';
  const { length } = [...password];
  if (length < MIN_LENGTH || length > MAX_LENGTH) return `must have ${MIN_LENGTH} to ${MAX_LENGTH} characters`;
  return password.toLowerCase() === email.toLowerCase() ? 'must not be the e-mail' : null;
}
