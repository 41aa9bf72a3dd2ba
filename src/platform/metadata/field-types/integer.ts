import { text } from '../../../foundation/i18n/text.ts';
import type { FieldTypeDefinition } from './field-type.ts';
import { NUMBERS, within } from './numbers.ts';

const LIMIT = 2 ** 31;

export const INTEGER: FieldTypeDefinition = {
  ...NUMBERS,
  column: 'integer',
  cast: 'integer',
  check: (value) =>
    Number.isInteger(value) && Math.abs(value as number) < LIMIT
      ? { value }
      : { problem: text('must be a whole number between {min} and {max}', { min: 1 - LIMIT, max: LIMIT - 1 }) },
  fromText: (given) => ({ value: /^-?\d{1,10}$/.test(given.trim()) ? Number(given) : given }),
  jsonSchema: ({ min, max }) => ({ type: 'integer', minimum: min ?? 1 - LIMIT, maximum: max ?? LIMIT - 1 }),
  sample: (field) => Math.round(within(field, 42)),
};
