import { isCalendarDate, momentOf } from '../database/moment.ts';
import type { FieldContent, FieldType } from './content.ts';

/** A value fit for its column, or what is wrong with it. */
export type Checked = { readonly value: unknown } | { readonly problem: string };

const INT32 = 2 ** 31;
const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);
const DECIMAL = /^-?\d{1,30}(\.\d{1,20})?$/;
const PID = /^[0-9A-Za-z]{1,32}$/;
/** What Postgres cannot store, as JSON.stringify writes it: NUL and lone surrogates, behind an unescaped backslash. */
const UNSTORABLE_JSON = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;
const DEFAULT_MAX_LENGTH = { string: 255, text: 100_000 } as const;

/** Checks a payload's value against its field, options included. Null stands for "no value". */
export function checkFieldValue(field: FieldContent, value: unknown): Checked {
  if (value === null || value === undefined || (value === '' && field.required)) {
    return field.required ? { problem: 'is required' } : { value: null };
  }
  const checked = checkType(field.type, value);
  return 'problem' in checked ? checked : checkOptions(field, checked.value);
}

/** Checks a value by the field's type alone: for filters, whose values need not obey the field's limits. */
export function checkType(type: FieldType, value: unknown): Checked {
  return CHECKS[type](value);
}

const CHECKS: Record<FieldType, (value: unknown) => Checked> = {
  string: checkText,
  text: checkText,
  enum: checkText,
  integer: (value) =>
    Number.isInteger(value) && Math.abs(value as number) < INT32
      ? { value }
      : { problem: 'must be a whole number between -2147483647 and 2147483647' },
  bigint: checkBigint,
  decimal: (value) => {
    const text = typeof value === 'number' && Number.isFinite(value) ? withoutExponent(value) : value;
    return typeof text === 'string' && DECIMAL.test(text) ? { value: text } : { problem: 'must be a decimal number' };
  },
  boolean: (value) => (typeof value === 'boolean' ? { value } : { problem: 'must be true or false' }),
  date: (value) =>
    typeof value === 'string' && isCalendarDate(value) ? { value } : { problem: 'must be a date such as 2026-01-31' },
  datetime: (value) => {
    // A day alone is no time: two who write one mean the same by it in the same zone only.
    const moment = typeof value === 'string' && value.length > 10 ? momentOf(value) : null;
    return moment
      ? { value: moment.toISOString() }
      : { problem: 'must be an ISO 8601 time with a zone, such as 2026-01-31T09:30:00Z' };
  },
  json: (value) => {
    const text = JSON.stringify(value) as string | undefined;
    if (text === undefined) return { problem: 'must be a JSON value' };
    return UNSTORABLE_JSON.test(text) ? { problem: 'must not contain NUL or ill-formed Unicode' } : { value: text };
  },
  relation: checkPid,
  file: checkPid,
};

/** JavaScript writes numbers below 1e-6 and from 1e21 on with an exponent; the decimals of payloads have none. */
function withoutExponent(number: number): string {
  const text = String(number);
  if (!text.includes('e')) return text;
  if (Number.isInteger(number)) return BigInt(number).toString();
  const fixed = number.toFixed(20).replace(/0+$/, '');
  // A number with more places than that is left as it is, and refused.
  return Number(fixed) === number ? fixed : text;
}

function checkText(value: unknown): Checked {
  if (typeof value !== 'string') return { problem: 'must be a text' };
  if (value.includes('\0')) return { problem: 'must not contain the character NUL' };
  return value.isWellFormed() ? { value } : { problem: 'is not well-formed Unicode' };
}

function checkPid(value: unknown): Checked {
  return typeof value === 'string' && PID.test(value) ? { value } : { problem: 'must be the pid of a record' };
}

function checkBigint(value: unknown): Checked {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text === 'string' && /^-?\d{1,19}$/.test(text)) {
    const number = BigInt(text);
    if (number >= INT64_MIN && number <= INT64_MAX) return { value: number.toString() };
  }
  return { problem: 'must be a whole number; send one above 9007199254740991 as a string' };
}

function checkOptions(field: FieldContent, value: unknown): Checked {
  const { type, min, max, pattern, values } = field;
  if (type === 'enum') {
    return values?.includes(value as string) ? { value } : { problem: `must be one of ${values?.join(', ')}` };
  }
  if (type === 'string' || type === 'text') {
    const text = value as string;
    const maxLength = field.maxLength ?? DEFAULT_MAX_LENGTH[type];
    if (text.length > maxLength) return { problem: `must not be longer than ${maxLength} characters` };
    if (pattern !== undefined && !new RegExp(pattern, 'u').test(text)) return { problem: `must match ${pattern}` };
  }
  if (type === 'integer' || type === 'bigint' || type === 'decimal') {
    const number = Number(value);
    if (min !== undefined && number < min) return { problem: `must not be less than ${min}` };
    if (max !== undefined && number > max) return { problem: `must not be greater than ${max}` };
  }
  return { value };
}
