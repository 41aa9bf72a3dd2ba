import type { VirtualItem } from '@tanstack/react-virtual';
import type { RecordData } from '../../app/application.ts';
import { t } from '../../app/texts.ts';
import type { Figure } from '../records/figures.ts';
import type { Records } from '../records/use-records.ts';
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
  return (
    <div
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
            onCommit={(value, step) => {
              edits.commit(value);
              props.onEdited(step);
            }}
            onCancel={() => {
              edits.cancel();
              props.onEdited(0);
            }}
            onOpen={(opened, column) => {
              props.onActive({ row: index, column });
              props.onOpen(opened);
            }}
          />
        );
      })}
    </div>
  );
}
