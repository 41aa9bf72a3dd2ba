import { FIELD_TYPES } from '../../metadata/field-types/field-types.ts';
import { quoteIdentifier, type Model } from '../../metadata/models/model.ts';
import type { ColumnValues } from './payload.ts';
import type { Parameters } from '../../../foundation/database/parameters.ts';

/** The tenant's records that are not deleted: what a writer works on. */
export function liveRecords(tenantId: string, parameters: Parameters): string[] {
  return [`t.tenant_id = ${parameters.add(tenantId)}::bigint`, 't.deleted_at is null'];
}

/**
 * SQL: the records with these pids. One is looked up; for a list, whose length Postgres does not know when it
 * plans, it may read the table instead.
 */
export function withPids(pids: readonly unknown[], parameters: Parameters): string {
  return pids.length === 1 ? `t.pid = ${parameters.add(pids[0])}` : `t.pid = any(${parameters.add(pids)}::text[])`;
}

/** SQL: the records with these values. */
export function withValues(values: ColumnValues, parameters: Parameters): string[] {
  return [...values].map(([code, value]) => `t.${quoteIdentifier(code)} = ${parameters.add(value)}`);
}

/** All fields of a record, without permission checks. */
export function allColumns(model: Model): string {
  return [...model.fields.keys()].map((code) => `t.${quoteIdentifier(code)}`).join(', ');
}

/** The values of a record, as parameters of SQL have them. */
export interface WrittenRow {
  readonly recordPid: string;
  readonly values: ColumnValues;
}

/** Rows of one parameter, as a relation `r` of a statement that does not depend on their number. */
export interface WrittenRows {
  readonly from: string;
  readonly columns: readonly { readonly name: string; readonly value: string }[];
}

/** @param codes the columns; a row without a value for one has null */
export function writtenRows(
  model: Model,
  codes: readonly string[],
  rows: readonly WrittenRow[],
  parameters: Parameters,
): WrittenRows {
  const columns = columnsOf(model, codes);
  const objects = rows.map((row) => objectOf(row, codes));
  return {
    from: relationOf(objects, columns.map(declared), parameters),
    columns: columns.map(({ name, value }) => ({ name, value })),
  };
}

/** As `writtenRows`, for records `t`: each keeps the values of the fields that its row does not name. */
export function changedRows(model: Model, rows: readonly WrittenRow[], parameters: Parameters): WrittenRows {
  const codes = [...new Set(rows.flatMap(({ values }) => [...values.keys()]))].sort();
  if (rows.every(({ values }) => values.size === codes.length)) return writtenRows(model, codes, rows, parameters);
  const columns = columnsOf(model, codes);
  // No field has a number for its code.
  const objects = rows.map((row) => ({
    ...objectOf(row, codes),
    0: [...codes.keys()].filter((index) => row.values.has(codes[index] ?? '')),
  }));
  return {
    from: relationOf(objects, ['"0" int[]', ...columns.map(declared)], parameters),
    columns: columns.map(({ name, value }, index) => ({
      name,
      value: `case when ${index} = any(r."0") then ${value} else t.${name} end`,
    })),
  };
}

/** The fields for which one of the rows has a value. */
export function codesOf(rows: readonly WrittenRow[]): string[] {
  const codes = new Set<string>();
  for (const { values } of rows) for (const [code, value] of values) if (value !== null) codes.add(code);
  return [...codes].sort();
}

interface WrittenColumn {
  readonly name: string;
  /** The type of the parameter. */
  readonly given: string;
  readonly value: string;
}

function columnsOf(model: Model, codes: readonly string[]): WrittenColumn[] {
  return codes.map((code) => {
    const field = model.fields.get(code);
    if (!field) throw new Error(`not a field of ${model.code}: ${code}`);
    const { column } = FIELD_TYPES[field.type];
    const name = quoteIdentifier(code);
    // The parameter of a JSON field is its text.
    return { name, given: column === 'jsonb' ? 'text' : column, value: `r.${name}::${column}` };
  });
}

function declared({ name, given }: WrittenColumn): string {
  return `${name} ${given}`;
}

function objectOf({ recordPid, values }: WrittenRow, codes: readonly string[]): object {
  const object: Record<string, unknown> = { pid: recordPid };
  for (const code of codes) object[code] = values.get(code) ?? null;
  return object;
}

function relationOf(objects: readonly object[], shape: readonly string[], parameters: Parameters): string {
  return `json_to_recordset(${parameters.add(JSON.stringify(objects))}::json) as r(${['pid text', ...shape].join(', ')})`;
}
