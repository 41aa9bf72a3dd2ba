import { parseIsoDatetime } from '../../../foundation/validation/iso-datetime.ts';
import type { FieldTypeDefinition } from './field-type.ts';

export const SAMPLE_TIME = '2026-01-31T09:30:00.000Z';
const MIN_LENGTH = '2026-01-31T'.length;

/** A moment, to the millisecond. */
export const DATETIME: FieldTypeDefinition = {
  column: 'timestamp(3) with time zone',
  cast: 'timestamptz',
  comparable: true,
  ordered: true,
  textual: false,
  cell: 'datetime',
  formats: ['date', 'time', 'datetime', 'relative'],
  defaultVariables: ['$now'],
  check(value) {
    // A day alone is refused: which moment it means depends on a time zone.
    const time = typeof value === 'string' && value.length >= MIN_LENGTH ? parseIsoDatetime(value) : null;
    return time
      ? { value: time.toISOString() }
      : { problem: 'must be an ISO 8601 time with a zone, such as 2026-01-31T09:30:00Z' };
  },
  jsonSchema: () => ({ type: 'string', format: 'date-time' }),
  sample: () => SAMPLE_TIME,
};
