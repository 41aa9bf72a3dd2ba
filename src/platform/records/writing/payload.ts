import type { Actor } from '../../auth/requests/actor.ts';
import {
  ApplicationError,
  forbidden,
  MAX_FIELD_ERRORS,
  type FieldErrors,
} from '../../../foundation/errors/application-error.ts';
import { defaultVariableOf, valueOfVariable } from '../../metadata/field-types/default-variables.ts';
import type { FieldContent } from '../../metadata/field-types/field-content.ts';
import type { FieldType } from '../../metadata/field-types/field-types.ts';
import { isWritable, writableFields, type Field, type Model } from '../../metadata/models/model.ts';
import type { Permissions } from '../../metadata/permissions/permissions.ts';
import { checkFieldValue } from '../../metadata/field-types/field-value.ts';
import { text } from '../../../foundation/i18n/text.ts';
import { isCompared } from '../../metadata/models/tables/table-rules.ts';
import { isReadable } from '../field-selection.ts';

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
  checkNames(model, permissions, payload, errors, true);
  const values = new Map<string, unknown>();
  for (const content of writableFields(model)) {
    if (Object.hasOwn(payload, content.code)) put(values, content, payload[content.code], errors);
    else if (defaultVariableOf(content) === null) put(values, content, content.default, errors);
  }
  return values;
}

/** Writing these tells whether the record, user or file exists, unless the field holds it already. */
const NAMING: ReadonlySet<FieldType> = new Set<FieldType>(['relation', 'user', 'file']);

/**
 * The permission that the caller lacks to write a field; null if none. A write whose outcome tells what
 * records hold takes the right to read the field as well.
 */
export function missingToWrite(
  { rules }: Pick<Model, 'rules'>,
  field: Field,
  permissions: Permissions,
  isNew: boolean,
): string | null {
  const { content, readPermission, writePermission } = field;
  if (writePermission !== null && !permissions.has(writePermission)) return writePermission;
  if (!content || isReadable(field, permissions)) return null;
  const isTold =
    content.unique ||
    isCompared(rules, field.code) ||
    (!isNew && (content.transitions !== undefined || NAMING.has(content.type)));
  return isTold ? readPermission : null;
}

/**
 * The permission that the caller lacks to restore records; null if none. A refused restore (a unique value is
 * taken, a related record is gone) would tell about fields that they may not read.
 */
export function missingToRestore({ fields, rules }: Model, permissions: Permissions): string | null {
  const telling = [...fields.values()].filter(
    ({ code, content }) => content?.unique || content?.target !== undefined || isCompared(rules, code),
  );
  return telling.find((field) => !isReadable(field, permissions))?.readPermission ?? null;
}

/** The values of new records with the defaults that depend on who creates them, and when. */
export function withDefaultVariables(
  model: Model,
  rows: readonly ColumnValues[],
  creator: Pick<Actor, 'userPid' | 'timeZone'>,
): readonly ColumnValues[] {
  const variables = [...model.fields.values()].flatMap(({ code, content }) => {
    const variable = content && defaultVariableOf(content);
    return variable === null ? [] : [{ code, variable }];
  });
  if (variables.length === 0) return rows;
  return rows.map((values) => {
    const all = new Map(values);
    for (const { code, variable } of variables) if (!all.has(code)) all.set(code, valueOfVariable(variable, creator));
    return all;
  });
}

/** Checks the payload of an update: only the fields it names change. */
export function checkUpdate(
  model: Model,
  permissions: Permissions,
  payload: Readonly<Record<string, unknown>>,
  errors: FieldErrors,
): ColumnValues {
  checkNames(model, permissions, payload, errors, false);
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
  isNew: boolean,
): void {
  let unknown = 0;
  for (const code of Object.keys(payload)) {
    const field = model.fields.get(code);
    if (!field && (unknown += 1) > MAX_FIELD_ERRORS) continue;
    if (!field) errors[code] = text('is not a field of {model}', { model: model.code });
    else if (!isWritable(field)) errors[code] = 'is set by the platform';
    else {
      const missing = missingToWrite(model, field, permissions, isNew);
      if (missing !== null) throw forbidden(missing);
    }
  }
}

function put(values: Map<string, unknown>, field: FieldContent, value: unknown, errors: FieldErrors): void {
  const checked = checkFieldValue(field, value);
  if ('problem' in checked) errors[field.code] = checked.problem;
  else values.set(field.code, checked.value);
}

/** @throws PRECONDITION_REQUIRED if the model requires the version that a change starts from */
export function requireVersion({ requiresVersion }: Model, expectedVersion: number | null): void {
  if (requiresVersion && expectedVersion === null) throw new ApplicationError('PRECONDITION_REQUIRED');
}
