import { memo } from 'react';
import type { RecordData } from '../../app/application.ts';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { textOf } from '../fields/field-kind.ts';
import { FIELD_KINDS } from '../fields/field-kinds.ts';
import type { GridColumn } from './grid-column.ts';
import styles from './Grid.module.css';

interface GridRowProps {
  readonly id: string;
  readonly index: number;
  /** In pixels, from the first row. */
  readonly top: number;
  readonly columns: readonly GridColumn[];
  readonly template: string;
  /** Undefined while it is read. */
  readonly record: RecordData | undefined;
  /** The column where the keyboard is; null: in another row. */
  readonly active: number | null;
  readonly isSelected: boolean;
  readonly isOpen: boolean;
  readonly selectLabel: string;
  readonly onSelect: (pid: string) => void;
  readonly onOpen: (record: RecordData) => void;
}

const WIDTHS = [62, 44, 78, 53, 70];

/** One record. */
export const GridRow = memo(function GridRow(props: GridRowProps) {
  const { id, index, top, columns, template, record, active, isSelected, isOpen, selectLabel, onSelect, onOpen } =
    props;
  const name = textOf(record?.[columns[0]?.code ?? '']);
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
    <div
      role="row"
      className={styles.row}
      style={{ gridTemplateColumns: template, transform: `translateY(${top}px)` }}
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      data-open={isOpen || undefined}
      onClick={() => record && onOpen(record)}
    >
      <div role="gridcell" className={styles.cell + ' ' + styles.check} aria-colindex={1}>
        {record && (
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={`${selectLabel} ${name}`}
            checked={isSelected}
            onClick={(event) => event.stopPropagation()}
            onChange={() => onSelect(record.pid)}
          />
        )}
      </div>
      {columns.map(({ code, field }, column) => {
        const { Cell, isNumeric = false } = FIELD_KINDS[field.type];
        const classes = [
          styles.cell,
          isNumeric && styles.numeric,
          column === 0 && styles.title,
          column === active && styles.active,
        ];
        return (
          <div
            key={code}
            id={`${id}-${index}-${column}`}
            role="gridcell"
            aria-colindex={column + 2}
            className={classes.filter(Boolean).join(' ')}
          >
            {record ? (
              <span>
                <Cell field={field} value={record[code]} record={record} />
              </span>
            ) : (
              <Skeleton width={WIDTHS[(index + column) % WIDTHS.length] ?? 60} />
            )}
          </div>
        );
      })}
    </div>
  );
});
