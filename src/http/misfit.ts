import type { ErrorObject } from 'ajv/dist/2020.js';
import { knownFormats } from './formats.ts';
import { PROBLEM, type Schema } from './schema.ts';

/** A value that does not keep its schema. */
export interface Misfit {
  readonly path: readonly string[];
  readonly schema: Schema;
  /** The schema of what it is in. */
  readonly parent: Schema;
}

/** What a value must be, by the `type` of its schema. */
export const TYPE_WORDS = {
  string: 'must be a text',
  boolean: 'must be true or false',
  array: 'must be an array',
  object: 'must be an object',
  integer: 'must be a whole number',
  number: 'must be a number',
} as const;

/** What is wrong, in the words of `src/i18n/en.ts`, so that every language has them. */
export function describe({ keyword, params, data }: ErrorObject, { path, schema, parent }: Misfit): string {
  const {
    [PROBLEM]: words,
    type,
    properties = {},
  } = schema as { type?: keyof typeof TYPE_WORDS; properties?: object; [PROBLEM]?: string };
  if (words !== undefined) return words;
  const { required = [] } = parent as { required?: readonly string[] };
  const isEmpty = data === null || data === '';
  if (keyword === 'required' || (isEmpty && required.includes(path.at(-1) ?? ''))) return 'is required';
  if (keyword === 'additionalProperties') return unknown(Object.keys(properties));
  if (type === 'integer' || type === 'number') return outside(schema);
  if (keyword === 'type') return type === undefined ? 'is not valid' : TYPE_WORDS[type];
  if (keyword === 'enum') return `must be one of ${(params.allowedValues as unknown[]).join(', ')}`;
  if (keyword === 'format') return knownFormats().get(String(params.format))?.(String(data)) ?? 'is not valid';
  if (keyword === 'minProperties') return 'must not be empty';
  return miscounted(keyword, schema) ?? 'is not valid';
}

function unknown(known: readonly string[]): string {
  return known.length === 0 ? 'is not known here' : `is not known here; known are ${known.join(', ')}`;
}

function outside(schema: Schema): string {
  const { type, minimum, maximum } = schema as { type: 'integer' | 'number'; minimum?: number; maximum?: number };
  const isOpen = maximum === undefined;
  if (minimum === undefined || (isOpen && type === 'number')) return TYPE_WORDS[type];
  if (type === 'number') return `must be a number from ${minimum} to ${maximum ?? ''}`;
  return isOpen ? `must be a whole number from ${minimum}` : `must be a whole number from ${minimum} to ${maximum}`;
}

function miscounted(keyword: string, schema: Schema): string | null {
  const { minLength = 0, maxLength, minItems = 0, maxItems } = schema as Record<string, number | undefined>;
  if (keyword === 'minItems' || keyword === 'maxItems') {
    return maxItems === undefined
      ? `must have at least ${minItems} entries`
      : `must have ${minItems} to ${maxItems} entries`;
  }
  if (keyword !== 'minLength' && keyword !== 'maxLength') return null;
  if (minLength > 1) return `must be a text of ${minLength} to ${maxLength ?? ''} characters`;
  return keyword === 'minLength'
    ? 'must be a text that is not empty'
    : `must not be longer than ${maxLength ?? ''} characters`;
}
