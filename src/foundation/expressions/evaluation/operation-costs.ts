import { Decimal } from '../values/decimal.ts';
import { MAX_EVALUATION_STEPS } from './evaluation-budget.ts';

/** Characters that a function reads in the time of one step. */
const CHARACTERS_PER_STEP = 16;
/** A search compares this many pairs of characters in the time of one step. */
const COMPARISONS_PER_STEP = 128;
/** An operation of a decimal, with as many digits as it may have. */
const DECIMAL_STEPS = 20;
const DECIMAL_COMPARISON_STEPS = 8;
const ARITHMETIC: ReadonlySet<string> = new Set(['+', '-', '*', '/']);
/** A date in another time zone is formatted and parsed again. */
const TIME_ZONE_STEPS = 1_500;

/** The clock of a zone is asked, for a day that begins there up to five times. */
const CLOCK_STEPS = 200;

type Cost = (values: readonly unknown[]) => number;

const search: Cost = ([given, sought]) =>
  charactersOf(given) + (lengthOf(given) * lengthOf(sought)) / COMPARISONS_PER_STEP;
const eachCharacter: Cost = ([given]) => lengthOf(given) / 2;

/**
 * Functions whose time is not that of reading their texts once; the others take `charactersOf` each value.
 */
const FUNCTION_COSTS: Readonly<Record<string, Cost>> = {
  contains: search,
  indexOf: search,
  lastIndexOf: search,
  split: (values) => search(values) + lengthOf(values[0]),
  join: ([list, separator]) => sizeOf(list) + lengthOf(list) * (1 + charactersOf(separator)),
  size: ([given]) => (typeof given === 'string' ? given.length / 2 : keysOf(given)),
  hex: eachCharacter,
  base64: eachCharacter,
  json: eachCharacter,
  decimal: () => DECIMAL_STEPS,
  date: () => CLOCK_STEPS,
  timestamp: () => CLOCK_STEPS,
  // The library's pattern of a duration backtracks.
  duration: ([given]) => lengthOf(given) ** 3 / 100,
};

/** Steps of a function over its values, the receiver first. */
export function costOfCall(name: string, values: readonly unknown[]): number {
  if (name.startsWith('get') && values.length > 1) return TIME_ZONE_STEPS;
  const cost = Object.hasOwn(FUNCTION_COSTS, name) ? FUNCTION_COSTS[name] : undefined;
  return cost ? cost(values) : values.reduce<number>((sum, value) => sum + charactersOf(value), 0);
}

/** Steps of an operator over two values. */
export function costOfOperator(operator: string, left: unknown, right: unknown): number {
  if (left instanceof Decimal || right instanceof Decimal) {
    if (ARITHMETIC.has(operator)) return DECIMAL_STEPS;
    return DECIMAL_COMPARISON_STEPS * (operator === 'in' && Array.isArray(right) ? right.length : 1);
  }
  if (operator === '+') return joinedSize(left) + joinedSize(right);
  if (operator === 'in') {
    if (!Array.isArray(right)) return 0;
    return isContainer(left) ? sizeOf(right) : right.length * (1 + charactersOf(left));
  }
  if (isContainer(left) && isContainer(right)) return sizeOf(left);
  return Math.min(lengthOf(left), lengthOf(right)) / COMPARISONS_PER_STEP;
}

function joinedSize(value: unknown): number {
  return Array.isArray(value) ? value.length : charactersOf(value);
}

/**
 * Number of values in a value, itself included, and the steps of reading its texts. A part that is shared
 * counts each time. Measuring stops above `most`.
 */
function sizeOf(value: unknown, most = MAX_EVALUATION_STEPS): number {
  if (!isContainer(value)) return 1 + charactersOf(value);
  let size = 1;
  for (const part of partsOf(value)) {
    size += sizeOf(part, most - size);
    if (size > most) break;
  }
  return size;
}

function partsOf(value: object): Iterable<unknown> {
  if (value instanceof Map) return value.values();
  return Array.isArray(value) || value instanceof Set ? value : Object.values(value);
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof Uint8Array);
}

function keysOf(value: unknown): number {
  return isContainer(value) && !Array.isArray(value) ? Object.keys(value).length : 0;
}

function charactersOf(value: unknown): number {
  return lengthOf(value) / CHARACTERS_PER_STEP;
}

function lengthOf(value: unknown): number {
  return typeof value === 'string' || value instanceof Uint8Array || Array.isArray(value) ? value.length : 0;
}
