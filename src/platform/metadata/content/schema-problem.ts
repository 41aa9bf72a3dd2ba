import type { ErrorObject } from 'ajv';
import { asExpression } from '../../../foundation/expressions/language.ts';
import { TYPE_WORDS } from '../../../foundation/validation/schema-violation.ts';
import { CEL } from './schema-parts.ts';
import { text, type Message } from '../../../foundation/i18n/text.ts';

const TYPES: Readonly<Record<string, string>> = TYPE_WORDS;

/** Problems of a content in view of its schema. */
export function problemOfSchema({ keyword, params, parentSchema, data }: ErrorObject): Message {
  const { limit = 0, type } = params as { limit?: number; type?: string | readonly string[] };
  switch (keyword) {
    case 'additionalProperties':
      return 'is not a known key';
    case 'required':
      return 'is required';
    case 'anyOf':
      return 'must be a condition: fieldName with operator, or one of and, or, not';
    case 'enum':
      return text('must be one of {values}', { values: (params.allowedValues as unknown[]).join(', ') });
    case 'const':
      return text('must be {value}', { value: String(params.allowedValue) });
    case 'type':
      if (parentSchema?.contentMediaType === CEL) {
        return text('write it as an expression: {expression}', { expression: asExpression(JSON.stringify(data)) });
      }
      return TYPES[String(type)] ?? text('must be of one of the types {types}', { types: [type].flat().join(', ') });
    case 'pattern':
      return text('must match {pattern}', { pattern: String(params.pattern) });
    case 'format':
      return text('must have the format {format}', { format: String(params.format) });
    case 'minLength':
      return limit === 1 ? 'must not be empty' : text('must not be shorter than {min} characters', { min: limit });
    case 'maxLength':
      return text('must not be longer than {max} characters', { max: limit });
    case 'minItems':
    case 'minProperties':
      return limit === 1 ? 'must not be empty' : text('must not hold less than {min}', { min: limit });
    case 'maxItems':
    case 'maxProperties':
      return text('must not hold more than {max}', { max: limit });
    case 'uniqueItems':
      return 'holds the same twice';
    case 'minimum':
      return text('must not be less than {min}', { min: limit });
    case 'maximum':
      return text('must not be greater than {max}', { max: limit });
    case 'exclusiveMinimum':
      return text('must be greater than {limit}', { limit });
    case 'discriminator':
      return text('needs {tag}, with one of its known values', { tag: String(params.tag) });
    default:
      return 'is not valid';
  }
}
