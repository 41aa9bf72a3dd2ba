import type { ErrorObject } from './json-schema.ts';
import { knownFormats } from './formats.ts';
import { MESSAGE, type Keywords } from './schema.ts';
import { text, type Message } from '../i18n/text.ts';

/** A value that does not keep its schema. */
export interface SchemaViolation {
  readonly path: readonly string[];
  readonly schema: Keywords;
  /** The schema of what it is in. */
  readonly parent: Keywords;
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

export function describe({ keyword, params, data }: ErrorObject, { path, schema, parent }: SchemaViolation): Message {
  const {
    [MESSAGE]: words,
    type,
    properties = {},
  } = schema as { type?: keyof typeof TYPE_WORDS; properties?: object; [MESSAGE]?: Message };
  if (words !== undefined) return words;
  const { required = [] } = parent as { required?: readonly string[] };
  const isEmpty = data === null || data === '';
  if (keyword === 'required' || (isEmpty && required.includes(path.at(-1) ?? ''))) return 'is required';
  if (keyword === 'additionalProperties') return unknown(Object.keys(properties));
  if (type === 'integer' || type === 'number') return outside(schema);
  if (keyword === 'type') return type === undefined ? 'is not valid' : TYPE_WORDS[type];
  if (keyword === 'enum')
    return text('must be one of {values}', { values: (params.allowedValues as unknown[]).join(', ') });
  if (keyword === 'format') return knownFormats().get(String(params.format))?.(String(data)) ?? 'is not valid';
  if (keyword === 'minProperties') return 'must not be empty';
  return miscounted(keyword, schema) ?? 'is not valid';
}

function unknown(known: readonly string[]): Message {
  return known.length === 0
    ? 'is not known here'
    : text('is not known here; known are {names}', { names: known.join(', ') });
}

function outside(schema: Keywords): Message {
  const { type, minimum, maximum } = schema as { type: 'integer' | 'number'; minimum?: number; maximum?: number };
  const isOpen = maximum === undefined;
  if (minimum === undefined || (isOpen && type === 'number')) return TYPE_WORDS[type];
  if (type === 'number') return text('must be a number from {min} to {max}', { min: minimum, max: maximum ?? '' });
  return isOpen
    ? text('must be a whole number from {min}', { min: minimum })
    : text('must be a whole number from {min} to {max}', { min: minimum, max: maximum });
}

function miscounted(keyword: string, schema: Keywords): Message | null {
  const { minLength = 0, maxLength, minItems = 0, maxItems } = schema as Record<string, number | undefined>;
  if (keyword === 'maxProperties')
    return text('must have {min} to {max} entries', { min: 0, max: Number(schema.maxProperties) });
  if (keyword === 'minItems' || keyword === 'maxItems') {
    return maxItems === undefined
      ? text('must have at least {min} entries', { min: minItems })
      : text('must have {min} to {max} entries', { min: minItems, max: maxItems });
  }
  if (keyword !== 'minLength' && keyword !== 'maxLength') return null;
  if (minLength > 1)
    return text('must be a text of {min} to {max} characters', { min: minLength, max: maxLength ?? '' });
  return keyword === 'minLength'
    ? 'must be a text that is not empty'
    : text('must not be longer than {max} characters', { max: maxLength ?? '' });
}
