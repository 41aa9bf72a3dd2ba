import { text, type Message } from '../../../foundation/i18n/text.ts';
import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import type { Comparison, FilterContent } from '../../metadata/content/filter-content.ts';
import { FIELD_TYPES } from '../../metadata/field-types/field-types.ts';
import type { Model } from '../../metadata/models/model.ts';
import { ALL_PERMISSIONS } from '../../metadata/permissions/permissions.ts';
import { SAMPLE_CALLER, Variables } from './dynamic-values.ts';
import { compileFilters } from './filter-condition.ts';
import { FORBIDDEN_KEYS } from '../../../foundation/validation/json-scan.ts';
import { Parameters } from '../../../foundation/database/parameters.ts';
import { RelatedFields } from './related-fields.ts';
import type { RuleSubject } from './row-rules.ts';

/** In whose place conditions of the configuration are checked when it is saved. */
export function authorOf(models: ReadonlyMap<string, Model>): RuleSubject {
  return { ...SAMPLE_CALLER, permissions: ALL_PERMISSIONS, metadata: { models } };
}

/** What saved conditions and orders may name when they are saved, before a caller asks for them. */
export function savedScope(model: Model, reader: RuleSubject): RelatedFields {
  return new RelatedFields(model, reader, new Parameters(), new Variables(SAMPLE_CALLER));
}

/**
 * The first problem of conditions that may name params.
 * @throws FORBIDDEN with `data.permission` for a field that the reader may not read
 */
export function problemOfConditions(conditions: readonly FilterContent[], scope: RelatedFields): Message | null {
  const errors: FieldErrors = {};
  compileFilters(withSamples(conditions, scope), scope, new Parameters(), errors, 'conditions');
  const [broken] = Object.entries(errors);
  return broken ? text('{field}: {problem}', { field: broken[0], problem: broken[1] }) : null;
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

/** No request can give a param whose name is refused as a key of JSON: it stands for no value. */
const PARAM = new RegExp(String.raw`^\$params\.(?!(?:${FORBIDDEN_KEYS.join('|')})$)([A-Za-z_][A-Za-z0-9_]{0,63})$`);

/** The names of the params in conditions, each once. */
export function namesOfParams(conditions: readonly FilterContent[]): string[] {
  const names = new Set<string>();
  replaceParams(conditions, (name) => void names.add(name));
  return [...names];
}

/**
 * Saved conditions with the values that a request names in `extraParams`.
 * @param errors collects the names that the request lacks
 */
export function withParams(
  conditions: readonly FilterContent[],
  values: Readonly<Record<string, unknown>>,
  errors: FieldErrors,
): FilterContent[] {
  return replaceParams(conditions, (name) => {
    if (Object.hasOwn(values, name)) return values[name];
    errors[`extraParams.${name}`] = 'is required';
    return null;
  });
}

/** @param valueOf gives the value of the param with this name, in this comparison */
export function replaceParams(
  conditions: readonly FilterContent[],
  valueOf: (name: string, of: Comparison) => unknown,
): FilterContent[] {
  return conditions.map((condition) => {
    // What is no condition stays, and is refused where conditions are compiled.
    if (typeof (condition as unknown) !== 'object' || (condition as unknown) === null) return condition;
    if ('and' in condition && Array.isArray(condition.and)) return { and: replaceParams(condition.and, valueOf) };
    if ('or' in condition && Array.isArray(condition.or)) return { or: replaceParams(condition.or, valueOf) };
    if ('and' in condition || 'or' in condition) return condition;
    if ('not' in condition) return { not: replaceParams([condition.not], valueOf)[0] as FilterContent };
    const replaced = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(replaced);
      const name = typeof value === 'string' ? PARAM.exec(value)?.[1] : undefined;
      return name === undefined ? value : valueOf(name, condition);
    };
    return { ...condition, ...('value' in condition && { value: replaced(condition.value) }) };
  });
}
