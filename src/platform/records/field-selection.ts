import type { Field, Model } from '../metadata/models/model.ts';
import type { Permissions } from '../metadata/permissions/permissions.ts';
import type { RecordChange } from '../events/changes/change-log.ts';

/** Whether every reader of the model may read the field, or this one. */
export function isReadable({ readPermission }: Field, permissions: Permissions): boolean {
  return readPermission === null || permissions.has(readPermission);
}

/** A record without the fields that a reader may not read. */
export function visibleRecord(
  model: Model,
  record: Readonly<Record<string, unknown>>,
  permissions: Permissions,
): Readonly<Record<string, unknown>> {
  const [visible] = visibleRecords(model, [record], permissions);
  return visible ?? {};
}

/** As `visibleRecord`, for many. */
export function visibleRecords(
  { fields }: Model,
  records: readonly Readonly<Record<string, unknown>>[],
  permissions: Permissions,
): Readonly<Record<string, unknown>>[] {
  const readable = [...fields.values()].filter((field) => isReadable(field, permissions));
  return records.map((record) => Object.fromEntries(readable.map(({ code }) => [code, record[code]])));
}

/** Field code -> its value before and after. */
export type FieldChanges = Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>;

/**
 * The changed fields that a reader may read. A field that has left the model is left out: who may read it is
 * not known any more.
 */
export function visibleChanges(
  { before, after }: Pick<RecordChange, 'before' | 'after'>,
  model: Model,
  permissions: Permissions,
): FieldChanges {
  const changed = [...model.fields.values()].filter(
    (field) => isReadable(field, permissions) && Object.hasOwn({ ...before, ...after }, field.code),
  );
  return Object.fromEntries(
    changed.map(({ code }) => [code, { from: before?.[code] ?? null, to: after?.[code] ?? null }]),
  );
}
