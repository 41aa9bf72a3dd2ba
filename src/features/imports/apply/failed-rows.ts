import { cellOf, disarm } from '../../records/export/csv.ts';
import type { ImportRow } from '../formats/import-row.ts';
import { ERROR_COLUMN } from '../imports.limits.ts';
import { textOfCell } from './given-row.ts';

/** A row that failed, and what is wrong with it. */
export interface FailedRow {
  readonly number: number;
  readonly problem: string;
}

/**
 * Rows that failed as the lines of a CSV file, which can be corrected and imported: what their file has, and
 * what is wrong with them in a column of its own.
 * @param rows all of the file
 * @param failed in the order of the file
 */
export async function* failedRows(
  rows: AsyncIterable<ImportRow>,
  failed: AsyncIterator<FailedRow, unknown>,
  separator: string,
): AsyncGenerator<string> {
  const lineOf = (cells: readonly (string | null)[]): string =>
    `${cells.map((cell) => (cell === null ? '' : cellOf(disarm(cell), separator))).join(separator)}\r\n`;
  let columns: readonly string[] | null = null;
  let next = await failed.next();
  for await (const { number, values } of rows) {
    if (next.done === true) return;
    if (number < next.value.number) continue;
    if (columns === null) {
      columns = Object.keys(values).filter((column) => column !== ERROR_COLUMN);
      yield `\ufeff${lineOf([...columns, ERROR_COLUMN])}`;
    }
    yield lineOf([...columns.map((column) => textOfCell(values[column])), next.value.problem]);
    next = await failed.next();
  }
}
