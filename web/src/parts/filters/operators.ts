import type { Condition, Operator } from '@keelson/client';
import { findField, type Model } from '../../app/application.ts';
import { fieldName } from '../../app/field-names.ts';
import { t, type TextKey } from '../../app/texts.ts';
import { textOf } from '../fields/field-kind.ts';
import { FIELD_KINDS } from '../fields/field-kinds.ts';

/** How operators are said between a field and a value. */
export const OPERATOR_NAMES: Readonly<Record<Operator, TextKey>> = {
  eq: 'is',
  ne: 'is not',
  gt: 'is more than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
  in: 'is one of',
  not_in: 'is none of',
  between: 'is between',
  not_between: 'is not between',
  like: 'is like',
  not_like: 'is not like',
  ilike: 'is like, in any case',
  contains: 'contains',
  starts_with: 'starts with',
  ends_with: 'ends with',
  is_null: 'is empty',
  is_not_null: 'is not empty',
};

/** How many values an operator takes. */
export function valuesOf(operator: Operator): 'none' | 'one' | 'two' | 'many' {
  if (operator === 'is_null' || operator === 'is_not_null') return 'none';
  if (operator === 'between' || operator === 'not_between') return 'two';
  return operator === 'in' || operator === 'not_in' ? 'many' : 'one';
}

/**
 * A condition as a sentence: `Status is one of new, open`.
 * @param named what the value is called, where it is the id of something
 */
export function conditionText(condition: Condition, model: Model, named?: string): string {
  if (!('fieldName' in condition)) return t('Several conditions');
  const { fieldName: code, operator, value } = condition;
  const field = findField(model, code);
  const { toText = textOf } = field ? FIELD_KINDS[field.type] : {};
  const show = (one: unknown): string => (field ? toText(one, field) : textOf(one));
  const shown = named ?? (Array.isArray(value) ? value.map(show).join(', ') : show(value));
  const name = field ? fieldName(field) : code;
  return [name, t(OPERATOR_NAMES[operator] ?? 'is'), ...(valuesOf(operator) === 'none' ? [] : [shown])].join(' ');
}
