import { openObject, text, type Schema } from '../http/schema.ts';

/** Without NUL, which no e-mail, password or token holds. */
const TEXT = text({ pattern: '^[^\\0]{1,1000}$' });

/** A body that must have these texts; others are ignored. */
export function bodyOfTexts(...names: string[]): Schema {
  return openObject(Object.fromEntries(names.map((name) => [name, TEXT])));
}
