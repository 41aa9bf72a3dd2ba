import { FIELD_TYPES } from '../../../platform/metadata/field-types/field-types.ts';
import type { Parameters } from './parameters.ts';
import type { SortKey } from './sort-order.ts';

/** Records after a place: those that have a value of the first key, or those that have none. */
interface Range {
  readonly condition: string;
  readonly withValue: boolean;
}

/**
 * The records that come after the one with these values of the keys, in the order of `orderBy`: all of the
 * first range, then those of the second. Each alone is a range of an index; joined by OR they would not be.
 */
export function afterRecord(keys: readonly SortKey[], values: readonly unknown[], parameters: Parameters): Range[] {
  const [first, ...rest] = keys;
  if (!first) return [];
  const slots = keys.map(({ field }, index) =>
    values[index] === null ? null : `${parameters.add(values[index])}::${FIELD_TYPES[field.type].cast}`,
  );
  const [slot = null] = slots;
  if (slot === null) return [withoutValue(`${first.sql} is null and ${after(rest, slots.slice(1))}`)];
  const condition = isRowComparison(keys, slots)
    ? `(${keys.map(({ sql }) => sql).join(', ')}) ${compares(first)} (${slots.join(', ')})`
    : `(${first.sql} ${compares(first)}= ${slot} and ${after(keys, slots)})`;
  const ranges = [{ condition, withValue: true }];
  return first.nullable ? [...ranges, withoutValue(`${first.sql} is null`)] : ranges;
}

function withoutValue(condition: string): Range {
  return { condition, withValue: false };
}

/** The whole condition for the keys from one on. A record without a value comes last. */
function after(keys: readonly SortKey[], slots: readonly (string | null)[]): string {
  const [key, ...rest] = keys;
  if (!key) return 'false';
  const [slot = null, ...others] = slots;
  const beyond = after(rest, others);
  if (slot === null) return `(${key.sql} is null and ${beyond})`;
  const later = [`${key.sql} ${compares(key)} ${slot}`];
  if (key.nullable) later.push(`${key.sql} is null`);
  if (rest.length > 0) later.push(`(${key.sql} = ${slot} and ${beyond})`);
  return `(${later.join(' or ')})`;
}

/** A comparison of rows is false where a later key has no value, and knows one direction only. */
function isRowComparison(keys: readonly SortKey[], slots: readonly (string | null)[]): boolean {
  const [first, ...rest] = keys;
  return !slots.includes(null) && rest.every(({ nullable, order }) => !nullable && order === first?.order);
}

function compares({ order }: SortKey): '<' | '>' {
  return order === 'desc' ? '<' : '>';
}
