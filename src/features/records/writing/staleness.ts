import { conflict, type ApplicationError } from '../../../foundation/errors/application-error.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import type { Model } from '../../../platform/metadata/models/model.ts';
import { permissionCode } from '../../../platform/metadata/permissions/permission-codes.ts';
import { visibleRecord } from '../query/field-selection.ts';
import type { RecordData } from '../record-reader.ts';

/** CONFLICT (VERSION) unless the record has the expected version; else null. */
export function staleness(
  { permissions }: Actor,
  model: Model,
  record: RecordData | null,
  expectedVersion: number | null,
): ApplicationError | null {
  if (expectedVersion === null || record?.version === expectedVersion) return null;
  const isReadable = record && permissions.has(permissionCode.recordRead(model.code));
  const current = isReadable && visibleRecord(model, record, permissions);
  const data = { ...(record && { version: record.version }), ...(current && { record: current }) };
  return conflict('VERSION', 'The record has changed meanwhile', data);
}
