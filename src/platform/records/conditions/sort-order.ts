import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { text } from '../../../foundation/i18n/text.ts';
import { FIELD_TYPES } from '../../metadata/field-types/field-types.ts';
import type { FieldColumn, FilterScope } from './filter-condition.ts';
import { unknownField } from './unknown-field.ts';

export interface SortField {
  readonly fieldName: string;
  readonly order: 'asc' | 'desc';
}

/** Spec: "Limits", default sort. */
export const NEWEST_FIRST = { fieldName: 'created_at', order: 'desc' } as const;

/** One expression of an ORDER BY. */
export interface SortKey extends FieldColumn {
  readonly order: 'asc' | 'desc';
}

/**
 * @param pathOf the path in the request of the field with this index
 * @throws FORBIDDEN with `data.permission` for a field the caller may not read
 */
export function checkSortFields(
  sortFields: readonly SortField[],
  scope: FilterScope,
  pathOf: (index: number) => string,
  errors: FieldErrors,
): void {
  sortFields.forEach(({ fieldName }, index) => {
    const field = scope.find(fieldName)?.field;
    const path = pathOf(index);
    if (!field) errors[path] = unknownField(scope.model, fieldName);
    else if (!FIELD_TYPES[field.type].comparable)
      errors[path] = text('is a {type} field, which has no order', { type: field.type });
    else if (sortFields.findIndex((one) => one.fieldName === fieldName) < index) errors[path] = 'is named twice';
  });
}

/** The keys of checked fields. `id` breaks ties, in the direction of the last field. */
export function sortKeys(sortFields: readonly SortField[], scope: FilterScope): SortKey[] {
  const keys: SortKey[] = [];
  for (const { fieldName, order } of [...sortFields, { fieldName: 'id', order: sortFields.at(-1)?.order ?? 'desc' }]) {
    const column = scope.find(fieldName);
    if (!column) throw new Error(`${fieldName} is not a field of ${scope.model.code}`);
    keys.push({ ...column, order });
    // No two records share an id: what follows decides nothing.
    if (fieldName === 'id') break;
  }
  return keys;
}

/**
 * ORDER BY: records without a value come last in both directions.
 * @param withValue false for records that have no value of the first key: where they would stand is then the
 *   index's choice, and read backwards it has them first
 */
export function orderBy(keys: readonly Pick<SortKey, 'sql' | 'order' | 'nullable'>[], withValue = true): string {
  // Where no value can be missing, `nulls last` would only keep Postgres from reading an ascending index
  // backwards.
  return keys
    .map(({ sql, order, nullable }, index) => {
      if (order === 'asc') return `${sql} asc${index === 0 && !withValue ? ' nulls first' : ''}`;
      return `${sql} desc${nullable ? ' nulls last' : ''}`;
    })
    .join(', ');
}
