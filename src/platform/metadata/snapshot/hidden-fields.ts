import type { Permissions } from '../permissions/permissions.ts';
import type { Snapshot } from './snapshot.ts';

/** The codes of the fields of these models that the permissions do not let read. */
export function hiddenFields(
  modelCodes: Iterable<string>,
  metadata: Snapshot,
  permissions: Permissions,
): ReadonlySet<string> {
  const hidden = [...modelCodes].flatMap((code) =>
    [...(metadata.models.get(code)?.fields.values() ?? [])]
      .filter(({ readPermission }) => readPermission !== null && !permissions.has(readPermission))
      .map((field) => field.code),
  );
  return new Set(hidden);
}

/** A JSON value without the properties of these names, at whatever depth. */
export function withoutFields(value: unknown, hidden: ReadonlySet<string>): unknown {
  if (hidden.size === 0) return value;
  if (Array.isArray(value)) return value.map((item) => withoutFields(item, hidden));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => !hidden.has(key));
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutFields(item, hidden)]));
}
