import { forbidden } from '../../../../foundation/errors/application-error.ts';
import { quoteIdentifier, type Field, type Model } from '../../../../platform/metadata/models/model.ts';
import { ALL_PERMISSIONS, type Permissions } from '../../../../platform/metadata/permissions/permissions.ts';
import { Variables, type DynamicCaller } from './dynamic-values.ts';

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
  /** What the values of conditions may stand for; without it they all stand for themselves. */
  readonly variables?: Variables | undefined;
}

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

/**
 * All fields, without permission checks, and the variables: for conditions of the configuration, which
 * were checked when they were saved.
 */
export function trustedScope(model: Model, caller: DynamicCaller, alias?: string): FilterScope {
  return { ...ownFields(model, ALL_PERMISSIONS, alias), variables: new Variables(caller, { lenient: true }) };
}

function columnOf(field: Field, alias: string): Column {
  const nullable = field.content !== null && !field.content.required;
  return { field, sql: `${alias}.${quoteIdentifier(field.code)}`, nullable };
}
