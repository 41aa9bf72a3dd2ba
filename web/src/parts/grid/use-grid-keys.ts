import type { KeyboardEvent } from 'react';

/** Where the keyboard is. Row -1 is the header. */
export interface ActiveCell {
  readonly row: number;
  readonly column: number;
}

interface GridKeys {
  readonly active: ActiveCell;
  readonly rows: number;
  readonly columns: number;
  readonly onMove: (next: ActiveCell) => void;
  readonly onOpen: (row: number) => void;
  readonly onSelect: (row: number) => void;
  readonly onHead: (column: number) => void;
}

const PAGE_ROWS = 20;

/** The keys of a grid. WAI-ARIA: the pattern "grid". */
export function useGridKeys({ active, rows, columns, onMove, onOpen, onSelect, onHead }: GridKeys) {
  return (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget || event.altKey) return;
    const { row, column } = active;
    const isFar = event.ctrlKey || event.metaKey;
    const to = (nextRow: number, nextColumn: number) =>
      onMove({ row: within(nextRow, -1, rows - 1), column: within(nextColumn, 0, columns - 1) });
    const actions: Readonly<Record<string, () => void>> = {
      ArrowDown: () => to(row + 1, column),
      ArrowUp: () => to(row - 1, column),
      ArrowRight: () => to(row, column + 1),
      ArrowLeft: () => to(row, column - 1),
      PageDown: () => to(row + PAGE_ROWS, column),
      PageUp: () => to(Math.max(0, row - PAGE_ROWS), column),
      Home: () => to(isFar ? 0 : row, 0),
      End: () => to(isFar ? rows - 1 : row, columns - 1),
      Enter: () => (row < 0 ? onHead(column) : onOpen(row)),
      ' ': () => (row < 0 ? onHead(column) : onSelect(row)),
    };
    const act = actions[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  };
}

function within(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), Math.max(least, most));
}
