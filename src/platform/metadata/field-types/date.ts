import { isCalendarDate } from '../../../foundation/validation/iso-datetime.ts';
import { SAMPLE_TIME } from './datetime.ts';
import type { FieldTypeDefinition } from './field-type.ts';

/** A day without a time zone. */
export const DATE: FieldTypeDefinition = {
  column: 'date',
  cast: 'date',
  comparable: true,
  ordered: true,
  textual: false,
  cell: 'date',
  formats: ['date', 'relative'],
  defaultVariables: ['$today'],
  check: (value) =>
    typeof value === 'string' && isCalendarDate(value) ? { value } : { problem: 'must be a date such as 2026-01-31' },
  jsonSchema: () => ({ type: 'string', format: 'date' }),
  sample: () => SAMPLE_TIME.slice(0, 10),
};
