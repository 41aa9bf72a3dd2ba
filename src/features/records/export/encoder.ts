import type { RecordData } from '../record-reader.ts';

/** Turns records into text, one after the other. */
export interface Encoder {
  readonly begin: string;
  readonly record: (record: RecordData) => string;
  readonly end: string;
}
