import type { ExpressionType, TypeCheck } from '../../../foundation/expressions/type-check.ts';
import { text, type Message } from '../../../foundation/i18n/text.ts';
import type { FieldContent } from '../field-types/field-content.ts';
import type { FieldTypeDefinition } from '../field-types/field-type.ts';
import { FIELD_TYPES, type FieldType } from '../field-types/field-types.ts';
import type { ComputedField } from './model.ts';
import { fieldsOfCheck, recordCel } from './record-checks.ts';
import { problemOfValue } from './value-fit.ts';

/** Type of a field -> what its expression may say. A day is a text, as `date(...)` makes it. */
const RESULTS: Partial<Record<FieldType, readonly ExpressionType[]>> = {
  string: ['text'],
  text: ['text'],
  enum: ['text'],
  date: ['text'],
  datetime: ['time', 'text'],
  integer: ['number'],
  bigint: ['number'],
  decimal: ['number'],
  boolean: ['boolean'],
};

/**
 * The problem of the expression of a computed field.
 * @param all the fields of its model
 * @param check knows `record`
 */
export function problemOfComputed(
  field: ComputedField,
  all: readonly FieldContent[],
  check: TypeCheck,
): Message | null {
  const { type, computed } = field;
  const wanted = RESULTS[type];
  if (!wanted) return text('is for fields of type {types}', { types: Object.keys(RESULTS).join(', ') });
  const problem =
    recordCel.problemOf(computed) ?? check.problemOfType(computed, wanted) ?? problemOfValues(field, check);
  return problem ?? problemOfRead(fieldsOfCheck(computed, ['*']), all);
}

/** Values that the expression may say as they are, and that the field cannot have. */
function problemOfValues(field: ComputedField, check: TypeCheck): Message | null {
  const type: FieldTypeDefinition = FIELD_TYPES[field.type];
  for (const value of check.possibleValuesOf(field.computed).values) {
    const isText =
      'type' in value && typeof value.type === 'object' && ('oneOf' in value.type || 'written' in value.type);
    const converted =
      'literal' in value ? { literal: type.fromExpressionValue?.(value.literal, field) ?? value.literal } : value;
    const problem = 'literal' in value || isText ? problemOfValue(field, converted) : null;
    if (problem !== null) return problem;
  }
  return null;
}

/** What an expression must not read: what is not a value of the record's own, or is computed itself. */
function problemOfRead(codes: readonly string[], all: readonly FieldContent[]): Message | null {
  const fields = new Map(all.map((field) => [field.code, field]));
  for (const code of codes) {
    const field = fields.get(code);
    if (code === '*') return 'reads the record as a whole: name its fields';
    if (!field) return text('reads {field}, which the platform sets', { field: code });
    if (field.computed !== undefined) return text('reads {field}, which is computed itself', { field: code });
    if (field.type === 'relation') return text('reads {field}: a computed field follows no relation', { field: code });
  }
  return null;
}
