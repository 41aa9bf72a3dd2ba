import type { RecordChange } from '../../../platform/events/changes/change-log.ts';
import type { Model } from '../../../platform/metadata/models/model.ts';
import type { Permissions } from '../../../platform/metadata/permissions/permissions.ts';
import { isReadable } from '../../records/query/field-selection.ts';

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
