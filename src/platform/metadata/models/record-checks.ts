import { EvaluationBudget } from '../../../foundation/expressions/evaluation/evaluation-budget.ts';
import { evaluationScope } from '../../../foundation/expressions/evaluation/evaluation-scope.ts';
import { originOf } from '../../../foundation/expressions/expression-origin.ts';
import { celLanguage } from '../../../foundation/expressions/language.ts';
import { ANY_FIELD, fieldsIn, recordOf } from '../../../foundation/expressions/value-origin.ts';
import { valuesOfRecord } from './expression-values.ts';
import type { Model } from './model.ts';
import type { RecordCheck } from './rule-content.ts';

const RECORD = 'record';

/** Expressions over a record by itself. */
export const recordCel = celLanguage(
  evaluationScope().registerVariable(RECORD, 'dyn', { description: 'the record as it is written' }),
);

/** The codes of the fields that a check reads: all of the model's where it reads the record as a whole. */
export function fieldsOfCheck(assert: string, all: readonly string[]): readonly string[] {
  const read = fieldsIn(originOf(assert, { [RECORD]: recordOf(RECORD) }));
  const codes = read.map((field) => field.slice(RECORD.length + 1));
  return read.includes(ANY_FIELD) || codes.includes(ANY_FIELD) ? all : codes;
}

/** The first check of its model that a record breaks, with its index. @throws EXPRESSION_LIMIT */
export function brokenCheck(
  model: Model,
  record: Readonly<Record<string, unknown>>,
  checks: readonly RecordCheck[] = model.checks,
): RecordCheck | undefined {
  const values = { record: valuesOfRecord(model, record) };
  const budget = new EvaluationBudget();
  return checks.find(({ assert }, index) => !recordCel.holds(assert, values, `checks.${index}.assert`, budget));
}
