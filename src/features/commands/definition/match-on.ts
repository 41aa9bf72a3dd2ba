import { forbidden, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import { text } from '../../../foundation/i18n/text.ts';
import { MODEL } from '../../../platform/metadata/models/model-type.ts';
import { isWritable, type Model } from '../../../platform/metadata/models/model.ts';
import type { Permissions } from '../../../platform/metadata/permissions/permissions.ts';
import type { Configuration } from '../../../platform/metadata/resources/resource-type.ts';
import { checkUpdate, type ColumnValues } from '../../../platform/records/writing/payload.ts';
import type { CommandContent, Operation } from './command-content.ts';

/** The fields by which a request wants its record to be found; null for an operation that is no UPSERT. */
export function matchOf(
  operation: Operation,
  { matchOn: allowed = [] }: CommandContent,
  given: string | readonly string[] | null,
  errors: FieldErrors,
): readonly string[] | null {
  if (operation !== 'UPSERT') {
    if (given !== null) errors.matchOn = 'is not for this operation';
    return null;
  }
  const fields = given === null && allowed.length === 1 ? allowed : [given ?? []].flat();
  if (fields.length === 0) errors.matchOn ??= 'is required';
  if (fields.some((field) => !allowed.includes(field))) {
    errors.matchOn ??= text('must be one of {values}', { values: allowed.join(', ') });
  }
  return fields;
}

/**
 * The values by which an UPSERT looks for its record.
 * @param errors collects missing ones
 * @throws FORBIDDEN for a field that the caller may not read: the outcome tells whether a value is taken
 */
export function matchValues(
  model: Model,
  permissions: Permissions,
  matchOn: readonly string[],
  payload: Readonly<Record<string, unknown>>,
  errors: FieldErrors = {},
): ColumnValues {
  for (const code of matchOn) {
    const { readPermission = null } = model.fields.get(code) ?? {};
    if (readPermission !== null && !permissions.has(readPermission)) throw forbidden(readPermission);
    if ((payload[code] ?? null) === null) errors[code] ??= 'is required';
  }
  const given = Object.fromEntries(matchOn.map((code) => [code, payload[code]]));
  return checkUpdate(model, permissions, given, {});
}

/** Problems of a command's `matchOn` beside its model: path -> problem. */
export function problemsOfMatch({ matchOn = [], modelCode }: CommandContent, after: Configuration): FieldErrors {
  const fields = after.find(MODEL, modelCode)?.fields;
  const problems: FieldErrors = {};
  for (const [index, code] of matchOn.entries()) {
    const field = fields?.get(code);
    if (!field) continue;
    if (field.content?.unique !== true) problems[`content.matchOn.${index}`] = 'is not a unique field';
    else if (!isWritable(field)) problems[`content.matchOn.${index}`] = 'is set by the platform';
  }
  return problems;
}
