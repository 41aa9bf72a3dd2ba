import type { Operator } from '@keelson/client';
import { isSystemField, ownFirst, type Field, type Model, type Page } from '../../app/application.ts';

/** The fields that a list can be narrowed by. */
export function filterFields(page: Page, model: Model): Field[] {
  const columns = new Set(page.columns.map((column) => column.fieldName));
  return ownFirst(model.fields.filter(({ code }) => !isSystemField(code) || columns.has(code)));
}

/** No one types the ids that these hold. */
const CHOSEN: readonly Operator[] = ['eq', 'ne', 'is_null', 'is_not_null'];
const OPERATORS: { readonly [T in Field['type']]?: readonly Operator[] } = {
  relation: CHOSEN,
  user: CHOSEN,
  file: ['is_null', 'is_not_null'],
};

/** The operators of conditions on a field. @param chosen stays, as an address may have any of them */
export function operatorsOf(page: Page, { type }: Field, chosen?: Operator): readonly Operator[] {
  const all = (page.operators[type] ?? []) as readonly Operator[];
  return all.filter((one) => one === chosen || (OPERATORS[type]?.includes(one) ?? true));
}

/** What is looked for most often in a field of this type. */
export function preferredOperator(page: Page, field: Field | undefined): Operator | undefined {
  if (!field) return undefined;
  const operators = operatorsOf(page, field);
  const wanted: Operator = { enum: 'in', string: 'contains', text: 'contains' }[field.type as string] as Operator;
  return operators.includes(wanted) ? wanted : operators.includes('eq') ? 'eq' : operators[0];
}
