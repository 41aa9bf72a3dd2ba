import type { Actor } from '../../platform/auth/requests/actor.ts';
import { forbidden, type FieldErrors } from '../../foundation/errors/application-error.ts';
import { defaultVariableOf, valueOfVariable } from '../../platform/metadata/field-types/default-variables.ts';
import type { FieldContent } from '../../platform/metadata/field-types/field-content.ts';
import type { Model } from '../../platform/metadata/models/model.ts';
import type { Permissions } from '../../platform/metadata/permissions/permissions.ts';
import { checkFieldValue } from '../../platform/metadata/field-types/field-value.ts';
import { text } from '../../foundation/i18n/text.ts';

/** Column -> value, ready to be parameters of an insert or update. */
export type ColumnValues = ReadonlyMap<string, unknown>;

/**
 * Checks the payload of a create against its model and fills in defaults; variables are left to
 * `withDefaultVariables`.
 * @param errors collects every field that is wrong
 * @throws FORBIDDEN for a field the caller may not write
 */
export function checkCreate(
  model: Model,
  permissions: Permissions,
  payload: Readonly<Record<string, unknown>>,
  errors: FieldErrors,
): ColumnValues {
  checkNames(model, permissions, payload, errors);
  const values = new Map<string, unknown>();
  for (const { content } of model.fields.values()) {
    if (!content) continue;
    if (Object.hasOwn(payload, content.code)) put(values, content, payload[content.code], errors);
    else if (defaultVariableOf(content) === null) put(values, content, content.default, errors);
  }
  return values;
}

/** A new record's values with the defaults that depend on who creates it, and when. */
export function withDefaultVariables(
  model: Model,
  values: ColumnValues,
  creator: Pick<Actor, 'userPid'>,
): ColumnValues {
  const all = new Map(values);
  for (const { code, content } of model.fields.values()) {
    const variable = content && !all.has(code) ? defaultVariableOf(content) : null;
    if (variable !== null) all.set(code, valueOfVariable(variable, creator));
  }
  return all;
}

/** Checks the payload of an update: only the fields it names change. */
export function checkUpdate(
  model: Model,
  permissions: Permissions,
  payload: Readonly<Record<string, unknown>>,
  errors: FieldErrors,
): ColumnValues {
  checkNames(model, permissions, payload, errors);
  const values = new Map<string, unknown>();
  for (const [code, value] of Object.entries(payload)) {
    const content = model.fields.get(code)?.content;
    if (content) put(values, content, value, errors);
  }
  return values;
}

function checkNames(
  model: Model,
  permissions: Permissions,
  payload: Readonly<Record<string, unknown>>,
  errors: FieldErrors,
): void {
  for (const code of Object.keys(payload)) {
    const field = model.fields.get(code);
    if (!field) errors[code] = text('is not a field of {model}', { model: model.code });
    else if (!field.content) errors[code] = 'is set by the platform';
    else if (field.writePermission && !permissions.has(field.writePermission)) throw forbidden(field.writePermission);
  }
}

function put(values: Map<string, unknown>, field: FieldContent, value: unknown, errors: FieldErrors): void {
  const checked = checkFieldValue(field, value);
  if ('problem' in checked) errors[field.code] = checked.problem;
  else values.set(field.code, checked.value);
}
