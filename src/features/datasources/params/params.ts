import { Type } from 'typebox';
import { throwIfInvalid, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import { FIELD, type FieldContent } from '../../../platform/metadata/field-types/field-content.ts';
import { checkDeclaredFields } from '../../../platform/metadata/field-types/field-value.ts';
import { MAX_PARAMS } from '../datasources.limits.ts';
import type { FilterContent } from '../../../platform/metadata/content/filter-content.ts';
import { FIELD_TYPES } from '../../../platform/metadata/field-types/field-types.ts';
import { replaceParams } from '../../../platform/records/conditions/saved-conditions.ts';

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

/** Codes of the params that conditions name. @param of only those of comparisons with this field */
export function paramsInConditions(conditions: readonly FilterContent[], of?: string): string[] {
  const found: string[] = [];
  replaceParams(conditions, (name, { fieldName }) => {
    if (of === undefined || of === fieldName) found.push(name);
    return null;
  });
  return found;
}

/** Codes of the fields that are compared with the values of params. */
export function fieldsComparedWith(values: ParamValues, conditions: readonly FilterContent[]): string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    if ((value ?? null) === null) return [];
    const fields: string[] = [];
    replaceParams(conditions, (param, { fieldName }) => {
      if (param === name) fields.push(fieldName);
      return null;
    });
    return fields;
  });
}

/** The conditions with the values of params, without those whose param has none. */
export function withValues(conditions: readonly FilterContent[], values: ParamValues): FilterContent[] {
  const given = conditions.flatMap((condition): FilterContent[] => {
    if ('and' in condition) return joined('and', withValues(condition.and, values));
    if ('or' in condition) return joined('or', withValues(condition.or, values));
    if ('not' in condition) return withValues([condition.not], values).map((not) => ({ not }));
    const isGiven = paramsInConditions([condition]).every((name) => (values[name] ?? null) !== null);
    return isGiven ? [condition] : [];
  });
  return replaceParams(given, (name) => literal(values[name]));
}

function joined(joint: 'and' | 'or', parts: FilterContent[]): FilterContent[] {
  return parts.length === 0 ? [] : [{ [joint]: parts } as FilterContent];
}

/** A value that a caller gives is never a variable such as `$me`. */
function literal(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(literal);
  return typeof value === 'string' && /^\$[a-z]/i.test(value) ? `$${value}` : value;
}

/** The conditions as they are with some values of the declared types. A list is a param of type json. */
export function withSamples(conditions: readonly FilterContent[], declared: readonly FieldContent[] = []) {
  return replaceParams(conditions, (name) => {
    const param = declared.find(({ code }) => code === name);
    if (!param) return null;
    return param.type === 'json' ? [] : FIELD_TYPES[param.type].sample(param);
  });
}
