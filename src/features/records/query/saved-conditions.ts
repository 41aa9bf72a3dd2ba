import { text, type Message } from '../../../foundation/i18n/text.ts';
import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import type { Comparison, FilterContent } from '../../../platform/metadata/content/filter-content.ts';
import { FIELD_TYPES } from '../../../platform/metadata/field-types/field-types.ts';
import type { Model } from '../../../platform/metadata/models/model.ts';
import { ALL_PERMISSIONS } from '../../../platform/metadata/permissions/permissions.ts';
import { SAMPLE_CALLER, Variables } from './conditions/dynamic-values.ts';
import { compileFilters } from './conditions/filter-condition.ts';
import { replaceParams } from './conditions/filter-params.ts';
import { Parameters } from './parameters.ts';
import { RelatedFields, type Reader } from './related-fields.ts';

/** In whose place conditions of the configuration are checked when it is saved. */
export function authorOf(models: ReadonlyMap<string, Model>): Reader {
  return { ...SAMPLE_CALLER, permissions: ALL_PERMISSIONS, metadata: { models } };
}

/** What saved conditions and orders may name, at a time when nobody asks for them. */
export function savedScope(model: Model, reader: Reader): RelatedFields {
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
