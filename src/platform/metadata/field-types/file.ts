import type { FieldTypeDefinition } from './field-type.ts';

export const SAMPLE_PID = '01J9ZQ4W7N0000000000SAMPLE';
const PID = /^[0-9A-Za-z]{1,32}$/;

/** A file, by its pid. */
export const FILE: FieldTypeDefinition = {
  column: 'character varying(32)',
  cast: 'text',
  comparable: true,
  ordered: false,
  textual: true,
  check: (value) =>
    typeof value === 'string' && PID.test(value) ? { value } : { problem: 'must be the pid of a record' },
  jsonSchema: () => ({ type: 'string', pattern: PID.source }),
  sample: () => SAMPLE_PID,
};
