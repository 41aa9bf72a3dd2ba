import { text, type Message } from '../../../foundation/i18n/text.ts';
import { withSuggestion } from '../../../foundation/validation/similar.ts';
import { FIELD_TYPES } from '../../../platform/metadata/field-types/field-types.ts';
import type { Field } from '../../../platform/metadata/models/model.ts';
import { operatorNamed, operatorsOf } from '../../../platform/records/conditions/filter-condition.ts';
import { literalsOf } from './literal-problem.ts';

/** Problems of an operator, or of a value that stands in the content as it is. */
export function problemOfFilter(
  { type, content }: Field,
  { operator, value }: { operator: string; value?: string | undefined },
): { readonly key: string; readonly message: Message } | null {
  const known: readonly string[] = operatorsOf(type);
  const named = operatorNamed(operator);
  if (!known.includes(named)) {
    const problem = text('must be one of {values}', { values: known.join(', ') });
    return { key: 'operator', message: withSuggestion(problem, operator, known) };
  }
  const needsValue = !named.endsWith('_null');
  if (value === undefined) return needsValue ? { key: 'value', message: 'is required' } : null;
  for (const literal of needsValue ? literalsOf(value) : []) {
    const checked = FIELD_TYPES[type].check(literal);
    const problem =
      'problem' in checked ? checked.problem : content && FIELD_TYPES[type].checkOptions?.(content, checked.value);
    if (problem) return { key: 'value', message: problem };
  }
  return null;
}
