import pg from 'pg';
import { ApplicationError, conflict } from '../errors/application-error.ts';
import { text } from '../i18n/text.ts';
import { parseTimestamp } from './timestamps.ts';

const TIMESTAMPTZ_OID = 1184;
/**
 * date, timestamp, interval, and the arrays of timestamp, date, timestamptz, interval and numeric: Postgres'
 * own text.
 */
const TEXT_OIDS = new Set([1082, 1114, 1186, 1115, 1182, 1185, 1187, 1231]);

export type Parse = (value: string) => unknown;

/**
 * Reads Postgres' text form of a type as JSON's form of it: timestamps as ISO 8601 UTC, dates, bigint and
 * decimal as strings.
 */
export function parserOf(oid: number): Parse {
  if (oid === TIMESTAMPTZ_OID) return parseTimestamp;
  if (TEXT_OIDS.has(oid)) return (value) => value;
  return pg.types.getTypeParser(oid) as Parse;
}

const TOO_LARGE = 'TOO_LARGE';
/** Characters of all records that one statement reads: more would fill the heap, and end the process. */
export const MAX_RECORDS_LENGTH = 16 * 1024 * 1024;

/** Whether fewer of the same records, or fewer fields, may be had. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof ApplicationError && error.data?.reason === TOO_LARGE;
}

export function tooLarge(): ApplicationError {
  const maxMb = MAX_RECORDS_LENGTH / 1024 / 1024;
  return conflict(
    TOO_LARGE,
    text('These records have more than {maxMb} MiB: ask for fewer, or for fewer fields', { maxMb }),
  );
}
