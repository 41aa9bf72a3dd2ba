import { useRef, type PointerEvent } from 'react';
import { t } from '../../app/texts.ts';
import { Icon } from '../../ui/Icon.tsx';
import { FIELD_KINDS } from '../fields/field-kinds.ts';
import { boundedWidth, type GridColumn } from './grid-column.ts';
import styles from './Grid.module.css';
import { parseSort } from './sort-order.ts';
import { useColumnDrag } from './use-column-drag.ts';
import type { ActiveCell } from './use-grid-keys.ts';
import type { Selection } from './use-selection.ts';

interface GridHeadProps {
  readonly id: string;
  readonly columns: readonly GridColumn[];
  readonly template: string;
  readonly active: ActiveCell;
  readonly sort: string | undefined;
  readonly selection: Selection;
  readonly onSort: (code: string) => void;
  readonly onWidth: (code: string, width: number) => void;
  /** A column has been put into another place. */
  readonly onMove: (from: number, to: number) => void;
}

/** The names of the columns: a click sorts, a drag moves, the right edge is drawn to a width. */
export function GridHead({ id, columns, template, active, sort, selection, onSort, onWidth, onMove }: GridHeadProps) {
  const dragOf = useColumnDrag(onMove);
  const [sorted] = parseSort(sort);
  return (
    <div role="rowgroup" className={styles.head}>
      <div role="row" className={styles.row} style={{ gridTemplateColumns: template }} aria-rowindex={1}>
        <div role="columnheader" className={styles.check} aria-colindex={1}>
          <span className="visually-hidden">{t('Selected')}</span>
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={t('Select all')}
            checked={selection.size > 0}
            onChange={selection.size > 0 ? selection.clear : selection.all}
          />
        </div>
        {columns.map((column, index) => {
          const { code, label, field, isSortable, pinnedAt } = column;
          const order = sorted?.fieldName === code ? sorted.order : undefined;
          const isActive = active.row === -1 && active.column === index;
          return (
            <div
              key={code}
              id={`${id}--1-${index}`}
              {...dragOf(index)}
              role="columnheader"
              data-column={code}
              aria-colindex={index + 2}
              aria-sort={order === undefined ? 'none' : order === 'desc' ? 'descending' : 'ascending'}
              style={pinnedAt === null ? undefined : { left: pinnedAt }}
              className={[
                styles.cell,
                FIELD_KINDS[field.type].isNumeric === true && styles.numeric,
                pinnedAt !== null && styles.pinned,
                isActive && styles.active,
              ]
                .filter(Boolean)
                .join(' ')}
            >
              {isSortable ? (
                <button type="button" tabIndex={-1} className={styles.sort} onClick={() => onSort(code)}>
                  <span>{label}</span>
                  {order && <Icon name={order === 'desc' ? 'sortDown' : 'sortUp'} />}
                </button>
              ) : (
                <span>{label}</span>
              )}
              <Edge column={column} onWidth={onWidth} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

interface EdgeProps {
  readonly column: GridColumn;
  readonly onWidth: (code: string, width: number) => void;
}

/** Drawn by the pointer; by the keyboard, the header does it with Shift and an arrow. */
function Edge({ column: { code }, onWidth }: EdgeProps) {
  const from = useRef<{ readonly x: number; readonly width: number }>(null);
  const moved = ({ clientX }: PointerEvent, { x, width }: { readonly x: number; readonly width: number }) =>
    boundedWidth(width + clientX - x) - width;
  return (
    <span
      className={styles.edge}
      aria-hidden="true"
      onPointerDown={(event) => {
        event.preventDefault();
        event.stopPropagation();
        event.currentTarget.setPointerCapture(event.pointerId);
        from.current = { x: event.clientX, width: event.currentTarget.parentElement?.offsetWidth ?? 0 };
      }}
      onPointerUp={(event) => {
        const start = from.current;
        if (start && event.clientX !== start.x) onWidth(code, start.width + moved(event, start));
        from.current = null;
      }}
      onPointerMove={(event) => {
        if (from.current) event.currentTarget.style.transform = `translateX(${moved(event, from.current)}px)`;
      }}
      onLostPointerCapture={({ currentTarget }) => {
        currentTarget.style.transform = '';
      }}
    />
  );
}
