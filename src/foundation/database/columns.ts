import type { InferEntity } from '@mikro-orm/core';
import { MAX_SENT_BYTES } from '../foundation.limits.ts';
import { boundedJson } from '../validation/json-parts.ts';

type Row = Readonly<Record<string, unknown>>;

const properties = new Map<string, string>();
const columns = new Map<string, string>();

/** Rows of a result with camelCase keys. Values are left as they are, those of JSON columns included. */
export function withPropertyNames(rows: Row[]): Row[] {
  const keys = Object.keys(rows[0] ?? {}).map((column) => [column, propertyOf(column)] as const);
  if (keys.every(([column, property]) => column === property)) return rows;
  return rows.map((row) => {
    const renamed: Record<string, unknown> = {};
    for (const [column, property] of keys) renamed[property] = row[column];
    return renamed;
  });
}

/**
 * Rows as JSON text whose keys are columns, for `json_to_recordset` and `json_populate_recordset`.
 * @throws CONFLICT (TOO_LARGE) for more than one statement may send
 */
export function toRecordset(rows: readonly object[]): string {
  return boundedJson(
    rows.map((row) => {
      const renamed: Record<string, unknown> = {};
      for (const [property, value] of Object.entries(row)) renamed[columnOf(property)] = value;
      return renamed;
    }),
    MAX_SENT_BYTES,
  );
}

/** The columns of properties as SQL lists them: `d.pid, d.tenant_id`. */
export function columnList(names: readonly string[], alias?: string): string {
  return names.map((name) => (alias === undefined ? columnOf(name) : `${alias}.${columnOf(name)}`)).join(', ');
}

function propertyOf(column: string): string {
  let property = properties.get(column);
  if (property === undefined) {
    property = column.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
    properties.set(column, property);
  }
  return property;
}

function columnOf(property: string): string {
  let column = columns.get(property);
  if (column === undefined) {
    column = property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    columns.set(property, column);
  }
  return column;
}

/**
 * A row of an entity's table as SQL answers it: its properties, timestamps as ISO 8601 text, null for what it
 * lacks.
 */
export type RowOf<Entity> = { readonly [K in PropertyOf<InferEntity<Entity>>]: ValueOf<InferEntity<Entity>[K]> };

/** Symbols are marks of the ORM. */
type PropertyOf<T> = Extract<keyof T, string>;
type ValueOf<T> = T extends Date ? string : T extends undefined ? null : T extends (infer Item)[] ? readonly Item[] : T;
