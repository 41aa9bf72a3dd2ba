import { notFound } from '../../../foundation/errors/application-error.ts';
import type { Language } from '../../../foundation/i18n/languages.ts';
import type { PlatformOrm } from '../../../foundation/database/orm.ts';
import { findUsers } from '../../../platform/auth/accounts/user-lookup.ts';
import { authorize, type Actor } from '../../../platform/auth/requests/actor.ts';
import type { Model } from '../../../platform/metadata/models/model.ts';
import type { FieldContent } from '../../../platform/metadata/field-types/field-content.ts';
import { permissionCode, USER_LOOKUP } from '../../../platform/metadata/permissions/permission-codes.ts';
import { displayFieldOf } from '../../../platform/records/display-field.ts';
import { isReadable } from '../../../platform/records/field-selection.ts';
import { queryOfBody } from '../../../platform/records/query/record-query.ts';
import { MAX_OPTION_LABEL, MAX_OPTIONS } from '../../../platform/records/records.limits.ts';
import type { RecordData, RecordReader } from '../../../platform/records/reader/record-reader.ts';
import { enumOptions, type Option } from '../../../platform/metadata/models/enum-options.ts';

interface OptionParts {
  readonly orm: PlatformOrm;
  readonly reader: RecordReader;
}

/** A field, and the code of the model or the command that declares it. */
export interface OptionField {
  readonly code: string;
  readonly field: Pick<FieldContent, 'code' | 'type' | 'values' | 'labels' | 'target'>;
}

/**
 * What can be chosen for a field of a model.
 * @throws NOT_FOUND for a field without options, and alike for one that the caller may not read or whose
 *   records the caller may not read; FORBIDDEN for users, to who may not look them up
 */
export async function findOptions(
  parts: OptionParts,
  actor: Actor,
  model: Model,
  code: string,
  keyword: string,
  language: Language,
): Promise<Option[]> {
  const field = model.fields.get(code);
  if (!field || !isReadable(field, actor.permissions)) throw notFound('There is no such field with options');
  return optionsOf(parts, actor, { code: model.code, field: field.content ?? field }, keyword, language);
}

export type OptionsAsked = [actor: Actor, of: OptionField, keyword: string, language: Language];

/** The same for any field. @throws as `findOptions` */
export async function optionsOf(
  { orm, reader }: OptionParts,
  ...[actor, { code, field }, keyword, language]: OptionsAsked
): Promise<Option[]> {
  const { type, target = '' } = field;
  if (type === 'enum') return enumOptions(code, field, language).filter(has(keyword));
  if (type === 'user') {
    authorize(actor, USER_LOOKUP);
    const users = await findUsers(orm, actor.tenantId, keyword);
    return users.map(({ value, label }) => ({ value, label }));
  }
  const model = actor.permissions.has(permissionCode.recordRead(target))
    ? actor.metadata.models.get(target)
    : undefined;
  if (!model) throw notFound('There is no such field with options');
  return recordOptions(reader, model, actor, keyword);
}

async function recordOptions(reader: RecordReader, model: Model, actor: Actor, keyword: string): Promise<Option[]> {
  const label = displayFieldOf(model, actor.permissions);
  const body = { pageSize: MAX_OPTIONS, count: 'none' as const, fields: [label], ...(keyword && { keyword }) };
  const { records } = await reader.list(reader.open(queryOfBody(body, { pageKey: null, model, actor }, {})));
  return records.map((record) => ({ value: String(record.pid), label: nameOf(record, label) }));
}

/** What people call a record, by the field that tells it. */
export function nameOf(record: RecordData, field: string): string {
  return String(record[field] ?? record.pid)
    .slice(0, MAX_OPTION_LABEL)
    .toWellFormed();
}

function has(keyword: string): (option: Option) => boolean {
  const wanted = keyword.toLowerCase();
  return ({ value, label }) => [value, label].some((text) => text.toLowerCase().includes(wanted));
}
