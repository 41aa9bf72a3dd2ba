import { text } from '../../../foundation/i18n/text.ts';
import { MAX_LIST_ITEMS } from './field-types.limits.ts';
import { JSON_VALUE } from './json.ts';
import type { FieldTypeDefinition } from './field-type.ts';

/** A list of objects with `fields` of their own, in a payload. No record has one: see relations for that. */
export const LIST: FieldTypeDefinition = {
  ...JSON_VALUE,
  options: ['fields', 'minItems', 'maxItems'],
  requiredOption: 'fields',
  check: (value) => (isListOfObjects(value) ? { value } : { problem: 'must be a list of objects' }),
  checkOptions({ required = false, minItems = required ? 1 : 0, maxItems = MAX_LIST_ITEMS }, value) {
    const { length } = value as unknown[];
    if (length === 0 && required) return 'is required';
    if (length < minItems) return text('must not hold less than {min}', { min: minItems });
    return length > maxItems ? text('must not hold more than {max}', { max: maxItems }) : null;
  },
  jsonSchema: ({ required = false, minItems = required ? 1 : 0, maxItems = MAX_LIST_ITEMS }) => ({
    type: 'array',
    ...(minItems > 0 && { minItems }),
    maxItems,
  }),
  sample: () => [],
};

function isListOfObjects(value: unknown): boolean {
  return (
    Array.isArray(value) && value.every((item) => typeof item === 'object' && item !== null && !Array.isArray(item))
  );
}
