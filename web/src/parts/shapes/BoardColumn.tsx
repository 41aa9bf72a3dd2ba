import { useState } from 'react';
import { findField, type Field, type Model, type Page, type RecordData } from '../../app/application.ts';
import { fieldName } from '../../app/field-names.ts';
import { formatNumber } from '../../app/format.ts';
import { t } from '../../app/texts.ts';
import { FIELD_KINDS } from '../fields/field-kinds.ts';
import { FIGURE_NAMES, figureName, formatFigure, type Figure } from '../records/figures.ts';
import type { Group } from '../records/grouping.ts';
import styles from './Board.module.css';
import { BoardCard } from './BoardCard.tsx';
import type { Moves } from './use-moves.ts';

interface BoardColumnProps {
  readonly page: Page;
  readonly model: Model;
  readonly field: Field;
  readonly value: string | null;
  /** Of all columns. */
  readonly values: readonly (string | null)[];
  readonly group: Group | undefined;
  readonly figure: Figure | undefined;
  readonly records: readonly RecordData[];
  /** Codes of the fields that are shown. */
  readonly columns: readonly string[];
  readonly moves: Moves;
  readonly dragged: RecordData | null;
  readonly onDrag: (record: RecordData | null) => void;
  readonly onStep: (record: RecordData, by: number) => void;
  readonly onOpen: (record: RecordData) => void;
}

/** The records with one value. What is dragged over it says whether it may be dropped. */
export function BoardColumn(props: BoardColumnProps) {
  const { model, field, value, values, group, figure, records, moves, dragged, onDrag } = props;
  const [isOver, setOver] = useState(false);
  const { Cell } = FIELD_KINDS[field.type];
  const move = dragged && (dragged[field.code] ?? null) !== value ? moves.find(dragged, value) : null;
  const isFree = move !== null && !('reason' in move);
  const name = value === null ? t('Without') : (field.labels?.[value] ?? value);
  const count = group?.count ?? 0;
  const measured = figure && findField(model, figure.code);
  const figureLabel = figure && measured && `${fieldName(measured)} · ${t(FIGURE_NAMES[figure.kind])}`;
  return (
    <section
      className={styles.column}
      aria-label={name}
      data-over={(isOver && isFree) || undefined}
      data-closed={(move !== null && !isFree) || undefined}
      onDragOver={(event) => {
        if (!isFree) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        if (dragged) moves.go(dragged, value);
        onDrag(null);
      }}
    >
      <h2 className={styles.head}>
        <span className={styles.name}>
          {value === null ? name : <Cell field={field} value={value} record={{ pid: '', version: 0 }} />}
        </span>
        <span className={styles.count}>{formatNumber(count)}</span>
        {figure && group && (
          <span className={styles.figure}>
            <span className={styles.name}>{figureLabel}</span>
            {formatFigure(group.figures[figureName(figure.code)], figure.kind)}
          </span>
        )}
      </h2>
      {move !== null && 'reason' in move && <p className={styles.closed}>{move.reason}</p>}
      <ul className={styles.cards}>
        {records.map((record) => (
          <li key={record.pid}>
            <BoardCard {...props} record={record} targets={values.filter((one) => one !== value)} />
          </li>
        ))}
      </ul>
      {count > records.length && (
        <p className={styles.more}>{t('and {count} more', { count: formatNumber(count - records.length) })}</p>
      )}
    </section>
  );
}
