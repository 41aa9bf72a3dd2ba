import { throwIfInvalid, type FieldErrors } from '../errors/application-error.ts';
import { MAP, textUpTo, type Schema } from '../http/schema.ts';

const MAX_LENGTH = 1_000;

/** A body that must have these texts; others are ignored. */
export function bodyOfTexts(...names: string[]): Schema {
  return { ...MAP, properties: Object.fromEntries(names.map((name) => [name, textUpTo(MAX_LENGTH)])), required: names };
}

/**
 * Texts that a body must have, by name.
 * @throws VALIDATION_ERROR naming all that are missing or no text
 */
export function requiredTexts<N extends string>(body: unknown, ...names: N[]): Record<N, string> {
  const given = body as Record<string, unknown>;
  const errors: FieldErrors = {};
  for (const name of names) {
    const value = given[name];
    if (value === undefined || value === null || value === '') errors[name] = 'is required';
    else if (typeof value !== 'string') errors[name] = 'must be a text';
    else if (value.length > MAX_LENGTH || value.includes('\0')) errors[name] = 'is not valid';
  }
  throwIfInvalid(errors);
  return Object.fromEntries(names.map((name) => [name, given[name]])) as Record<N, string>;
}
