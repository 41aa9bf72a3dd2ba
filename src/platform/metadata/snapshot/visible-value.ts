import { ANY_FIELD, fieldsIn, memberOf, type ValueOrigin } from '../../../foundation/expressions/value-origin.ts';
import { permissionCode } from '../permissions/permission-codes.ts';
import type { Permissions } from '../permissions/permissions.ts';
import { formerCodesOf } from './present-values.ts';
import type { Snapshot } from './snapshot.ts';

/** Whether `<model>.<field>` is hidden from a reader; for `<model>.*`, whether any field is. */
export type IsHidden = (field: string) => boolean;

/** Who reads, with the configuration that says which fields need a permission. */
interface Reader {
  readonly metadata: Snapshot;
  readonly permissions: Permissions;
}

/** What the permissions of fields hide. @param revealed fields that are shown nevertheless */
export function fieldsHiddenFrom({ metadata, permissions }: Reader, revealed: readonly string[] = []): IsHidden {
  const shown = new Set(revealed);
  return memoized((model, code) => {
    const fields = metadata.models.get(model)?.fields;
    // What was written before a rename names the field by its former code.
    const present = formerCodesOf(metadata).get(model)?.get(code) ?? code;
    const asked = code === '*' ? [...(fields?.values() ?? [])] : [fields?.get(present) ?? []].flat();
    return asked.some(
      ({ code: name, readPermission }) =>
        readPermission !== null && !permissions.has(readPermission) && !shown.has(`${model}.${name}`),
    );
  });
}

/** What permissions of fields and models hide. A value that may come from any field counts as visible. */
export function valuesHiddenFrom(reader: Reader): IsHidden {
  const ofField = fieldsHiddenFrom(reader);
  const ofModel = memoized((model) => !reader.permissions.has(permissionCode.recordRead(model)));
  return (field) => field !== ANY_FIELD && (ofModel(`${modelIn(field)}.`) || ofField(field));
}

/** Whether one of these models has a field that the reader may not read. */
export function hasHiddenFields(modelCodes: Iterable<string>, reader: Reader): boolean {
  const isHidden = fieldsHiddenFrom(reader);
  return [...modelCodes].some((model) => isHidden(`${model}.*`));
}

/**
 * The parts of a JSON value that come from no hidden field. A part that comes from one is left out, as lists
 * and details leave it out of a record.
 * @returns undefined where the whole value comes from one
 */
export function visibleValue(value: unknown, origin: ValueOrigin, isHidden: IsHidden): unknown {
  if (isWhollyHidden(origin, isHidden)) return undefined;
  const { records, members, items } = origin;
  if (value === null || (!records && !members && !items)) return value;
  if (Array.isArray(value) && items && !records && !members) {
    if (isWhollyHidden(items, isHidden)) return undefined;
    return value.flatMap((item) => [visibleValue(item, items, isHidden)].filter((part) => part !== undefined));
  }
  if (typeof value === 'object' && !Array.isArray(value) && !items) {
    const parts = Object.entries(value).flatMap(([name, part]) => {
      const visible = visibleValue(part, memberOf(origin, name), isHidden);
      return visible === undefined ? [] : [[name, visible] as const];
    });
    return Object.fromEntries(parts);
  }
  // The value has another form than its expression foretold.
  return fieldsIn(origin).some(isHidden) ? undefined : value;
}

/** Of a record whose pid is hidden, its reader may not know that it is there. */
function isWhollyHidden({ fields = [], records = [] }: ValueOrigin, isHidden: IsHidden): boolean {
  return fields.some(isHidden) || records.some((model) => isHidden(`${model}.pid`));
}

/** The model of `<model>.<field>`. */
export function modelIn(field: string): string {
  return field.slice(0, field.indexOf('.'));
}

function memoized(isHidden: (model: string, code: string) => boolean): IsHidden {
  const known = new Map<string, boolean>();
  return (field) => {
    let hidden = known.get(field);
    if (hidden === undefined) {
      const model = modelIn(field);
      hidden = isHidden(model, field.slice(model.length + 1));
      known.set(field, hidden);
    }
    return hidden;
  };
}
