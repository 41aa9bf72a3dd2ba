import pg from 'pg';
import { MAX_ANSWER_BYTES } from '../foundation.limits.ts';
import { weightOfJson, weightOfText } from '../memory/value-weight.ts';
import { ANSWER_JSON, parseJson } from '../validation/json-text.ts';

/**
 * Postgres' text form of a timestamptz in UTC ("2026-01-31 09:30:00.25+00") as ISO 8601 with milliseconds
 * ("2026-01-31T09:30:00.250Z"). Connections run with timezone=UTC, so no arithmetic is needed.
 */
export function parseTimestamp(text: string): string {
  const end = text.indexOf('+', 19);
  if (end > 22) return `${text.slice(0, 10)}T${text.slice(11, 23)}Z`;
  const fraction = text.length > 22 ? text.slice(20, end) : '';
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(3, '0').slice(0, 3)}Z`;
}

const TIMESTAMPTZ_OID = 1184;
/**
 * date, timestamp, interval, and the arrays of timestamp, date, timestamptz, interval and numeric: Postgres'
 * own text.
 */
const TEXT_OIDS = new Set([1082, 1114, 1186, 1115, 1182, 1185, 1187, 1231]);

const JSON_OIDS = new Set([114, 3802]);
/** JSON, and the arrays of it. */
const WEIGHED_AS_JSON = new Set([...JSON_OIDS, 199, 3807]);
/** Shorter JSON is never too deep to be written again. */
const SHORT = 4_000;
/** A number that JavaScript would round has many digits, or an exponent. */
const LONG_NUMBER = /\d[\d.]{15}|\d[eE]/;
const STORED_JSON = { ...ANSWER_JSON, keys: Infinity, keysOfObject: Infinity, values: Infinity };

/** What records hold is neither deep nor rounded; SQL of authors can make such JSON. */
function parseJsonValue(value: string): unknown {
  if (value.length <= SHORT && !LONG_NUMBER.test(value)) return JSON.parse(value);
  const parsed = parseJson(value, STORED_JSON);
  if ('value' in parsed) return parsed.value;
  // As Postgres says of what exceeds its own stack.
  throw Object.assign(new Error('JSON is nested too deeply'), { code: '54001' });
}

type Parse = (value: string) => unknown;

/** How values of a type are read, and what they take in memory. */
export interface ColumnType {
  readonly parse: Parse;
  /** Bytes of a value, as it is when it has been read. */
  readonly weigh: (value: string) => number;
}

export function columnTypeOf(oid: number): ColumnType {
  return { parse: parserOf(oid), weigh: WEIGHED_AS_JSON.has(oid) ? weightOfJson : weightOfText };
}

/**
 * Reads Postgres' text form of a type as JSON's form of it: timestamps as ISO 8601 UTC, dates, bigint and
 * decimal as strings.
 */
function parserOf(oid: number): Parse {
  if (oid === TIMESTAMPTZ_OID) return parseTimestamp;
  if (TEXT_OIDS.has(oid)) return (value) => value;
  if (JSON_OIDS.has(oid)) return parseJsonValue;
  return pg.types.getTypeParser(oid) as Parse;
}

/** Characters of all records that one statement reads: no answer has room for more. */
export const MAX_RECORDS_LENGTH = MAX_ANSWER_BYTES;
