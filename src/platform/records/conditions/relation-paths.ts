import type { Field, Model } from '../../metadata/models/model.ts';
import { permissionCode } from '../../metadata/permissions/permission-codes.ts';
import type { Permissions } from '../../metadata/permissions/permissions.ts';
import { isReadable } from '../field-selection.ts';
import { MAX_RELATION_HOPS } from '../records.limits.ts';

/** Who follows relations, among these models. */
export interface PathReader {
  readonly permissions: Permissions;
  readonly metadata: { readonly models: ReadonlyMap<string, Model> };
}

/** A relation of a model that a caller may follow. */
export interface Relation {
  readonly field: Field;
  readonly target: Model;
}

/**
 * The relation with this code. Null: there is none, or the caller may not read the field or the records that
 * it leads to. The answer must not tell which.
 */
export function relationOf(model: Model, code: string, { permissions, metadata }: PathReader): Relation | null {
  const field = model.fields.get(code);
  if (!field || !isReadable(field, permissions)) return null;
  const target = metadata.models.get(field.content?.target ?? '');
  return target && permissions.has(permissionCode.recordRead(target.code)) ? { field, target } : null;
}

/** A field at the end of a path of relations. */
export interface FieldPath {
  readonly relations: readonly Relation[];
  readonly field: Field;
}

/** The field that a path such as `account.name` leads to. Null as for `relationOf`. */
export function followPath(from: Model, path: string, reader: PathReader): FieldPath | null {
  const codes = path.split('.');
  const last = codes.pop() ?? '';
  if (codes.length > MAX_RELATION_HOPS) return null;
  const relations: Relation[] = [];
  let model = from;
  for (const code of codes) {
    const relation = relationOf(model, code, reader);
    if (!relation) return null;
    relations.push(relation);
    model = relation.target;
  }
  const field = model.fields.get(last);
  return field && isReadable(field, reader.permissions) ? { relations, field } : null;
}
