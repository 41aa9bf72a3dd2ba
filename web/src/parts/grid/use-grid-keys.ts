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
  /** Selects the rows from where the selection began up to this one. */
  readonly onExtend: (row: number) => void;
  readonly onSelectAll: () => void;
  readonly onEdit: (cell: ActiveCell) => void;
  readonly onHead: (column: number) => void;
  /** Widens a column by so many steps. */
  readonly onWiden: (column: number, steps: number) => void;
  readonly onMoveColumn: (from: number, to: number) => void;
}

const PAGE_ROWS = 20;
type Actions = Readonly<Record<string, () => void>>;

/** The keys of a grid. WAI-ARIA: the pattern "grid". */
export function useGridKeys(keys: GridKeys) {
  return (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget || event.altKey) return;
    const isFar = event.ctrlKey || event.metaKey;
    const act = actionsOf(keys, event.shiftKey, isFar)[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  };
}

function actionsOf(keys: GridKeys, isShifted: boolean, isFar: boolean): Actions {
  if (isShifted) return isFar ? withBoth(keys) : withShift(keys);
  return isFar ? withControl(keys) : alone(keys);
}

function mover({ rows, columns, onMove }: GridKeys) {
  return (row: number, column: number): number => {
    const next = { row: within(row, -1, rows - 1), column: within(column, 0, columns - 1) };
    onMove(next);
    return next.row;
  };
}

function alone(keys: GridKeys): Actions {
  const { active, columns, onOpen, onSelect, onEdit, onHead } = keys;
  const { row, column } = active;
  const to = mover(keys);
  const edit = () => row >= 0 && onEdit(active);
  return {
    ArrowDown: () => to(row + 1, column),
    ArrowUp: () => to(row - 1, column),
    ArrowRight: () => to(row, column + 1),
    ArrowLeft: () => to(row, column - 1),
    PageDown: () => to(row + PAGE_ROWS, column),
    PageUp: () => to(Math.max(0, row - PAGE_ROWS), column),
    Home: () => to(row, 0),
    End: () => to(row, columns - 1),
    Enter: () => (row < 0 ? onHead(column) : onOpen(row)),
    ' ': () => (row < 0 ? onHead(column) : onSelect(row)),
    e: edit,
    F2: edit,
  };
}

function withControl(keys: GridKeys): Actions {
  const { rows, columns, onSelectAll } = keys;
  const to = mover(keys);
  return { Home: () => to(0, 0), End: () => to(rows - 1, columns - 1), a: onSelectAll };
}

function withShift(keys: GridKeys): Actions {
  const { active, onExtend, onWiden } = keys;
  const { row, column } = active;
  const to = mover(keys);
  const extend = (by: number) => () => row >= 0 && onExtend(to(Math.max(0, row + by), column));
  const widen = (steps: number) => () => row < 0 && onWiden(column, steps);
  return { ArrowDown: extend(1), ArrowUp: extend(-1), ArrowRight: widen(1), ArrowLeft: widen(-1) };
}

function withBoth({ active: { row, column }, columns, onMoveColumn }: GridKeys): Actions {
  const moveTo = (to: number) => () => row < 0 && to >= 0 && to < columns && onMoveColumn(column, to);
  return { ArrowRight: moveTo(column + 1), ArrowLeft: moveTo(column - 1) };
}

function within(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), Math.max(least, most));
}
