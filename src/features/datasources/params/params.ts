import { Type } from 'typebox';
import { throwIfInvalid, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import { FIELD, type FieldContent } from '../../../platform/metadata/field-types/field-content.ts';
import { checkDeclaredFields } from '../../../platform/metadata/field-types/field-value.ts';
import { MAX_PARAMS } from '../datasources.limits.ts';

/** What a reader of a data source may give: declared as the fields of a model are. */
export const PARAMS = Type.Optional(Type.Array(FIELD, { maxItems: MAX_PARAMS }));

/** Code of a param -> its value as JSON has it; null for none. */
export type ParamValues = Readonly<Record<string, unknown>>;

/**
 * The values of a data source's params, with defaults.
 * @param errors collects what is wrong, as `params.<code>`
 */
export function checkParams(params: readonly FieldContent[], given: ParamValues, errors: FieldErrors): ParamValues {
  // Without a prototype, so that `__proto__` is a key like any other.
  const wrong = Object.create(null) as FieldErrors;
  const values = checkDeclaredFields(params, given, 'is not a parameter of this data source', wrong);
  for (const [code, problem] of Object.entries(wrong)) errors[`params.${code}`] = problem;
  return values;
}

/** As `checkParams`. @throws VALIDATION_ERROR */
export function readParams(params: readonly FieldContent[], given: ParamValues): ParamValues {
  const errors: FieldErrors = {};
  const values = checkParams(params, given, errors);
  throwIfInvalid(errors);
  return values;
}
