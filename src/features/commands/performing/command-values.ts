import type { Actor } from '../../../platform/auth/requests/actor.ts';
import { withDefaultValue } from '../../../platform/metadata/field-types/default-variables.ts';
import type { FieldContent } from '../../../platform/metadata/field-types/field-content.ts';
import { checkDeclaredFields } from '../../../platform/metadata/field-types/field-value.ts';
import { valuesOfFields } from '../../../platform/metadata/models/expression-values.ts';
import { declaredFields, withoutField } from '../../../platform/metadata/models/model.ts';
import type { CommandContent, Operation } from '../definition/command-content.ts';
import { relatedIn } from '../request/related-payload.ts';
import type { RelationContent } from '../definition/relation-content.ts';

type Values = Readonly<Record<string, unknown>>;

/**
 * The payload as a command's expressions read it: each value in the one form of its type, with the defaults
 * of a record that is created, and with all lists of related records.
 */
export function payloadValues(
  { modelCode, payload: declared = [], relations = [] }: CommandContent,
  operation: Operation,
  payload: Values,
  actor: Actor,
): Values {
  const fields = operation === 'CUSTOM' ? declared : declaredFields(actor.metadata.model(modelCode));
  const own = valuesOf(fields, operation, payload, actor);
  const related = relations.map((relation) => [relation.code, relatedValues(relation, payload, actor)] as const);
  return { ...own, ...Object.fromEntries(related) };
}

function relatedValues(relation: RelationContent, payload: Values, actor: Actor): Values {
  const fields = declaredFields(withoutField(actor.metadata.model(relation.modelCode), relation.field));
  const { create, update, unlink, delete: deleted } = relatedIn(relation, payload);
  return {
    create: create.map((data) => valuesOf(fields, 'CREATE', data, actor)),
    update: update.map(({ pid, data }) => ({ pid, ...valuesOf(fields, 'UPDATE', data, actor) })),
    unlink: unlink.map(({ pid }) => pid),
    delete: deleted.map(({ pid }) => pid),
  };
}

function valuesOf(fields: readonly FieldContent[], operation: Operation, payload: Values, actor: Actor): Values {
  const given = operation === 'UPDATE' ? fields.filter(({ code }) => Object.hasOwn(payload, code)) : fields;
  const withDefaults = operation === 'CREATE' ? given.map((field) => withDefaultValue(field, actor)) : given;
  return valuesOfFields(fields, checkDeclaredFields(withDefaults, payload, 'is not a field of this command', {}));
}
