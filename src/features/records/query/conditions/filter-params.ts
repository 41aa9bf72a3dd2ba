import type { FieldErrors } from '../../../../foundation/errors/application-error.ts';
import type { Comparison, FilterContent } from '../../../../platform/metadata/content/filter-content.ts';

const PARAM = /^\$params\.([A-Za-z_][A-Za-z0-9_]{0,63})$/;

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
