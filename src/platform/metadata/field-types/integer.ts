import { text } from '../../../foundation/i18n/text.ts';
import type { FieldTypeDefinition } from './field-type.ts';
import { NUMBERS, wholeNumberOf, within } from './numbers.ts';

const MIN = -(2 ** 31);
const MAX = 2 ** 31 - 1;

export const INTEGER: FieldTypeDefinition = {
  ...NUMBERS,
  column: 'integer',
  cast: 'integer',
  check: (value) =>
    Number.isInteger(value) && (value as number) >= MIN && (value as number) <= MAX
      ? { value }
      : { problem: text('must be a whole number between {min} and {max}', { min: MIN, max: MAX }) },
  fromExpressionValue(value) {
    const whole = wholeNumberOf(value);
    return typeof whole === 'string' ? Number(whole) : value;
  },
  fromText: (given) => ({ value: /^-?\d{1,10}$/.test(given.trim()) ? Number(given) : given }),
  jsonSchema: ({ min, max }) => ({ type: 'integer', minimum: min ?? MIN, maximum: max ?? MAX }),
  sample: (field) => Math.round(within(field, 42)),
};
