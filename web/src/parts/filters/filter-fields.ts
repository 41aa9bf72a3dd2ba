import type { Operator } from '@keelson/client';
import { isSystemField, ownFirst, type Field, type Model, type Page } from '../../app/application.ts';

/** The fields that a list can be narrowed by. */
export function filterFields(page: Page, model: Model): Field[] {
  const columns = new Set(page.columns.map((column) => column.fieldName));
  return ownFirst(model.fields.filter(({ code }) => !isSystemField(code) || columns.has(code)));
}

/** The operators of conditions on a field. */
export function operatorsOf(page: Page, field: Field): readonly Operator[] {
  return (page.operators[field.type] ?? []) as readonly Operator[];
}

/** What is looked for most often in a field of this type. */
export function preferredOperator(page: Page, field: Field | undefined): Operator | undefined {
  if (!field) return undefined;
  const operators = operatorsOf(page, field);
  const wanted: Operator = { enum: 'in', string: 'contains', text: 'contains' }[field.type as string] as Operator;
  return operators.includes(wanted) ? wanted : operators.includes('eq') ? 'eq' : operators[0];
}
