import type { Actor } from '../../platform/auth/requests/actor.ts';
import { defaultVariableOf, valueOfVariable } from '../../platform/metadata/field-types/default-variables.ts';
import type { FieldContent } from '../../platform/metadata/field-types/field-content.ts';
import { checkDeclaredFields } from '../../platform/metadata/field-types/field-value.ts';
import { valuesOfFields } from '../../platform/metadata/models/expression-values.ts';
import type { CommandContent, Operation } from './command-content.ts';

/**
 * The payload as a command's expressions read it: each value in the one form of its type, with the defaults of
 * a record that is created.
 */
export function payloadValues(
  { modelCode, payload: declared = [] }: CommandContent,
  operation: Operation,
  payload: Readonly<Record<string, unknown>>,
  actor: Actor,
): Record<string, unknown> {
  const own = [...actor.metadata.model(modelCode).fields.values()].flatMap(({ content }) => content ?? []);
  const fields = operation === 'CUSTOM' ? declared : own;
  const given = operation === 'UPDATE' ? fields.filter(({ code }) => Object.hasOwn(payload, code)) : fields;
  const withDefaults = operation === 'CREATE' ? given.map((field) => withDefault(field, actor)) : given;
  return valuesOfFields(fields, checkDeclaredFields(withDefaults, payload, '', {}));
}

function withDefault(field: FieldContent, actor: Actor): FieldContent {
  const variable = defaultVariableOf(field);
  return variable === null ? field : { ...field, default: valueOfVariable(variable, actor) };
}
