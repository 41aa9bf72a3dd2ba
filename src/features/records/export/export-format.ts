import type { Readable } from 'node:stream';
import { boundedJson } from '../../../foundation/validation/json-parts.ts';
import type { RecordData } from '../../../platform/records/reader/record-reader.ts';
import type { ExportColumn, Encoder } from './export-column.ts';
import { csvEncoder } from './csv.ts';
import { sheetEncoder, zipWorkbook } from './xlsx.ts';

interface EncoderOptions {
  readonly bom: boolean;
  /** In which a spreadsheet shows moments, as it knows no zones; UTC by default. */
  readonly timeZone?: string;
}

interface ExportFormat {
  readonly mediaType: string;
  /** Whether its records are rows of a table; others have whatever a list answers. */
  readonly isTable: boolean;
  readonly encoderOf: (columns: readonly ExportColumn[], options: EncoderOptions) => Encoder;
  /** Makes the file of the text; by default it is the text. */
  readonly pack?: (text: Readable) => Readable;
}

export const EXPORT_FORMAT_NAMES = ['csv', 'xlsx', 'ndjson'] as const;
export type ExportFormatName = (typeof EXPORT_FORMAT_NAMES)[number];

/** All formats by name, which is the extension of their files, too. */
export const EXPORT_FORMATS: Readonly<Record<ExportFormatName, ExportFormat>> = {
  csv: { mediaType: 'text/csv', isTable: true, encoderOf: csvEncoder },
  xlsx: {
    mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    isTable: true,
    encoderOf: sheetEncoder,
    pack: zipWorkbook,
  },
  ndjson: {
    mediaType: 'application/x-ndjson',
    isTable: false,
    encoderOf: jsonEncoder,
  },
};

/** One record per line, with what was expanded. */
function jsonEncoder(columns: readonly ExportColumn[]): Encoder {
  const codes = [...columns.map(({ code }) => code), 'expanded'];
  const chosen = (record: RecordData) => Object.fromEntries(codes.map((code) => [code, record[code]]));
  return { begin: '', record: (record) => `${boundedJson(chosen(record))}\n`, end: '' };
}
