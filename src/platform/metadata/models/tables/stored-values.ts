import { FIELD_TYPES, type FieldType } from '../../field-types/field-types.ts';
import { quoteIdentifier, type Field } from '../model.ts';
import type { ExistingTable } from './existing-table.ts';
import { codeBefore } from './field-renames.ts';

/** Types whose values the driver reads as JSON has them. */
const NATIVE: readonly FieldType[] = ['boolean', 'integer', 'json'];

/** SQL: the value of a field in the form that records have it. */
export function storedValue({ code, type }: Field): string {
  return inJson(quoteIdentifier(code), type);
}

/** As `storedValue`, once the table follows the model. */
export function futureValue({ code, type, content }: Field, existing: ExistingTable): string {
  const { column } = FIELD_TYPES[type];
  const present = quoteIdentifier(codeBefore(existing, code));
  const isAsStored = content === null || existing.columns.get(code)?.type === column;
  const castable = `case when platform.castable(${present}::text, '${column}') then ${present}::text::${column} end`;
  return inJson(isAsStored ? present : castable, type);
}

function inJson(value: string, type: FieldType): string {
  if (type === 'datetime') return `to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  return NATIVE.includes(type) ? value : `${value}::text`;
}
