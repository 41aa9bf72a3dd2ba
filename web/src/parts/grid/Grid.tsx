import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useId, useRef, useState, type ClipboardEvent, type CSSProperties } from 'react';
import type { RecordData } from '../../app/application.ts';
import type { Figure, FigureKind } from '../records/figures.ts';
import type { Records, RowRange } from '../records/use-records.ts';
import { CHECK_WIDTH, type GridColumn } from './grid-column.ts';
import { GridBody } from './GridBody.tsx';
import { GridFoot } from './GridFoot.tsx';
import { GridHead } from './GridHead.tsx';
import styles from './Grid.module.css';
import type { CellEdits } from './use-cell-edits.ts';
import { useGridKeys, type ActiveCell } from './use-grid-keys.ts';
import type { Selection } from './use-selection.ts';

const ROW_HEIGHT = { dense: 32, roomy: 40 };
const HEAD_HEIGHT = 32;
/** Rows drawn above and below what is to be seen. */
const MARGIN_ROWS = 6;
/** Rows of a list that is still read. */
const SKELETON_ROWS = 12;
const WIDTH_STEP = 16;

interface GridProps {
  readonly label: string;
  readonly pageKey: string;
  readonly columns: readonly GridColumn[];
  readonly records: Records;
  readonly selection: Selection;
  readonly edits: CellEdits;
  /** Of all records, below the rows. */
  readonly figures: readonly Figure[];
  readonly totals: Readonly<Record<string, unknown>> | undefined;
  /** The pid of the record that is open beside the grid. */
  readonly openPid: string | undefined;
  readonly sort: string | undefined;
  readonly isRoomy: boolean;
  readonly onRange: (range: RowRange) => void;
  readonly onOpen: (record: RecordData) => void;
  readonly onSort: (code: string) => void;
  readonly onWidth: (code: string, width: number) => void;
  /** Codes of the columns in their new order. */
  readonly onOrder: (codes: readonly string[]) => void;
  readonly onFigure: (code: string, kind: FigureKind | 'none') => void;
  readonly onToggleGroup: (key: string) => void;
  /** A block of cells from a spreadsheet, to begin at a cell. */
  readonly onPaste: (text: string, at: ActiveCell) => void;
}

/** Records in rows: only those that are to be seen are drawn. Arrows move, `Space` selects, `Enter` opens. */
export function Grid(props: GridProps) {
  const { label, columns, records, selection, edits, figures, totals, sort, isRoomy } = props;
  const { onRange, onOpen, onSort, onWidth, onOrder, onFigure, onToggleGroup, onPaste } = props;
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState<ActiveCell>({ row: 0, column: 0 });
  const count = records.rows ?? SKELETON_ROWS;
  const height = ROW_HEIGHT[isRoomy ? 'roomy' : 'dense'];
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: MARGIN_ROWS,
    // The header and the totals cover what is there.
    scrollPaddingStart: HEAD_HEIGHT,
    scrollPaddingEnd: figures.length > 0 ? HEAD_HEIGHT : 0,
  });
  useEffect(() => virtual.measure(), [height, virtual]);
  const rows = virtual.getVirtualItems();
  const first = rows[0]?.index ?? 0;
  const last = rows.at(-1)?.index ?? 0;
  useEffect(() => onRange({ first, last }), [first, last, onRange]);

  const move = (next: ActiveCell) => {
    setActive(next);
    if (next.row >= 0) virtual.scrollToIndex(next.row);
    scrollToColumn(scroller.current, columns, next.column);
  };
  const edit = ({ row, column }: ActiveCell) => {
    const record = records.at(row);
    if (record) edits.start(record, columns[column]?.code ?? '');
  };
  const onRow = (row: number, act: (record: RecordData) => void) => {
    const head = records.headAt(row);
    const record = records.at(row);
    if (head) onToggleGroup(head.key);
    else if (record) act(record);
  };
  const onKeyDown = useGridKeys({
    active,
    rows: records.rows ?? 0,
    columns: columns.length,
    onMove: move,
    onOpen: (row) => onRow(row, onOpen),
    onSelect: (row) => onRow(row, (record) => selection.toggle(record, row)),
    onExtend: (row) => selection.extend(row, active.row),
    onSelectAll: selection.all,
    onEdit: edit,
    onHead: (column) => {
      const { isSortable = false, code = '' } = columns[column] ?? {};
      if (isSortable) onSort(code);
    },
    onWiden: (column, steps) => {
      const { code = '', width = 0 } = columns[column] ?? {};
      onWidth(code, (headerOf(scroller.current, code)?.offsetWidth ?? width) + steps * WIDTH_STEP);
    },
    onMoveColumn(from, to) {
      moveColumn(from, to);
      move({ row: -1, column: to });
    },
  });
  const moveColumn = (from: number, to: number) => {
    const codes = columns.map(({ code }) => code);
    codes.splice(to, 0, ...codes.splice(from, 1));
    onOrder(codes);
  };
  const finishEdit = (step: number) => {
    scroller.current?.focus();
    if (step !== 0) move({ row: active.row, column: Math.min(Math.max(active.column + step, 0), columns.length - 1) });
  };
  const { template, leastWidth } = tracksOf(columns);
  return (
    <div
      ref={scroller}
      className={styles.grid}
      style={{ '--least-width': `${leastWidth}px` } as CSSProperties}
      role="grid"
      tabIndex={0}
      aria-label={label}
      aria-rowcount={count + 1}
      aria-colcount={columns.length + 1}
      aria-multiselectable="true"
      aria-busy={records.rows === null}
      aria-activedescendant={`${id}-${active.row}-${active.column}`}
      onKeyDown={onKeyDown}
      onPaste={(event: ClipboardEvent) => {
        if (event.target !== event.currentTarget) return;
        const text = event.clipboardData.getData('text/plain');
        if (text !== '' && active.row >= 0) onPaste(text, active);
      }}
    >
      <GridHead
        id={id}
        columns={columns}
        template={template}
        active={active}
        sort={sort}
        selection={selection}
        onSort={onSort}
        onWidth={onWidth}
        onMove={moveColumn}
      />
      <GridBody
        {...props}
        id={id}
        template={template}
        rows={rows}
        rowHeight={height}
        wholeHeight={virtual.getTotalSize()}
        active={active}
        onActive={setActive}
        onEdited={finishEdit}
      />
      {figures.length > 0 && (
        <GridFoot columns={columns} template={template} figures={figures} totals={totals} onFigure={onFigure} />
      )}
    </div>
  );
}

/** Columns give way to each other, down to the width that each needs at least. */
function tracksOf(columns: readonly GridColumn[]) {
  const tracks = columns.map(({ width, widest }) => `minmax(${width}px, ${widest}px)`);
  const leastWidth = columns.reduce((sum, { width }) => sum + width, CHECK_WIDTH);
  return { template: `${CHECK_WIDTH}px ${tracks.join(' ')} minmax(0, 1fr)`, leastWidth };
}

/** Moves what is scrolled sideways so far that the column is to be seen. */
function scrollToColumn(scroller: HTMLElement | null, columns: readonly GridColumn[], column: number): void {
  const { code = '', pinnedAt = null } = columns[column] ?? {};
  const header = headerOf(scroller, code);
  if (!scroller || !header || pinnedAt !== null) return;
  const pinned = columns.reduce((sum, one) => sum + (one.pinnedAt === null ? 0 : one.width), CHECK_WIDTH);
  const { offsetLeft: left, offsetWidth: width } = header;
  if (left - pinned < scroller.scrollLeft) scroller.scrollLeft = left - pinned;
  else if (left + width > scroller.scrollLeft + scroller.clientWidth) {
    scroller.scrollLeft = left + width - scroller.clientWidth;
  }
}

/** Says how wide a column is at present, and where. */
function headerOf(scroller: HTMLElement | null, code: string): HTMLElement | null {
  return scroller?.querySelector(`[data-column="${CSS.escape(code)}"]`) ?? null;
}
