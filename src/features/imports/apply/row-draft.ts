import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { validationError, type ApplicationError } from '../../../foundation/errors/application-error.ts';
import { FIELD_TYPES } from '../../../platform/metadata/field-types/field-types.ts';
import type { Checked, FieldTypeDefinition } from '../../../platform/metadata/field-types/field-type.ts';
import type { Field } from '../../../platform/metadata/models/model.ts';
import type { ImportRow } from '../formats/import-row.ts';
import { VERSION, type ImportPlan } from '../import-plan.ts';

/** A row of the file as values of fields. */
export interface RowDraft {
  readonly number: number;
  /** By field code; null for an empty cell. */
  readonly values: ReadonlyMap<string, unknown>;
  /** The value that finds the record, in the form of its type; null for none. */
  readonly key: unknown;
  readonly version: number | null;
}

/** A row that cannot be applied. */
export interface RowFailure {
  readonly number: number;
  readonly error: ApplicationError;
}

/** @param isTyped whether values have their types in JSON */
export function draftOf(plan: ImportPlan, row: ImportRow, isTyped: boolean): RowDraft | RowFailure {
  const { number, problem } = row;
  if (problem !== null) return { number, error: validationError({ row: problem }) };
  const errors: FieldErrors = {};
  const values = new Map<string, unknown>();
  for (const { column, field } of plan.fields) {
    if (!Object.hasOwn(row.values, column)) continue;
    const read = isTyped ? { value: row.values[column] } : valueOf(field, row.values[column]);
    if ('problem' in read) errors[field.code] = read.problem;
    else values.set(field.code, read.value);
  }
  const key = keyOf(plan, values, errors);
  const version = versionOf(values, errors);
  return Object.keys(errors).length > 0 ? { number, error: validationError(errors) } : { number, values, key, version };
}

function keyOf({ matchOn, mode }: ImportPlan, values: Map<string, unknown>, errors: FieldErrors): unknown {
  if (!matchOn) return null;
  const given = values.get(matchOn.code) ?? null;
  if (!matchOn.content) values.delete(matchOn.code);
  if (given === null || given === '') {
    if (mode === 'update') errors[matchOn.code] ??= 'is required';
    return null;
  }
  const checked = FIELD_TYPES[matchOn.type].check(given);
  if ('value' in checked) return checked.value;
  errors[matchOn.code] ??= checked.problem;
  return null;
}

function versionOf(values: Map<string, unknown>, errors: FieldErrors): number | null {
  const given = values.get(VERSION) ?? null;
  values.delete(VERSION);
  if (given === null || (Number.isInteger(given) && (given as number) > 0)) return given as number | null;
  errors[VERSION] ??= 'must be a whole number';
  return null;
}

const DAY_MS = 86_400_000;
const FIRST_DAY = Date.UTC(1899, 11, 30);

/** The value in JSON of a cell: a text, or what a spreadsheet has, in which days are numbers. */
function valueOf({ type }: Field, cell: unknown): Checked {
  const definition: FieldTypeDefinition = FIELD_TYPES[type];
  const { cell: kind } = definition;
  const fromText = (text: string): Checked => definition.fromText?.(text) ?? { value: text };
  if (cell === null || cell === undefined) return { value: null };
  if (typeof cell === 'string') return fromText(cell);
  if (typeof cell === 'number' && (kind === 'date' || kind === 'datetime')) return dayOf(cell, kind);
  return typeof cell === kind ? { value: cell } : fromText(JSON.stringify(cell));
}

/** Spreadsheets store fractions of days: a moment is rounded to milliseconds, a day to seconds. */
function dayOf(serial: number, kind: 'date' | 'datetime'): Checked {
  const unitMs = kind === 'date' ? 1_000 : 1;
  const time = new Date(Math.round((FIRST_DAY + serial * DAY_MS) / unitMs) * unitMs);
  if (Number.isNaN(time.getTime())) return { value: String(serial) };
  const iso = time.toISOString();
  return { value: kind === 'date' ? iso.slice(0, 10) : iso };
}
