import type { FilterContent } from '../content/filter-content.ts';
import type { FieldRenames } from '../resources/field-renames.ts';

/** The path of a field from records of a model, such as `account.name`, after renames. */
export function renamedPath(path: string, fromModel: string, renames: FieldRenames): string {
  let model: string | undefined = fromModel;
  return path
    .split('.')
    .map((segment) => {
      const code = (model === renames.modelCode ? renames.codes.get(segment) : undefined) ?? segment;
      const field = model && renames.modelsBefore.get(model)?.fields.find((one) => one.code === segment);
      model = field ? field.target : undefined;
      return code;
    })
    .join('.');
}

/** Conditions on records of a model, after renames. */
export function renamedConditions(
  conditions: readonly FilterContent[],
  fromModel: string,
  renames: FieldRenames,
): FilterContent[] {
  return withFieldNames(conditions, (path) => renamedPath(path, fromModel, renames));
}

/** Conditions with other names in the place of those that they have. */
export function withFieldNames(
  conditions: readonly FilterContent[],
  rename: (fieldName: string) => string,
): FilterContent[] {
  return conditions.map((condition) => {
    if ('and' in condition) return { and: withFieldNames(condition.and, rename) };
    if ('or' in condition) return { or: withFieldNames(condition.or, rename) };
    if ('not' in condition) {
      const [not = condition.not] = withFieldNames([condition.not], rename);
      return { not };
    }
    return { ...condition, fieldName: rename(condition.fieldName) };
  });
}
