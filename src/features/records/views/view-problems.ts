import { ApplicationError, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import { text } from '../../../foundation/i18n/text.ts';
import type { Comparison, FilterContent } from '../../../platform/metadata/content/filter-content.ts';
import { FIELD_TYPES } from '../../../platform/metadata/field-types/field-types.ts';
import type { Model } from '../../../platform/metadata/models/model.ts';
import { SAMPLE_CALLER, Variables } from '../query/dynamic-values.ts';
import { compileFilters } from '../query/filter-condition.ts';
import { Parameters } from '../query/parameters.ts';
import { MAX_VIEW_CONDITIONS } from '../records.limits.ts';
import { RelatedFields, type Reader } from '../query/related-fields.ts';
import { checkSortFields } from '../query/sort-order.ts';
import type { ViewParts } from '../view-content.ts';
import { replaceParams } from '../query/filter-params.ts';

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
  const scope = new RelatedFields(model, reader, new Parameters(), new Variables(SAMPLE_CALLER));
  const errors: FieldErrors = {};
  compileFilters(withSamples(conditions, scope), scope, new Parameters(), errors, 'conditions');
  const [broken] = Object.entries(errors);
  if (JSON.stringify(conditions).length > MAX_VIEW_CONDITIONS) {
    problems.conditions = text('must not be longer than {max} characters', { max: MAX_VIEW_CONDITIONS });
  } else if (broken) problems.conditions = text('{field}: {problem}', { field: broken[0], problem: broken[1] });
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

/** Params stand for values that fit: those of a request are checked when it comes. */
function withSamples(conditions: readonly FilterContent[], scope: RelatedFields): FilterContent[] {
  return replaceParams(conditions, (_name, { fieldName, operator, value }: Comparison) => {
    const field = scope.find(fieldName)?.field;
    if (!field) return null;
    const sample = FIELD_TYPES[field.type].sample(field.content ?? { code: field.code, name: field.code });
    return Array.isArray(value) || !/(^|_)(in|between)$/i.test(operator) ? sample : [sample, sample];
  });
}
