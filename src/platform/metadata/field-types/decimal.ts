import type { FieldTypeDefinition } from './field-type.ts';
import { parseDecimal } from '../../../foundation/expressions/values/decimal.ts';
import { NUMBERS, within } from './numbers.ts';

const DECIMAL_TEXT = /^-?\d{1,30}(\.\d{1,20})?$/;

/** A decimal number: a string in JSON. */
export const DECIMAL: FieldTypeDefinition = {
  ...NUMBERS,
  column: 'numeric',
  widensFrom: ['integer', 'bigint'],
  cast: 'numeric',
  check(value) {
    const text = typeof value === 'number' && Number.isFinite(value) ? withoutExponent(value) : value;
    const fits = typeof text === 'string' && DECIMAL_TEXT.test(text);
    return fits ? { value: text } : { problem: 'must be a decimal number' };
  },
  fromText: (given) => ({ value: given.trim() }),
  toExpressionValue: parseDecimal,
  jsonSchema: ({ min: minimum, max: maximum }) => ({
    type: ['string', 'number'],
    pattern: DECIMAL_TEXT.source,
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
  }),
  sample: (field) => within(field, 1250).toFixed(2),
};

/**
 * JavaScript writes numbers below 1e-6 and from 1e21 on with an exponent; the decimals of payloads have none.
 */
function withoutExponent(number: number): string {
  const text = String(number);
  if (!text.includes('e')) return text;
  if (Number.isInteger(number)) return BigInt(number).toString();
  const fixed = number.toFixed(20).replace(/0+$/, '');
  // A number with more decimal places stays as it is, and is refused.
  return Number(fixed) === number ? fixed : text;
}
