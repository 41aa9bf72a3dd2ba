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

/** What the value of a field is called, where it is the id of something. */
export type NameOf = (fieldName: string, value: unknown) => string | undefined;

/** A condition as a sentence: `Status is one of new, open`; `(Status is new or Amount is more than 5)`. */
export function conditionText(condition: Condition, model: Model, nameOf: NameOf): string {
  const inner = (one: Condition): string => {
    const text = conditionText(one, model, nameOf);
    return 'and' in one || 'or' in one ? `(${text})` : text;
  };
  if ('and' in condition) return condition.and.map(inner).join(t(' and '));
  if ('or' in condition) return condition.or.map(inner).join(t(' or '));
  if ('not' in condition) return t('not {condition}', { condition: inner(condition.not) });
  const { fieldName: code, operator, value } = condition;
  const field = findField(model, code);
  const { toText = textOf } = field ? FIELD_KINDS[field.type] : {};
  const show = (one: unknown): string =>
    (one === '$me' ? t('me') : nameOf(code, one)) ?? (field ? toText(one, field) : textOf(one));
  const shown = Array.isArray(value) ? value.map(show).join(', ') : show(value);
  const name = field ? fieldName(field) : code;
  return [name, t(OPERATOR_NAMES[operator] ?? 'is'), ...(valuesOf(operator) === 'none' ? [] : [shown])].join(' ');
}

/** The comparisons in conditions, however deep. */
export function comparisonsIn(condition: Condition): Extract<Condition, { fieldName: unknown }>[] {
  if ('and' in condition) return condition.and.flatMap(comparisonsIn);
  if ('or' in condition) return condition.or.flatMap(comparisonsIn);
  return 'not' in condition ? comparisonsIn(condition.not) : [condition];
}
