import type { SqlRunner } from '../../../foundation/database/pool.ts';
import { throwIfInvalid, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import type { Message } from '../../../foundation/i18n/text.ts';
import type { Actor } from '../../auth/requests/actor.ts';
import type { FieldOptions } from '../../metadata/field-types/field-options.ts';
import { problemOfFile } from '../../metadata/field-types/file.ts';
import { type Model, quoteIdentifier } from '../../metadata/models/model.ts';
import {
  lockFiles,
  replaceReferences,
  type FileReference,
  type NamedFile,
  fieldsNaming,
  recordsNaming,
} from '../../files/file-references.ts';
import type { ColumnValues } from './payload.ts';
import type { RecordData } from '../reader/record-reader.ts';
import { permissionCode } from '../../metadata/permissions/permission-codes.ts';
import { isReadable } from '../field-selection.ts';
import { Parameters } from '../../../foundation/database/parameters.ts';
import { visibleRows } from '../query/record-select.ts';

/**
 * The files among these pids that the actor may read, because a field names them that the actor may read in a
 * record that the actor sees. The transaction has the tenant.
 */
export async function readableFiles(
  transaction: SqlRunner,
  actor: Actor,
  pids: readonly string[],
): Promise<ReadonlySet<string>> {
  const { tenantId, metadata, permissions } = actor;
  const parameters = new Parameters();
  const selects: string[] = [];
  for (const { modelCode, fieldCode } of await fieldsNaming(
    transaction,
    { tenantId, environment: metadata.environment },
    pids,
  )) {
    const model = metadata.models.get(modelCode);
    const field = model?.fields.get(fieldCode);
    if (!model || field?.type !== 'file') continue;
    if (!permissions.has(permissionCode.recordRead(modelCode)) || !isReadable(field, permissions)) continue;
    const where = [...visibleRows(model, actor, parameters), `t.${quoteIdentifier(fieldCode)} = f.pid`];
    const named = recordsNaming('f.pid', parameters.add(modelCode), parameters.add(fieldCode));
    selects.push(`select f.pid from unnest(${parameters.add(pids)}::text[]) as f (pid) where exists (
      select from ${model.table} t where t.pid in (${named}) and ${where.join(' and ')})`);
  }
  if (selects.length === 0) return new Set();
  const found = await transaction.query<{ pid: string }>(selects.join(' union '), parameters.values);
  return new Set(found.map(({ pid }) => pid));
}

/** A record that is about to be written. */
export interface IdentifiedWrite {
  readonly recordPid: string;
  /** Null for one that is created. */
  readonly before: RecordData | null;
  /** Of the fields that are written. */
  readonly values: ColumnValues;
}

/**
 * Checks the files that records of a model are about to name, and notes who names what. A file that nothing
 * names is its uploader's; one that a record names may be named by those who may read it. Costs the same
 * number of statements for one record and for many.
 * @throws VALIDATION_ERROR for a file that is not there, is not the actor's to name, or does not fit the
 * field
 */
export async function nameFiles(
  transaction: SqlRunner,
  actor: Actor,
  model: Model,
  writes: readonly IdentifiedWrite[],
): Promise<void> {
  const changes = changesOf(model, writes);
  const { added, removed } = changes;
  if (added.length === 0 && removed.length === 0) return;
  const scope = { tenantId: actor.tenantId, environment: actor.metadata.environment };
  const files = await lockFiles(transaction, scope, [...removed, ...added].map(pidOf));
  const shared = added.map(pidOf).filter((pid) => files.get(pid)?.attached);
  const readable = shared.length === 0 ? new Set<string>() : await readableFiles(transaction, actor, shared);
  const errors: FieldErrors = {};
  for (const { fieldCode, filePid } of added) {
    const file = files.get(filePid);
    const isOffered = file && (file.attached ? readable.has(filePid) : file.uploadedBy === actor.userPid);
    // Of a file that is another's nothing is told.
    const problem = isOffered ? fit(model.fields.get(fieldCode)?.content ?? null, file) : 'is not a file';
    if (problem !== null) errors[fieldCode] = problem;
  }
  throwIfInvalid(errors);
  await replaceReferences(transaction, scope, model.code, changes);
}

function fit(field: FieldOptions | null, { contentType, size }: NamedFile): Message | null {
  return field && problemOfFile(field, { contentType: contentType ?? '', size: Number(size) });
}

function changesOf(model: Model, writes: readonly IdentifiedWrite[]) {
  const added: FileReference[] = [];
  const removed: FileReference[] = [];
  const codes = [...model.fields.values()].filter(({ type }) => type === 'file').map(({ code }) => code);
  for (const { recordPid, before, values } of codes.length === 0 ? [] : writes) {
    for (const fieldCode of codes.filter((code) => values.has(code))) {
      const [old, now] = [before?.[fieldCode] ?? null, values.get(fieldCode) ?? null] as (string | null)[];
      if (old === now) continue;
      if (old) removed.push({ recordPid, fieldCode, filePid: old });
      if (now) added.push({ recordPid, fieldCode, filePid: now });
    }
  }
  return { added, removed };
}

function pidOf({ filePid }: FileReference): string {
  return filePid;
}
