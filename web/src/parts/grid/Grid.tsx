import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useId, useRef, useState } from 'react';
import type { RecordData } from '../../app/application.ts';
import { t } from '../../app/texts.ts';
import type { Records, RowRange } from '../records/use-records.ts';
import type { GridColumn } from './grid-column.ts';
import { GridHead } from './GridHead.tsx';
import { GridRow } from './GridRow.tsx';
import styles from './Grid.module.css';
import { useGridKeys, type ActiveCell } from './use-grid-keys.ts';

const ROW_HEIGHT = 32;
const CHECK_WIDTH = 40;
/** Rows drawn above and below what is to be seen. */
const MARGIN_ROWS = 12;
/** Rows of a list that is still read. */
const SKELETON_ROWS = 12;

interface GridProps {
  readonly label: string;
  readonly columns: readonly GridColumn[];
  readonly records: Records;
  /** Pids of the selected records. */
  readonly selected: ReadonlySet<string>;
  /** The pid of the record that is open beside the grid. */
  readonly openPid: string | undefined;
  readonly sort: string | undefined;
  readonly onRange: (range: RowRange) => void;
  readonly onSelect: (pid: string) => void;
  readonly onOpen: (record: RecordData) => void;
  readonly onSort: (code: string) => void;
}

/** Records in rows: only those that are to be seen are drawn. Arrows move, `Space` selects, `Enter` opens. */
export function Grid(props: GridProps) {
  const { label, columns, records, selected, openPid, sort, onRange, onSelect, onOpen, onSort } = props;
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState<ActiveCell>({ row: 0, column: 0 });
  const count = records.total ?? SKELETON_ROWS;
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: MARGIN_ROWS,
    // The header covers what is above.
    scrollPaddingStart: ROW_HEIGHT,
  });
  const rows = virtual.getVirtualItems();
  const first = rows[0]?.index ?? 0;
  const last = rows.at(-1)?.index ?? 0;
  useEffect(() => onRange({ first, last }), [first, last, onRange]);

  const move = (next: ActiveCell) => {
    setActive(next);
    if (next.row >= 0) virtual.scrollToIndex(next.row);
    scrollToColumn(scroller.current, columns, next.column);
  };
  const onKeyDown = useGridKeys({
    active,
    rows: records.total ?? 0,
    columns: columns.length,
    onMove: move,
    onOpen: (row) => {
      const record = records.at(row);
      if (record) onOpen(record);
    },
    onSelect: (row) => {
      const record = records.at(row);
      if (record) onSelect(record.pid);
    },
    onHead: (column) => {
      const { isSortable = false, code = '' } = columns[column] ?? {};
      if (isSortable) onSort(code);
    },
  });
  const template = `${CHECK_WIDTH}px ${columns.map(({ width }) => `${width}px`).join(' ')} minmax(0, 1fr)`;
  return (
    <div
      ref={scroller}
      className={styles.grid}
      role="grid"
      tabIndex={0}
      aria-label={label}
      aria-rowcount={count + 1}
      aria-colcount={columns.length + 1}
      aria-multiselectable="true"
      aria-busy={records.total === null}
      aria-activedescendant={`${id}-${active.row}-${active.column}`}
      onKeyDown={onKeyDown}
    >
      <GridHead id={id} columns={columns} template={template} active={active} sort={sort} onSort={onSort} />
      <div
        role="rowgroup"
        className={[styles.body, records.isStale && styles.stale].filter(Boolean).join(' ')}
        style={{ height: virtual.getTotalSize() }}
      >
        {rows.map(({ index, start }) => {
          const record = records.at(index);
          return (
            <GridRow
              key={index}
              id={id}
              index={index}
              top={start}
              columns={columns}
              template={template}
              record={record}
              active={active.row === index ? active.column : null}
              isSelected={record !== undefined && selected.has(record.pid)}
              isOpen={record !== undefined && record.pid === openPid}
              selectLabel={t('Select')}
              onSelect={onSelect}
              onOpen={(opened) => {
                setActive({ row: index, column: active.column });
                onOpen(opened);
              }}
            />
          );
        })}
      </div>
    </div>
  );
}

/** Moves what is scrolled sideways so far that the column is to be seen. */
function scrollToColumn(scroller: HTMLElement | null, columns: readonly GridColumn[], column: number): void {
  if (!scroller) return;
  const left = columns.slice(0, column).reduce((sum, { width }) => sum + width, CHECK_WIDTH);
  const right = left + (columns[column]?.width ?? 0);
  if (left - CHECK_WIDTH < scroller.scrollLeft) scroller.scrollLeft = left - CHECK_WIDTH;
  else if (right > scroller.scrollLeft + scroller.clientWidth) scroller.scrollLeft = right - scroller.clientWidth;
}
