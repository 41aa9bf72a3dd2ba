import { forbidden } from '../../../foundation/errors/application-error.ts';
import { quoteIdentifier, type Field, type Model } from '../../../platform/metadata/models/model.ts';
import type { Permissions } from '../../../platform/metadata/permissions/permissions.ts';

/** A field as a statement names it. */
export interface Column {
  readonly field: Field;
  readonly sql: string;
  /** Whether a record may have no value there. */
  readonly nullable: boolean;
}

/** What conditions and orders may name. */
export interface FilterScope {
  readonly model: Model;
  /**
   * Null: there is no such field.
   * @throws FORBIDDEN with `data.permission` for a field the caller may not read
   */
  find(name: string): Column | null;
}

/** A caller whom no permission of a field binds: the configuration itself. */
export const TRUSTED: Permissions = { has: () => true };

/** The model's own fields. */
export function ownFields(model: Model, permissions: Permissions, alias = 't'): FilterScope {
  return {
    model,
    find(name) {
      const field = model.fields.get(name);
      if (!field) return null;
      if (field.readPermission && !permissions.has(field.readPermission)) throw forbidden(field.readPermission);
      return columnOf(field, alias);
    },
  };
}

function columnOf(field: Field, alias: string): Column {
  const nullable = field.content !== null && !field.content.required;
  return { field, sql: `${alias}.${quoteIdentifier(field.code)}`, nullable };
}
