import { ApplicationError, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import { text } from '../../../foundation/i18n/text.ts';
import { EvaluationBudget } from '../../../foundation/expressions/evaluation/evaluation-budget.ts';
import { FIELD_TYPES } from '../field-types/field-types.ts';
import type { Checked, FieldTypeDefinition } from '../field-types/field-type.ts';
import { checkFieldValue } from '../field-types/field-value.ts';
import { valuesOfRecord } from './expression-values.ts';
import type { ComputedField, Model } from './model.ts';
import { fieldsOfCheck, recordCel } from './record-checks.ts';

type Values = Readonly<Record<string, unknown>>;

/** What the computed fields of a record hold, as parameters of SQL. */
export interface ComputedValues {
  readonly values: ReadonlyMap<string, unknown>;
  /** Field -> why it has no value that fits. */
  readonly problems: FieldErrors;
}

/**
 * Computes fields of a record.
 * @param record the values of all other fields, in the form that records have them
 * @throws EXPRESSION_LIMIT
 */
export function computedValues(
  model: Model,
  record: Values,
  fields: readonly ComputedField[] = model.computed,
): ComputedValues {
  const read = { record: valuesOfRecord(model, record) };
  const budget = new EvaluationBudget();
  const values = new Map<string, unknown>();
  const problems: FieldErrors = {};
  for (const field of fields) {
    const checked = computedValue(field, read, budget);
    if ('problem' in checked) problems[field.code] = checked.problem;
    else values.set(field.code, checked.value);
  }
  return { values, problems };
}

function computedValue(field: ComputedField, read: { readonly record: Values }, budget: EvaluationBudget): Checked {
  const { code, type, computed } = field;
  const fieldType: FieldTypeDefinition = FIELD_TYPES[type];
  try {
    const value = recordCel.evaluate(computed, read, code, budget);
    const isGiven = value !== null && value !== undefined;
    return checkFieldValue(field, isGiven ? (fieldType.fromExpressionValue?.(value, field) ?? value) : null);
  } catch (error) {
    if (!(error instanceof ApplicationError) || error.code !== 'VALIDATION_ERROR') throw error;
    // As in SQL, what is calculated with no value has none.
    if (fieldsOfCheck(computed, []).some((each) => (read.record[each] ?? null) === null)) return { value: null };
    const { [code]: problem = error.text } = (error.data?.fieldErrors ?? {}) as FieldErrors;
    return { problem: text('cannot be computed: {problem}', { problem }) };
  }
}
