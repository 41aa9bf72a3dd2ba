import { text } from '../../../foundation/i18n/text.ts';
import { MAX_COLUMNS } from '../imports.limits.ts';
import { csvLines } from './csv-lines.ts';
import { unreadable, type ImportRow, type SourceFile, type TableLine } from './import-row.ts';
import { jsonRows } from './json-rows.ts';
import { workbookLines } from './workbook-lines.ts';

/** How a kind of file is read. */
interface ImportFormat {
  /**
   * Whether each row names its columns and its values have JSON types. If not, the first row names the
   * columns, and values are texts or spreadsheet cells.
   */
  readonly isTyped: boolean;
  /** The names in its first row. @throws VALIDATION_ERROR */
  columns(file: SourceFile): Promise<readonly string[]>;
  /** @throws VALIDATION_ERROR for what cannot be read at all */
  rows(file: SourceFile): AsyncGenerator<ImportRow>;
}

export const IMPORT_FORMAT_NAMES = ['csv', 'xlsx', 'ndjson'] as const;
export type ImportFormatName = (typeof IMPORT_FORMAT_NAMES)[number];

/** All formats by name. */
export const IMPORT_FORMATS: Readonly<Record<ImportFormatName, ImportFormat>> = {
  csv: tableOf(csvLines),
  xlsx: tableOf(workbookLines),
  ndjson: {
    isTyped: true,
    async columns(file) {
      for await (const { values } of jsonRows(file)) return Object.keys(values);
      return [];
    },
    rows: jsonRows,
  },
};

function tableOf(linesOf: (file: SourceFile) => AsyncGenerator<TableLine>): ImportFormat {
  return {
    isTyped: false,
    async columns(file) {
      for await (const line of linesOf(file)) return columnsIn(line);
      throw unreadable('is empty');
    },
    async *rows(file) {
      let columns: readonly string[] | null = null;
      for await (const line of linesOf(file)) {
        if (columns === null) columns = columnsIn(line);
        else if (line.cells.some((cell) => cell !== null)) yield toRow(columns, line);
      }
    },
  };
}

/** @throws VALIDATION_ERROR for names that are missing or the same */
function columnsIn({ cells }: TableLine): string[] {
  const last = cells.findLastIndex((cell) => cell !== null);
  const columns = cells
    .slice(0, last + 1)
    .map((cell) => (typeof cell === 'string' ? cell : cell === null ? '' : JSON.stringify(cell)).trim());
  if (columns.length > MAX_COLUMNS) throw unreadable(text('has more than {max} columns', { max: MAX_COLUMNS }));
  if (columns.length === 0) throw unreadable('is empty');
  columns.forEach((name, index) => {
    if (name === '') throw unreadable(text('has no name for column {column} in its first row', { column: index + 1 }));
    if (columns.indexOf(name) < index)
      throw unreadable(text('has two columns {column}', { column: name.slice(0, 100) }));
  });
  return columns;
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
