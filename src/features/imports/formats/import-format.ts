import { text } from '../../../foundation/i18n/text.ts';
import { MAX_COLUMNS } from '../imports.limits.ts';
import { csvLines, shownDelimiter } from './csv-lines.ts';
import { isBlank, unreadable, type ImportRow, type SourceFile, type TableLine } from './import-row.ts';
import { jsonRows } from './json-rows.ts';
import { isSheetDate } from './sheet-cell.ts';
import { allLines, firstLines } from './workbook-thread.ts';

/** Reads the rows of a file from the first to the last, as often as it is called. */
export type RowReader = () => AsyncIterable<ImportRow>;

/** How a kind of file is read. */
export interface ImportFormat {
  /**
   * Whether each row names its columns and its values have JSON types. If not, the first row names the
   * columns, and values are texts or spreadsheet cells.
   */
  readonly isTyped: boolean;
  /** The names in its first row. @throws VALIDATION_ERROR */
  columns(file: SourceFile, delimiter: string | null): Promise<readonly string[]>;
  /**
   * @param signal stops it where it reads the file at once
   * @throws VALIDATION_ERROR, also while rows are read: for what cannot be read at all
   */
  open(file: SourceFile, delimiter: string | null, signal: AbortSignal | null): Promise<RowReader>;
  /** What separates cells where its rows are written as CSV; missing where they are no table. */
  readonly separator?: (file: SourceFile, delimiter: string | null) => Promise<string>;
}

export const IMPORT_FORMAT_NAMES = ['csv', 'xlsx', 'ndjson'] as const;
export type ImportFormatName = (typeof IMPORT_FORMAT_NAMES)[number];

/** All formats by name. */
export const IMPORT_FORMATS: Readonly<Record<ImportFormatName, ImportFormat>> = {
  csv: {
    isTyped: false,
    columns: (file, delimiter) => columnsOf(csvLines(file, delimiter)),
    open: async (file, delimiter) => () => rowsOf(csvLines(file, delimiter)),
    separator: async (file, delimiter) => delimiter ?? shownDelimiter(file),
  },
  xlsx: {
    isTyped: false,
    columns: async (file) => columnsOf(await firstLines(file)),
    async open(file, _delimiter, signal) {
      const lines = await allLines(file, signal);
      return () => rowsOf(lines);
    },
    separator: async () => ',',
  },
  ndjson: {
    isTyped: true,
    async columns(file) {
      for await (const { values } of jsonRows(file)) return Object.keys(values);
      return [];
    },
    open: async (file) => () => jsonRows(file),
  },
};

async function columnsOf(lines: AsyncIterable<TableLine>): Promise<readonly string[]> {
  for await (const line of lines) if (!isBlank(line)) return columnsIn(line);
  throw unreadable('is empty');
}

async function* rowsOf(lines: AsyncIterable<TableLine>): AsyncGenerator<ImportRow> {
  let columns: readonly string[] | null = null;
  for await (const line of lines) {
    if (columns === null) columns = isBlank(line) ? null : columnsIn(line);
    else if (line.cells.some((cell) => cell !== null)) yield toRow(columns, line);
  }
}

/** @throws VALIDATION_ERROR for names that are missing or the same */
function columnsIn({ cells }: TableLine): string[] {
  const last = cells.findLastIndex((cell) => cell !== null);
  const columns = cells.slice(0, last + 1).map(nameIn);
  if (columns.length > MAX_COLUMNS) throw unreadable(text('has more than {max} columns', { max: MAX_COLUMNS }));
  if (columns.length === 0) throw unreadable('is empty');
  columns.forEach((name, index) => {
    if (name === '') throw unreadable(text('has no name for column {column} in its first row', { column: index + 1 }));
    if (columns.indexOf(name) < index)
      throw unreadable(text('has two columns {column}', { column: name.slice(0, 100) }));
  });
  return columns;
}

function nameIn(cell: unknown): string {
  if (typeof cell === 'string') return cell.trim();
  if (isSheetDate(cell)) return cell.date;
  return typeof cell === 'number' || typeof cell === 'boolean' ? String(cell) : '';
}

function toRow(columns: readonly string[], { number, cells }: TableLine): ImportRow {
  const values = Object.create(null) as Record<string, unknown>;
  columns.forEach((name, index) => {
    values[name] = cells[index] ?? null;
  });
  const isTooLong = cells.slice(columns.length).some((cell) => cell !== null);
  const problem = isTooLong ? text('has more cells than the first row: {max}', { max: columns.length }) : null;
  return { number, values, problem };
}
