import type { PossibleValue, TypeCheck } from '../../../foundation/expressions/type-check.ts';
import { text, type Message } from '../../../foundation/i18n/text.ts';
import { withSuggestion } from '../../../foundation/validation/similar.ts';
import { FIELD_TYPES } from '../../../platform/metadata/field-types/field-types.ts';
import type { Field } from '../../../platform/metadata/models/model.ts';
import { isNoList, problemOfValue } from '../../../platform/metadata/models/value-fit.ts';
import { operatorNamed, operatorsOf } from '../../../platform/records/conditions/filter-condition.ts';

/** Operators whose value is a list. */
const OF_LISTS: ReadonlySet<string> = new Set(['in', 'not_in', 'between', 'not_between']);
/** Operators that compare a record with a part of a text. */
const OF_PARTS: ReadonlySet<string> = new Set(['like', 'not_like', 'ilike', 'contains', 'starts_with', 'ends_with']);

/** Problems of an operator, or of an expression whose value the field is compared with. */
export function problemOfFilter(
  { code, type, content }: Field,
  { operator, value }: { operator: string; value?: string | undefined },
  check: TypeCheck,
): { readonly key: string; readonly message: Message } | null {
  const known: readonly string[] = operatorsOf(type);
  const named = operatorNamed(operator);
  if (!known.includes(named)) {
    const problem = text('must be one of {values}', { values: known.join(', ') });
    return { key: 'operator', message: withSuggestion(problem, operator, known) };
  }
  const needsValue = !named.endsWith('_null');
  if (value === undefined) return needsValue ? { key: 'value', message: 'is required' } : null;
  if (!needsValue) return null;
  // A part of a value need not be one.
  const field = OF_PARTS.has(named)
    ? { code, name: code, type: 'text' as const }
    : (content ?? { code, name: code, type });
  const { values, items } = check.possibleValuesOf(value);
  if (OF_LISTS.has(named) && values.some(isNoList)) return { key: 'value', message: 'is not a list' };
  for (const each of OF_LISTS.has(named) ? (items ?? itemsOf(values)) : values) {
    const problem = problemOfValue({ ...field, required: false }, each);
    if (problem) return { key: 'value', message: problem };
  }
  return null;
}

/** The problem of a field that records are to be sorted by. */
export function problemOfSort(field: Field | undefined): Message | null {
  if (!field || FIELD_TYPES[field.type].comparable) return null;
  return text('is a {type} field, which has no order', { type: field.type });
}

function itemsOf(values: readonly PossibleValue[]): PossibleValue[] {
  return values.flatMap((value) =>
    'type' in value && typeof value.type === 'object' && 'list' in value.type ? [{ type: value.type.list }] : [],
  );
}
