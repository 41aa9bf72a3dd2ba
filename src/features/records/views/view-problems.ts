import { ApplicationError, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import { text } from '../../../foundation/i18n/text.ts';
import type { Model } from '../../../platform/metadata/models/model.ts';
import { MAX_VIEW_CONDITIONS } from '../records.limits.ts';
import type { Reader } from '../query/related-fields.ts';
import { problemOfConditions, savedScope } from '../query/saved-conditions.ts';
import { checkSortFields } from '../query/sort-order.ts';
import type { ViewParts } from '../view-content.ts';

/**
 * Problems of a view in view of its model: path -> problem.
 * @throws FORBIDDEN with `data.permission` for a field that the reader may not read
 */
export function problemsOfView(
  { conditions = [], sortFields = [], columns = [] }: ViewParts,
  model: Model,
  reader: Reader,
): FieldErrors {
  const problems: FieldErrors = {};
  const scope = savedScope(model, reader);
  const problem = problemOfConditions(conditions, scope);
  if (JSON.stringify(conditions).length > MAX_VIEW_CONDITIONS) {
    problems.conditions = text('must not be longer than {max} characters', { max: MAX_VIEW_CONDITIONS });
  } else if (problem !== null) problems.conditions = problem;
  checkSortFields(sortFields, scope, (index) => `sortFields.${index}.fieldName`, problems);
  for (const [index, code] of columns.entries()) {
    if (!scope.find(code)) problems[`columns.${index}`] = text('is not a field of {model}', { model: model.code });
  }
  return problems;
}

/** Whether a view asks for nothing that the actor may not read. Columns are left out one by one. */
export function isUsable({ conditions, sortFields }: ViewParts, model: Model, reader: Reader): boolean {
  try {
    return Object.keys(problemsOfView({ conditions, sortFields }, model, reader)).length === 0;
  } catch (error) {
    if (error instanceof ApplicationError && ['FORBIDDEN', 'VALIDATION_ERROR'].includes(error.code)) return false;
    throw error;
  }
}
