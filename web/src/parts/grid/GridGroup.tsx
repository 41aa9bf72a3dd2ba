import { formatNumber } from '../../app/format.ts';
import { Icon } from '../../ui/Icon.tsx';
import { figureName, formatFigure, type Figure } from '../records/figures.ts';
import type { GroupHead } from '../records/sections.ts';
import type { GridColumn } from './grid-column.ts';
import styles from './Grid.module.css';

interface GridGroupProps {
  readonly id: string;
  readonly index: number;
  readonly top: number;
  readonly height: number;
  readonly columns: readonly GridColumn[];
  readonly template: string;
  readonly head: GroupHead;
  readonly figures: readonly Figure[];
  /** The column where the keyboard is; null: in another row. */
  readonly active: number | null;
  readonly onToggle: (key: string) => void;
}

/** The row above a group: its name, how many there are, its figures below their columns. */
export function GridGroup(props: GridGroupProps) {
  const { id, index, top, height, columns, template, head, figures, active, onToggle } = props;
  const { key, name, group, isOpen } = head;
  const kinds = new Map(figures.map(({ code, kind }) => [code, kind]));
  const firstFigure = columns.findIndex(({ code }, column) => column > 0 && kinds.has(code));
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
    <div
      role="row"
      className={styles.row + ' ' + styles.group}
      style={{ gridTemplateColumns: template, transform: `translateY(${top}px)`, height }}
      aria-rowindex={index + 2}
      onClick={() => onToggle(key)}
    >
      <div
        id={`${id}-${index}-${active ?? 0}`}
        role="gridcell"
        aria-colindex={1}
        aria-expanded={isOpen}
        className={[styles.groupName, active !== null && styles.active].filter(Boolean).join(' ')}
        style={{ gridColumn: `1 / ${firstFigure === -1 ? -1 : firstFigure + 2}` }}
      >
        <Icon name={isOpen ? 'down' : 'right'} />
        <strong>{name}</strong>
        <span className={styles.count}>{formatNumber(group.count)}</span>
      </div>
      {columns.map(({ code }, column) => {
        const kind = kinds.get(code);
        if (kind === undefined || column === 0) return null;
        return (
          <div
            key={code}
            role="gridcell"
            aria-colindex={column + 2}
            className={styles.cell + ' ' + styles.numeric}
            style={{ gridColumn: column + 2 }}
          >
            <span>{formatFigure(group.figures[figureName(code)], kind)}</span>
          </div>
        );
      })}
    </div>
  );
}
