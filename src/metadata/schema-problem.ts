import type { ErrorObject } from 'ajv';
import { TYPE_WORDS } from '../http/misfit.ts';

const TYPES: Readonly<Record<string, string>> = TYPE_WORDS;

/** What a content's schema has against it, in the words of `src/i18n/en.ts`, so that every language has them. */
export function problemOfSchema({ keyword, params }: ErrorObject): string {
  const { limit, type } = params as { limit?: number; type?: string | readonly string[] };
  switch (keyword) {
    case 'additionalProperties':
      return 'is not a known key';
    case 'required':
      return 'is required';
    case 'anyOf':
      return 'must be a condition: fieldName with operator, or one of and, or, not';
    case 'enum':
      return `must be one of ${(params.allowedValues as unknown[]).join(', ')}`;
    case 'const':
      return `must be ${String(params.allowedValue)}`;
    case 'type':
      return TYPES[String(type)] ?? `must be of one of the types ${[type].flat().join(', ')}`;
    case 'pattern':
      return `must match ${String(params.pattern)}`;
    case 'format':
      return params.format === 'regex' ? 'must be a regular expression' : `must have the format ${params.format}`;
    case 'minLength':
      return limit === 1 ? 'must not be empty' : `must not be shorter than ${limit} characters`;
    case 'maxLength':
      return `must not be longer than ${limit} characters`;
    case 'minItems':
    case 'minProperties':
      return limit === 1 ? 'must not be empty' : `must not hold less than ${limit}`;
    case 'maxItems':
    case 'maxProperties':
      return `must not hold more than ${limit}`;
    case 'uniqueItems':
      return 'holds the same twice';
    case 'minimum':
      return `must not be less than ${limit}`;
    case 'maximum':
      return `must not be greater than ${limit}`;
    case 'exclusiveMinimum':
      return `must be greater than ${limit}`;
    case 'discriminator':
      return `needs ${String(params.tag)}, with one of its known values`;
    default:
      return 'is not valid';
  }
}
