import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { validationError, type ApplicationError } from '../../../foundation/errors/application-error.ts';
import { FIELD_TYPES } from '../../../platform/metadata/field-types/field-types.ts';
import type { Checked, FieldTypeDefinition } from '../../../platform/metadata/field-types/field-type.ts';
import type { Field } from '../../../platform/metadata/models/model.ts';
import { text, type Message } from '../../../foundation/i18n/text.ts';
import type { ImportRow } from '../formats/import-row.ts';
import { isFaulty, isoOfSerial, isSheetDate, type FaultyCell } from '../formats/sheet-cell.ts';
import { momentAt } from '../../../foundation/time/time-zones.ts';
import { parseIsoDatetime } from '../../../foundation/validation/iso-datetime.ts';
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

/**
 * @param isTyped whether values have their types in JSON
 * @param timeZone in which moments are meant that name none
 */
export function draftOf(plan: ImportPlan, row: ImportRow, isTyped: boolean, timeZone: string): RowDraft | RowFailure {
  const { number, problem } = row;
  if (problem !== null) return { number, error: validationError({ row: problem }) };
  const errors: FieldErrors = {};
  const values = new Map<string, unknown>();
  for (const { column, field } of plan.fields) {
    if (!Object.hasOwn(row.values, column)) continue;
    const read = isTyped ? { value: row.values[column] } : valueOf(field, row.values[column], timeZone);
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
  const isTextNeeded = !matchOn.content || matchOn.content.required === true;
  if (given === null || (given === '' && isTextNeeded)) {
    // As for UPSERT. Only what has no pid yet is new.
    if (mode === 'update' || matchOn.content) errors[matchOn.code] ??= 'is required';
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

/** The value in JSON of a cell: a text, or what a spreadsheet has. */
function valueOf({ type }: Field, cell: unknown, timeZone: string): Checked {
  const definition: FieldTypeDefinition = FIELD_TYPES[type];
  const { cell: kind } = definition;
  const fromText = (given: string): Checked => definition.fromText?.(given) ?? { value: given };
  if (cell === null || cell === undefined) return { value: null };
  if (typeof cell === 'string') return fromText(kind === 'datetime' ? momentOf(cell.trim(), timeZone) : cell);
  if (isFaulty(cell)) return { problem: problemOf(cell) };
  if (kind === 'date' || kind === 'datetime') {
    const iso = isSheetDate(cell) ? cell.date : typeof cell === 'number' ? isoOfSerial(cell) : null;
    return iso === null
      ? fromText(JSON.stringify(cell))
      : { value: kind === 'date' ? dayOf(iso) : momentOf(iso, timeZone) };
  }
  if (isSheetDate(cell))
    return kind === 'number' && cell.serial !== null ? { value: cell.serial } : fromText(cell.date);
  return typeof cell === kind ? { value: cell } : fromText(JSON.stringify(cell));
}

function problemOf({ fault, written }: FaultyCell): Message {
  if (fault === 'formula') return 'is a formula whose result is not in the file: open it, and save it again';
  const name = written;
  return fault === 'error'
    ? text('has the error {name}', { name })
    : text('is no number that can be kept exactly: {name}', { name });
}

const DAY = /^\d{4}-\d{2}-\d{2}(?=T|$)/;
const LOCAL = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)?$/;

function dayOf(iso: string): string {
  return DAY.exec(iso)?.[0] ?? iso;
}

/** Spreadsheets know no time zones: their times are those of the tenant's clocks. */
function momentOf(given: string, timeZone: string): string {
  if (!LOCAL.test(given) || parseIsoDatetime(`${given.includes('T') ? given : `${given}T00:00`}Z`) === null)
    return given;
  return momentAt(new Date(given.includes('T') ? `${given}Z` : `${given}T00:00:00Z`), timeZone).toISOString();
}
