import { openObject, text } from '../../foundation/validation/schema.ts';

/** Without NUL, which no e-mail, password or token holds. */
const TEXT = text({ pattern: '^[^\\0]{1,1000}$' });

/** A body that must have these texts; others are ignored. */
export function bodyOfTexts<const N extends string>(...names: readonly N[]) {
  return openObject(Object.fromEntries(names.map((name) => [name, TEXT])) as Record<N, typeof TEXT>);
}
