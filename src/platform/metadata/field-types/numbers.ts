import type { FieldOptions } from './field-options.ts';
import { parseDecimal } from '../../../foundation/expressions/values/decimal.ts';
import type { FieldTypeDefinition } from './field-type.ts';
import { text, type Message } from '../../../foundation/i18n/text.ts';

/** What the types have in common whose values are numbers. */
export const NUMBERS = {
  options: ['min', 'max'],
  comparable: true,
  ordered: true,
  textual: false,
  cell: 'number',
  formats: ['number', 'percent', 'currency'],
  checkOptions({ min, max }: FieldOptions, value: unknown): Message | null {
    const number = Number(value);
    if (min !== undefined && number < min) return text('must not be less than {min}', { min });
    return max !== undefined && number > max ? text('must not be greater than {max}', { max }) : null;
  },
} as const satisfies Partial<FieldTypeDefinition>;

/** The number, or what is nearest to it within the field's limits. */
export function within({ min, max }: FieldOptions, number: number): number {
  return Math.min(Math.max(number, min ?? number), max ?? number);
}

/** A whole number that an expression computes, as a text; any other value as it is. */
export function wholeNumberOf(value: unknown): unknown {
  const number = parseDecimal(value);
  const whole = number?.roundedTo(0);
  return number && whole?.compare(number) === 0 ? whole.toString() : value;
}
