import fc from 'fast-check';
import type { Comparison, Condition, Values } from './record-evaluator.ts';

const MOMENTS = ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.001Z', '2026-03-01T12:30:00.500Z'];
const PRICES = ['-1.5', '0', '2.25', '10', '100.125'];
export const NAMES = ['a', 'ab', 'b', 'bc', 'c'];

/** Values of the fields of `test/integration/record-queries.test.ts`. */
const valueOf: Record<string, fc.Arbitrary<string | number | boolean>> = {
  name: fc.constantFrom(...NAMES),
  size: fc.integer({ min: 0, max: 4 }),
  price: fc.constantFrom(...PRICES),
  at: fc.constantFrom(...MOMENTS),
  flag: fc.boolean(),
  rank: fc.integer({ min: 0, max: 3 }),
};
/** Fields of related records. */
const valueAt: typeof valueOf = {
  ...valueOf,
  'parent.label': fc.constantFrom(...NAMES),
  'parent.score': fc.integer({ min: 0, max: 3 }),
  'parent.boss.label': fc.constantFrom(...NAMES),
};
const codes = Object.keys(valueAt);
/** A record, by random. */
export const row: fc.Arbitrary<Values> = fc.record(
  Object.fromEntries(
    Object.entries(valueOf).map(([code, value]) => [code, code === 'rank' ? value : fc.option(value, { freq: 3 })]),
  ),
);

const comparison: fc.Arbitrary<Comparison> = fc.constantFrom(...codes).chain((fieldName) => {
  const value = valueAt[fieldName] ?? fc.nat();
  const ordered = fieldName === 'flag' ? [] : ['gt', 'gte', 'lt', 'lte'];
  const one = fc.record({ operator: fc.constantFrom('eq', 'ne', ...ordered), value });
  const several = fc.record({ operator: fc.constantFrom('in', 'not_in'), value: fc.array(value, { maxLength: 3 }) });
  const none = fc.record({ operator: fc.constantFrom('is_null', 'is_not_null') });
  const range = fc.record({ operator: fc.constantFrom('between', 'not_between'), value: fc.tuple(value, value) });
  const texts = fc.record({
    operator: fc.constantFrom('contains', 'starts_with', 'ends_with', 'not_like'),
    value: fc.constantFrom('a', 'b', 'bc'),
  });
  const kinds = [
    one,
    several,
    none,
    ...(fieldName === 'flag' ? [] : [range]),
    ...(/name|label/.test(fieldName) ? [texts] : []),
  ];
  return fc.oneof(...(kinds as fc.Arbitrary<Omit<Comparison, 'fieldName'>>[])).map((rest) => ({ fieldName, ...rest }));
});
export const { condition } = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    comparison,
    fc.record({ and: fc.array(tie('condition'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ or: fc.array(tie('condition'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ not: tie('condition') }),
  ),
}));
export const sortFields = fc.uniqueArray(
  fc.record({
    fieldName: fc.constantFrom(...codes, 'id', 'created_at'),
    order: fc.constantFrom<('asc' | 'desc')[]>('asc', 'desc'),
  }),
  { selector: ({ fieldName }) => fieldName, maxLength: 3 },
);
/** Conditions and an order. */
export const query = fc.record({ conditions: fc.array(condition, { maxLength: 2 }), sortFields });
