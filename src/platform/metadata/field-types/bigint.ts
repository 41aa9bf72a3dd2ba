import { text } from '../../../foundation/i18n/text.ts';
import type { FieldTypeDefinition } from './field-type.ts';
import { parseDecimal } from '../../../foundation/expressions/values/decimal.ts';
import { NUMBERS, wholeNumberOf, within } from './numbers.ts';

const MAX = 2n ** 63n - 1n;
const MIN = -(2n ** 63n);

/** A whole number of 64 bits: a string in JSON. */
export const BIGINT: FieldTypeDefinition = {
  ...NUMBERS,
  column: 'bigint',
  widensFrom: ['integer'],
  cast: 'bigint',
  check(value) {
    const digits = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
    if (typeof digits === 'string' && /^-?\d{1,19}$/.test(digits)) {
      const number = BigInt(digits);
      if (number >= MIN && number <= MAX) return { value: number.toString() };
    }
    const problem = text('must be a whole number; send one above {max} as a string', { max: Number.MAX_SAFE_INTEGER });
    return { problem };
  },
  fromText: (given) => ({ value: given.trim() }),
  toExpressionValue: parseDecimal,
  fromExpressionValue: wholeNumberOf,
  jsonSchema: () => ({ type: ['string', 'integer'], pattern: '^-?[0-9]{1,19}$' }),
  sample: (field) => String(Math.round(within(field, 42))),
};
