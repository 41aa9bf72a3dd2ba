import type { VirtualItem } from '@tanstack/react-virtual';
import { useMemo, useRef } from 'react';
import type { RecordData } from '../../app/application.ts';
import { t } from '../../app/texts.ts';
import { useLatest } from '../../ui/use-latest.ts';
import type { Figure } from '../records/figures.ts';
import type { Records } from '../records/use-records.ts';
import { CellPencil } from './CellPencil.tsx';
import type { GridColumn } from './grid-column.ts';
import { GridGroup } from './GridGroup.tsx';
import { GridRow } from './GridRow.tsx';
import styles from './Grid.module.css';
import type { CellEdits } from './use-cell-edits.ts';
import type { ActiveCell } from './use-grid-keys.ts';
import type { Selection } from './use-selection.ts';

interface GridBodyProps {
  readonly id: string;
  readonly pageKey: string;
  readonly columns: readonly GridColumn[];
  readonly template: string;
  readonly records: Records;
  /** Those that are drawn. */
  readonly rows: readonly VirtualItem[];
  /** In pixels, as all heights. */
  readonly rowHeight: number;
  readonly wholeHeight: number;
  readonly active: ActiveCell;
  readonly selection: Selection;
  readonly edits: CellEdits;
  readonly figures: readonly Figure[];
  readonly openPid: string | undefined;
  readonly onActive: (cell: ActiveCell) => void;
  /** An editor has been left. @param step to the cell that comes next */
  readonly onEdited: (step: number) => void;
  readonly onOpen: (record: RecordData) => void;
  readonly onToggleGroup: (key: string) => void;
}

/** The rows of a grid that are to be seen: records, and the heads of their groups. */
export function GridBody(props: GridBodyProps) {
  const { id, columns, template, records, rows, rowHeight, active, selection, edits, figures } = props;
  const { onCommit, onCancel, onOpen } = useRowActions(props);
  const body = useRef<HTMLDivElement>(null);
  return (
    <div
      ref={body}
      role="rowgroup"
      className={[styles.body, records.isStale && styles.stale].filter(Boolean).join(' ')}
      style={{ height: props.wholeHeight }}
    >
      {rows.map(({ index, start }) => {
        const head = records.headAt(index);
        const record = records.at(index);
        const activeColumn = active.row === index ? active.column : null;
        const place = { id, index, top: start, height: rowHeight, columns, template, active: activeColumn };
        if (head) {
          return <GridGroup key={index} {...place} head={head} figures={figures} onToggle={props.onToggleGroup} />;
        }
        return (
          <GridRow
            key={index}
            {...place}
            record={record}
            pageKey={props.pageKey}
            isSelected={record !== undefined && selection.has(record.pid)}
            isOpen={record !== undefined && record.pid === props.openPid}
            selectLabel={t('Select')}
            edits={record && edits.of(record.pid)}
            editing={record && edits.editing?.pid === record.pid ? edits.editing.code : null}
            onSelect={selection.toggle}
            onExtend={selection.extend}
            onCommit={onCommit}
            onCancel={onCancel}
            onOpen={onOpen}
          />
        );
      })}
      <CellPencil
        body={body}
        isFor={(row, column) => edits.canStart(records.at(row), columns[column]?.code)}
        onEdit={(row, column) => {
          const record = records.at(row);
          props.onActive({ row, column });
          if (record) edits.start(record, columns[column]?.code ?? '');
        }}
      />
    </div>
  );
}

/** What rows call: it stays the same, so that a row is drawn again only when it changes. */
function useRowActions(props: GridBodyProps) {
  const latest = useLatest(props);
  return useMemo(
    () => ({
      onCommit: (value: unknown, step: number) => {
        latest.current.edits.commit(value);
        latest.current.onEdited(step);
      },
      onCancel: () => {
        latest.current.edits.cancel();
        latest.current.onEdited(0);
      },
      onOpen: (record: RecordData, cell: ActiveCell) => {
        latest.current.onActive(cell);
        latest.current.onOpen(record);
      },
    }),
    [latest],
  );
}
