import { literalOf } from '../../../foundation/expressions/literal.ts';
import type { Message } from '../../../foundation/i18n/text.ts';
import type { FieldContent } from '../../../platform/metadata/field-types/field-content.ts';
import { checkFieldValue } from '../../../platform/metadata/field-types/field-value.ts';

/** The problem of a literal that the field cannot hold; null for any other expression. */
export function problemOfLiteral(field: FieldContent | null | undefined, source: string): Message | null {
  const literal = field ? literalOf(source) : null;
  const checked = field && literal ? checkFieldValue(field, literal.value) : null;
  return checked && 'problem' in checked ? checked.problem : null;
}
