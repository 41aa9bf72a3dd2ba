import { text as message } from '../../../foundation/i18n/text.ts';
import type { FieldTypeDefinition } from './field-type.ts';
import { MAX_SCALE, MAX_WHOLE, parseDecimal } from '../../../foundation/expressions/values/decimal.ts';
import { NUMBERS, within } from './numbers.ts';

const DECIMAL_TEXT = new RegExp(`^-?\\d{1,${MAX_WHOLE}}(\\.\\d{1,${MAX_SCALE}})?$`);
const ANY_DECIMAL_TEXT = /^-?\d+(\.\d+)?$/;
const TOO_LONG = message('must have at most {whole} digits before the point and {places} after it', {
  whole: MAX_WHOLE,
  places: MAX_SCALE,
});

/** A decimal number: a string in JSON. */
export const DECIMAL: FieldTypeDefinition = {
  ...NUMBERS,
  column: 'numeric',
  widensFrom: ['integer', 'bigint'],
  cast: 'numeric',
  check(value) {
    const text = typeof value === 'number' && Number.isFinite(value) ? withoutExponent(value) : value;
    if (typeof text !== 'string') return { problem: 'must be a decimal number' };
    if (DECIMAL_TEXT.test(text)) return { value: text };
    const isNumber = typeof value === 'number' || ANY_DECIMAL_TEXT.test(text);
    return { problem: isNumber ? TOO_LONG : 'must be a decimal number' };
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
