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
  options: [...NUMBERS.options, 'scale', 'precision'],
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
  checkOptions(field, value) {
    const [whole = '', places = ''] = String(value).replace('-', '').split('.');
    const { scale = MAX_SCALE, precision } = field;
    if (places.length > scale) return message('must have at most {scale} digits after the point', { scale });
    if (
      precision !== undefined &&
      whole.replace(/^0+/, '').length + Math.max(places.length, field.scale ?? 0) > precision
    )
      return message('must have at most {precision} digits', { precision });
    return NUMBERS.checkOptions(field, value);
  },
  fromText: (given) => ({ value: given.trim() }),
  toExpressionValue: parseDecimal,
  fromExpressionValue(value, { scale }) {
    const number = parseDecimal(value);
    // Written as its scale says, however many places the calculation leaves: 25.00, not 25.0.
    return number ? (scale === undefined ? number : number.withPlaces(scale)).toString() : value;
  },
  jsonSchema: ({ min: minimum, max: maximum, scale }) => ({
    type: ['string', 'number'],
    pattern: scale === undefined ? DECIMAL_TEXT.source : patternOf(scale),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
  }),
  sample: (field) => within(field, 1250).toFixed(Math.min(field.scale ?? 2, 2)),
};

function patternOf(scale: number): string {
  return `^-?\\d{1,${MAX_WHOLE}}${scale === 0 ? '' : `(\\.\\d{1,${scale}})?`}$`;
}

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
