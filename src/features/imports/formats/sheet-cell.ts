import { DAY_MS } from '../../../foundation/durations.ts';
import type { DateParts } from './number-format.ts';

/** A day, a time or a moment of a spreadsheet, which has no time zone. */
export interface SheetDate {
  /** ISO 8601 without a zone: `2026-01-31`, `2026-01-31T09:30:00`, `09:30:00`. */
  readonly date: string;
  /** The number that the spreadsheet calculates with; null where the file has a text. */
  readonly serial: number | null;
}

/** A cell that has no value that can be stored. */
export interface FaultyCell {
  readonly fault: 'error' | 'formula' | 'number';
  /** What stands in the file. */
  readonly written: string;
}

/** The value of a cell of a file; null for none. */
export type Cell = string | number | boolean | SheetDate | FaultyCell | null;

export function isSheetDate(cell: unknown): cell is SheetDate {
  return typeof cell === 'object' && cell !== null && 'date' in cell;
}

export function isFaulty(cell: unknown): cell is FaultyCell {
  return typeof cell === 'object' && cell !== null && 'fault' in cell;
}

const FIRST_DAY = Date.UTC(1899, 11, 30);
/** Excel takes 1900 for a leap year: its day 60 never was, and those before it are one later. */
const DAY_THAT_NEVER_WAS = 60;
/** Behind 9999-12-31. */
const FIRST_SERIAL_AFTER_9999 = 2_958_466;

/** ISO 8601 without a zone of a serial number; null where it is no day. */
export function isoOfSerial(serial: number): string | null {
  if (!(serial >= 1 && serial < FIRST_SERIAL_AFTER_9999) || Math.floor(serial) === DAY_THAT_NEVER_WAS) return null;
  const days = serial < DAY_THAT_NEVER_WAS ? serial + 1 : serial;
  // Fractions of days are rounded to milliseconds.
  return new Date(Math.round(FIRST_DAY + days * DAY_MS)).toISOString().replace(/(\.000)?Z$/, '');
}

const MIDNIGHT = 'T00:00:00';

/** The value of a cell whose format shows a serial number as a day or a time. */
export function dateOfSerial(serial: number, parts: DateParts): Cell {
  const isTime = parts === 'time' && serial >= 0 && serial < 1;
  const iso = parts === null ? null : isoOfSerial(isTime ? serial + 1 : serial);
  if (iso === null) return serial;
  const [day = '', time = ''] = iso.split('T');
  return { serial, date: isTime ? time : parts === 'date' && iso.endsWith(MIDNIGHT) ? day : iso };
}
