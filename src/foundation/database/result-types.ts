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

type Parse = (value: string) => unknown;
type Format = 'text' | 'binary';

function parserOf(oid: number, format?: Format): Parse {
  if (oid === TIMESTAMPTZ_OID) return parseTimestamp;
  if (TEXT_OIDS.has(oid)) return (value) => value;
  return pg.types.getTypeParser(oid, format) as Parse;
}

/** JSON's forms straight from the wire: timestamps as ISO 8601 UTC, dates, bigint and decimal as strings. */
export const RESULT_TYPES: pg.CustomTypesConfig = { getTypeParser: parserOf as typeof pg.types.getTypeParser };

const TOO_LARGE = 'TOO_LARGE';
/** Characters of all rows of one statement: more would fill the heap, and end the process. */
const MAX_LENGTH = 16 * 1024 * 1024;

/**
 * `RESULT_TYPES` for one statement over records. Of one whose rows are too large, those that follow are not
 * kept.
 */
export function boundedTypes(): pg.CustomTypesConfig {
  let length = 0;
  return {
    getTypeParser: ((oid: number, format?: Format): Parse => {
      const parse = parserOf(oid, format);
      return (value) => {
        length += value.length;
        if (length > MAX_LENGTH) throw tooLarge();
        return parse(value);
      };
    }) as typeof pg.types.getTypeParser,
  };
}

/** Whether fewer of the same records, or fewer fields, may be had. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof ApplicationError && error.data?.reason === TOO_LARGE;
}

function tooLarge(): ApplicationError {
  const maxMb = MAX_LENGTH / 1024 / 1024;
  return conflict(
    TOO_LARGE,
    text('These records have more than {maxMb} MiB: ask for fewer, or for fewer fields', { maxMb }),
  );
}
