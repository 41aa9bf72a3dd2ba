import { IMPORT_FORMATS, type ImportFormatName } from '../../src/features/imports/formats/import-format.ts';
import type { ImportRow, SourceFile } from '../../src/features/imports/formats/import-row.ts';
import { quoted } from '../../src/foundation/i18n/text.ts';
import { inEnglish } from './in-english.ts';

type Content = Buffer | string;

/** A file that is read in pieces of an odd size, as they come from a store. */
function fileOf(content: Content): SourceFile {
  const bytes = Buffer.from(content);
  const size = bytes.length > 10_000 ? 65_537 : 7;
  return {
    size: bytes.length,
    async *read({ start, end }) {
      for (let at = start; at <= end; at += size) yield bytes.subarray(at, Math.min(at + size, end + 1));
    },
  };
}

/** The rows of a file, with problems in English. */
export async function rowsOf(
  format: ImportFormatName,
  content: Content,
  delimiter: string | null = null,
): Promise<ImportRow[]> {
  const rows: ImportRow[] = [];
  const read = await IMPORT_FORMATS[format].open(fileOf(content), delimiter, null);
  for await (const row of read()) rows.push(row);
  return rows.map((row) => ({
    ...row,
    values: { ...row.values },
    problem: row.problem && quoted(String(row.problem)),
  }));
}

/** What is wrong with a file of which no row can be read; null where nothing is. */
export function problemOf(format: ImportFormatName, content: Content): Promise<unknown> {
  return problemIn(rowsOf(format, content));
}

/** The same of a file whose first row is asked for. */
export function columnsProblem(format: ImportFormatName, content: Content): Promise<unknown> {
  return problemIn(IMPORT_FORMATS[format].columns(fileOf(content), null));
}

function problemIn(reading: Promise<unknown>): Promise<unknown> {
  return reading.then(
    () => null,
    (error: unknown) => inEnglish((error as { data: { fieldErrors: object } }).data.fieldErrors),
  );
}

/** Rows as `[number, values]`. */
export function valuesOf(rows: readonly ImportRow[]): [number, Readonly<Record<string, unknown>>][] {
  return rows.map(({ number, values }) => [number, values]);
}
