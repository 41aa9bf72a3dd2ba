import { forbidden, type FieldErrors } from '../errors/application-error.ts';
import type { FieldContent } from '../metadata/content.ts';
import type { Model } from '../metadata/model.ts';
import type { Permissions } from '../metadata/permissions.ts';
import { checkFieldValue } from '../metadata/field-value.ts';

/** Column -> value, ready to be parameters of an insert or update. */
export type ColumnValues = ReadonlyMap<string, unknown>;

/**
 * Checks the payload of a create against its model and fills in defaults.
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
    if (content)
      put(values, content, Object.hasOwn(payload, content.code) ? payload[content.code] : content.default, errors);
  }
  return values;
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

/**
 * Checks the payload of a CUSTOM command against the fields it declares.
 * @returns the payload with defaults, each value in the one form that its field has (a decimal is a string); null for none
 */
export function checkDeclared(
  fields: readonly FieldContent[],
  payload: Readonly<Record<string, unknown>>,
  errors: FieldErrors,
): Record<string, unknown> {
  const known = new Map(fields.map((field) => [field.code, field]));
  for (const code of Object.keys(payload)) if (!known.has(code)) errors[code] = 'is not a field of this command';
  const checked: Record<string, unknown> = {};
  for (const field of fields) {
    const value = Object.hasOwn(payload, field.code) ? payload[field.code] : field.default;
    const result = checkFieldValue(field, value);
    if ('problem' in result) errors[field.code] = result.problem;
    // Expressions read JSON as it came: its checked form is the text of a column.
    else checked[field.code] = field.type === 'json' ? (value ?? null) : result.value;
  }
  return checked;
}

function checkNames(
  model: Model,
  permissions: Permissions,
  payload: Readonly<Record<string, unknown>>,
  errors: FieldErrors,
): void {
  for (const code of Object.keys(payload)) {
    const field = model.fields.get(code);
    if (!field) errors[code] = `is not a field of ${model.code}`;
    else if (!field.content) errors[code] = 'is set by the platform';
    else if (field.writePermission && !permissions.has(field.writePermission)) throw forbidden(field.writePermission);
  }
}

function put(values: Map<string, unknown>, field: FieldContent, value: unknown, errors: FieldErrors): void {
  const checked = checkFieldValue(field, value);
  if ('problem' in checked) errors[field.code] = checked.problem;
  else values.set(field.code, checked.value);
}
