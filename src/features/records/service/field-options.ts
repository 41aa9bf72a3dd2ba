import { notFound } from '../../../foundation/errors/application-error.ts';
import type { Language } from '../../../foundation/i18n/languages.ts';
import type { PlatformOrm } from '../../../foundation/database/orm.ts';
import { findUsers } from '../../../platform/auth/accounts/user-lookup.ts';
import { authorize, type Actor } from '../../../platform/auth/requests/actor.ts';
import type { Model } from '../../../platform/metadata/models/model.ts';
import { USER_LOOKUP } from '../../../platform/metadata/permissions/permission-codes.ts';
import { displayFieldOf } from '../../../platform/records/display-field.ts';
import { isReadable } from '../../../platform/records/field-selection.ts';
import { queryOfBody } from '../../../platform/records/query/record-query.ts';
import { relationOf } from '../../../platform/records/conditions/relation-paths.ts';
import { MAX_OPTION_LABEL, MAX_OPTIONS } from '../../../platform/records/records.limits.ts';
import type { RecordData, RecordReader } from '../../../platform/records/reader/record-reader.ts';
import { enumOptions, type Option } from '../../../platform/metadata/models/enum-options.ts';

interface OptionParts {
  readonly orm: PlatformOrm;
  readonly reader: RecordReader;
}

/**
 * What can be chosen for a field.
 * @throws NOT_FOUND for a field without options, and alike for one that the caller may not read or whose
 *   records the caller may not read; FORBIDDEN for users, to who may not look them up
 */
export async function findOptions(
  { orm, reader }: OptionParts,
  actor: Actor,
  model: Model,
  code: string,
  keyword: string,
  language: Language,
): Promise<Option[]> {
  const field = model.fields.get(code);
  const type = field && isReadable(field, actor.permissions) ? field.type : null;
  if (field && type === 'enum') return enumOptions(model.code, field.content ?? field, language).filter(has(keyword));
  if (type === 'user') {
    authorize(actor, USER_LOOKUP);
    const users = await findUsers(orm, actor.tenantId, keyword);
    return users.map(({ value, label }) => ({ value, label }));
  }
  const relation = relationOf(model, code, actor);
  if (!relation) throw notFound('There is no such field with options');
  return recordOptions(reader, relation.target, actor, keyword);
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
