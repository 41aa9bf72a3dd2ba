import { memo, type MouseEvent } from 'react';
import type { RecordData } from '../../app/application.ts';
import { Icon } from '../../ui/Icon.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { textOf } from '../fields/field-kind.ts';
import { FIELD_KINDS } from '../fields/field-kinds.ts';
import { CellEditor } from './CellEditor.tsx';
import type { GridColumn } from './grid-column.ts';
import styles from './Grid.module.css';
import type { CellEdit } from './use-cell-edits.ts';
import type { ActiveCell } from './use-grid-keys.ts';

interface GridRowProps {
  readonly id: string;
  readonly index: number;
  readonly pageKey: string;
  /** In pixels, from the first row. */
  readonly top: number;
  readonly height: number;
  readonly columns: readonly GridColumn[];
  readonly template: string;
  /** Undefined while it is read. */
  readonly record: RecordData | undefined;
  /** The column where the keyboard is; null: in another row. */
  readonly active: number | null;
  readonly isSelected: boolean;
  readonly isOpen: boolean;
  readonly selectLabel: string;
  /** By code: what is on its way, or was refused. */
  readonly edits: ReadonlyMap<string, CellEdit> | undefined;
  /** Code of the cell that has an editor. */
  readonly editing: string | null | undefined;
  readonly onSelect: (record: RecordData, row: number) => void;
  readonly onExtend: (row: number) => void;
  /** @param step to the cell beside it that comes next: 1, -1, or 0 */
  readonly onCommit: (value: unknown, step: number) => void;
  readonly onCancel: () => void;
  readonly onOpen: (record: RecordData, cell: ActiveCell) => void;
}

const WIDTHS = [62, 44, 78, 53, 70];

/** One record. */
export const GridRow = memo(function GridRow(props: GridRowProps) {
  const { index, top, height, columns, template, record, isSelected, isOpen, selectLabel, edits, editing, active } =
    props;
  const { onSelect, onExtend, onOpen } = props;
  const name = textOf(record?.[columns[0]?.code ?? '']);
  const isRefused = [...(edits?.values() ?? [])].some(({ problem }) => problem !== null);
  const click = (event: MouseEvent, column: number) => {
    if (!record || editing) return;
    if (event.shiftKey) onExtend(index);
    else if (event.ctrlKey || event.metaKey) onSelect(record, index);
    else onOpen(record, { row: index, column });
  };
  return (
    <div
      role="row"
      className={styles.row}
      style={{ gridTemplateColumns: template, transform: `translateY(${top}px)`, height }}
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      data-open={isOpen || undefined}
      data-editing={Boolean(editing) || undefined}
      data-refused={isRefused || undefined}
      data-active={(isRefused && active !== null) || undefined}
    >
      <div role="gridcell" className={styles.cell + ' ' + styles.check} aria-colindex={1}>
        {record && (
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={`${selectLabel} ${name}`}
            checked={isSelected}
            onClick={({ shiftKey }) => shiftKey && onExtend(index)}
            onChange={({ nativeEvent }) => (nativeEvent as PointerEvent).shiftKey || onSelect(record, index)}
          />
        )}
      </div>
      {columns.map((column, at) => (
        <GridCell key={column.code} {...props} column={column} at={at} onClick={(event) => click(event, at)} />
      ))}
    </div>
  );
});

interface GridCellProps extends GridRowProps {
  readonly column: GridColumn;
  readonly at: number;
  readonly onClick: (event: MouseEvent) => void;
}

function GridCell({ column, at, onClick, ...row }: GridCellProps) {
  const { id, index, pageKey, record, active, edits, editing, onCommit, onCancel } = row;
  const { code, field, label, pinnedAt } = column;
  const { Cell, isNumeric = false } = FIELD_KINDS[field.type];
  const edit = edits?.get(code);
  const problem = edit?.problem ?? null;
  const isSaving = edit !== undefined && problem === null;
  const classes = [
    styles.cell,
    isNumeric && styles.numeric,
    at === 0 && styles.title,
    at === active && styles.active,
    pinnedAt !== null && styles.pinned,
    isSaving && styles.saving,
    problem !== null && styles.refused,
  ];
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
    <div
      id={`${id}-${index}-${at}`}
      role="gridcell"
      aria-colindex={at + 2}
      aria-busy={isSaving || undefined}
      data-editing={editing === code || undefined}
      className={classes.filter(Boolean).join(' ')}
      style={pinnedAt === null ? undefined : { left: pinnedAt }}
      onClick={onClick}
    >
      {!record ? (
        <Skeleton width={WIDTHS[(index + at) % WIDTHS.length] ?? 60} />
      ) : editing === code ? (
        <CellEditor
          field={field}
          label={label}
          record={record}
          pageKey={pageKey}
          onCommit={onCommit}
          onCancel={onCancel}
        />
      ) : (
        <>
          <span>
            {isSaving ? (
              (edit.label ?? <Cell field={field} value={edit.value} record={record} />)
            ) : (
              <Cell field={field} value={record[code]} record={record} />
            )}
          </span>
          {problem !== null && (
            <span role="alert" className={styles.reason} title={problem}>
              <Icon name="warning" />
              <span className={styles.why}>{problem}</span>
            </span>
          )}
        </>
      )}
    </div>
  );
}
