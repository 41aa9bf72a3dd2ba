/** Conditions and orders of records as the documentation has them, without a database. */

export type Values = Readonly<Record<string, string | number | boolean | null>>;
export type Condition = { and: Condition[] } | { or: Condition[] } | { not: Condition } | Comparison;
export interface Comparison {
  fieldName: string;
  operator: string;
  value?: unknown;
}
export interface Sort {
  fieldName: string;
  order: 'asc' | 'desc';
}

/** The order of two values of one field: numbers by size, whatever their form, and texts by their letters. */
export function compare(one: unknown, other: unknown): number {
  const numeric = [one, other].every((value) => typeof value === 'boolean' || /^-?\d+(\.\d+)?$/.test(String(value)));
  const [a, b] = numeric ? [Number(one), Number(other)] : [String(one), String(other)];
  return a === b ? 0 : a < b ? -1 : 1;
}

const OPPOSITES: Record<string, string> = {
  ne: 'eq',
  not_in: 'in',
  is_not_null: 'is_null',
  not_between: 'between',
  not_like: 'contains',
};

export function matches(record: Values, condition: Condition): boolean {
  if ('and' in condition) return condition.and.every((one) => matches(record, one));
  if ('or' in condition) return condition.or.some((one) => matches(record, one));
  if ('not' in condition) return !matches(record, condition.not);
  const { fieldName, operator, value } = condition;
  const opposite = OPPOSITES[operator];
  if (opposite) return !matches(record, { fieldName, operator: opposite, value });
  const own = record[fieldName] ?? null;
  if (operator === 'is_null') return own === null;
  if (own === null) return false;
  const values = [value].flat();
  const [first = 0, second = 0] = values.map((one) => compare(own, one));
  const answers: Record<string, () => boolean> = {
    eq: () => first === 0,
    gt: () => first > 0,
    gte: () => first >= 0,
    lt: () => first < 0,
    lte: () => first <= 0,
    in: () => values.some((one) => compare(own, one) === 0),
    between: () => first >= 0 && second <= 0,
    contains: () => String(own).includes(String(value)),
    starts_with: () => String(own).startsWith(String(value)),
    ends_with: () => String(own).endsWith(String(value)),
  };
  return answers[operator]?.() ?? false;
}

/** Figures of one field; `min` and `max` only where its values have an order, `avg` and `sum` of numbers. */
export function figuresOf(values: readonly unknown[], kind: 'number' | 'ordered' | 'other'): Record<string, unknown> {
  const own = values.filter((value) => value !== null);
  const [least = null, ...others] = kind === 'other' ? [] : [...own].sort(compare);
  const sum = kind === 'number' && own.length > 0 ? own.reduce((all: number, one) => all + Number(one), 0) : null;
  return {
    count: own.length,
    nulls: values.length - own.length,
    distinct: new Set(own).size,
    min: least,
    max: others.at(-1) ?? least,
    avg: sum === null ? null : sum / own.length,
    sum,
  };
}

export function sorted(records: readonly Values[], sort: readonly Sort[]): Values[] {
  const [...by] = sort.length === 0 ? [{ fieldName: 'created_at', order: 'desc' as const }] : sort;
  by.push({ fieldName: 'id', order: by.at(-1)?.order ?? 'desc' });
  return [...records].sort((one, other) => {
    for (const { fieldName, order } of by) {
      const [a, b] = [one[fieldName] ?? null, other[fieldName] ?? null];
      if (a === b) continue;
      if (a === null || b === null) return a === null ? 1 : -1;
      const difference = compare(a, b);
      if (difference !== 0) return order === 'asc' ? difference : -difference;
    }
    return 0;
  });
}
