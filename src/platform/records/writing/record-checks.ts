import { conflict, validationError, type ApplicationError } from '../../../foundation/errors/application-error.ts';
import { EvaluationBudget } from '../../../foundation/expressions/evaluation/evaluation-budget.ts';
import { quoted } from '../../../foundation/i18n/text.ts';
import { valuesOfRecord } from '../../metadata/models/expression-values.ts';
import type { Model } from '../../metadata/models/model.ts';
import { recordCel } from '../../metadata/models/model-rules.ts';
import type { RecordData } from '../reader/record-reader.ts';

/** Holds records against their model's `checks`. @throws the first broken one's error; EXPRESSION_LIMIT */
export function checkRecords(model: Model, records: Iterable<RecordData>): void {
  if (model.checks.length === 0) return;
  for (const record of records) {
    const values = { record: valuesOfRecord(model, record) };
    const budget = new EvaluationBudget();
    for (const [index, { assert, message, reason, fields }] of model.checks.entries()) {
      if (recordCel.holds(assert, values, `checks.${index}.assert`, budget)) continue;
      throw refused(message, reason === undefined ? { fields: fields ?? ['payload'] } : { reason });
    }
  }
}

/** What a caller hears where an author's condition does not hold: 409 with a reason, or 400 at fields. */
export function refused(
  message: string,
  as: { readonly reason: string } | { readonly fields: readonly string[] },
): ApplicationError {
  const told = quoted(message);
  if ('reason' in as) return conflict(as.reason, told);
  return validationError(Object.fromEntries(as.fields.map((field) => [field, told])), told);
}
