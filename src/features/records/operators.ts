import { FIELD_TYPES, type FieldType } from '../../platform/metadata/field-types/field-types.ts';

const EQUALITY = ['eq', 'ne', 'in', 'not_in'] as const;
const ORDER = ['gt', 'gte', 'lt', 'lte', 'between', 'not_between'] as const;
const TEXT = ['like', 'not_like', 'ilike', 'contains', 'starts_with', 'ends_with'] as const;
const PRESENCE = ['is_null', 'is_not_null'] as const;

/** All filter operators. Spec: "Filter condition", and our own. */
export const OPERATORS = [...EQUALITY, ...ORDER, ...TEXT, ...PRESENCE];
export type Operator = (typeof OPERATORS)[number];

/** The filter operators of a field type. */
export function operatorsOf(type: FieldType): Operator[] {
  const { comparable, ordered, textual } = FIELD_TYPES[type];
  return [
    ...(comparable ? EQUALITY : []),
    ...(comparable && ordered ? ORDER : []),
    ...(comparable && textual ? TEXT : []),
    ...PRESENCE,
  ];
}
