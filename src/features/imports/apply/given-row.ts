import type { ImportRow } from '../formats/import-row.ts';
import { isFaulty, isSheetDate } from '../formats/sheet-cell.ts';
import { MAX_SHOWN_CELL, MAX_SHOWN_CELLS } from '../imports.limits.ts';

/** A row as its file has it, as texts by column: of long rows the beginning. */
export function givenRow(row: ImportRow | undefined): Readonly<Record<string, string>> {
  const cells = Object.entries(row?.values ?? {}).slice(0, MAX_SHOWN_CELLS);
  return Object.fromEntries(
    cells.map(([column, cell]) => [column.slice(0, 200), (textOfCell(cell) ?? '').slice(0, MAX_SHOWN_CELL)]),
  );
}

/** What stands in a cell; null where it is empty. */
export function textOfCell(cell: unknown): string | null {
  if (cell === null || cell === undefined) return null;
  if (typeof cell === 'string') return cell;
  if (isSheetDate(cell)) return cell.date;
  return isFaulty(cell) ? cell.written : JSON.stringify(cell);
}
