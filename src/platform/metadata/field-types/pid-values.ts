import { isPid, PID_PATTERN } from '../../../foundation/database/pid.ts';
import type { FieldTypeDefinition } from './field-type.ts';
import type { Message } from '../../../foundation/i18n/text.ts';

export const SAMPLE_PID = '01J9ZQ4W7N0000000000SAMPLE';

/**
 * Values that are pids: of a record, a user, a file.
 * @param problem what is wrong with a value that is none
 */
export function pidValues(problem: Message): FieldTypeDefinition {
  return {
    column: 'character varying(32)',
    cast: 'text',
    comparable: true,
    ordered: false,
    textual: true,
    check: (value) => (typeof value === 'string' && isPid(value) ? { value } : { problem }),
    jsonSchema: () => ({ type: 'string', pattern: PID_PATTERN }),
    sample: () => SAMPLE_PID,
  };
}
