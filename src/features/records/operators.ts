import { FIELD_TYPES, type FieldType } from '../../platform/metadata/field-types/field-types.ts';

/** The operators that a condition on a field of this type may have. Spec: "Filter condition"; ours beside them. */
export function operatorsOf(type: FieldType): string[] {
  const { comparable, ordered, textual } = FIELD_TYPES[type];
  return [
    ...(comparable ? ['eq', 'ne', 'in', 'not_in'] : []),
    ...(comparable && ordered ? ['gt', 'gte', 'lt', 'lte', 'between', 'not_between'] : []),
    ...(comparable && textual ? ['like', 'not_like', 'ilike', 'contains', 'starts_with', 'ends_with'] : []),
    ...['is_null', 'is_not_null'],
  ];
}
