import { type Message, text } from '../../../foundation/i18n/text.ts';
/** The values of an environment's secrets: `EnvironmentSecrets.open`. */
export interface Secrets {
  open(environment: string, names: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** What a secret of an environment may be called. */
export const SECRET_NAME = /^[A-Z][A-Z0-9_]{0,63}$/;

const REFERENCE = /\{\{secret:([^{}]*)\}\}/g;

/** The secrets that a text names by `{{secret:NAME}}`. */
export function secretsIn(text: string): string[] {
  return [...text.matchAll(REFERENCE)].map(([, name]) => name as string);
}

/** The text with the values of its secrets, all of which must be there. */
export function withSecrets(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(REFERENCE, (_whole, name: string) => values.get(name) as string);
}

/** The problem of the references in a text; null if none. */
export function problemOfReferences(value: string): Message | null {
  const wrong = secretsIn(value).find((name) => !SECRET_NAME.test(name));
  if (wrong !== undefined) return text('names the secret {name}, which no secret can be called', { name: wrong });
  return value.replace(REFERENCE, '').includes('{{') ? 'holds {{ that is not {{secret:NAME}}' : null;
}
