import { PID, textUpTo } from '../../../foundation/validation/schema.ts';

/** Which record a command of the platform is about. */
export const RECORD_NAME = { modelCode: textUpTo(48), pid: PID };

/** The record that a checked payload names. */
export function recordIn(payload: object): { readonly modelCode: string; readonly pid: string } {
  return payload as { readonly modelCode: string; readonly pid: string };
}
