import type { KeyboardEvent } from 'react';
import { findField, nameField, type Field, type Model, type RecordData } from '../../app/application.ts';
import { fieldName } from '../../app/field-names.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Menu } from '../../ui/Menu.tsx';
import { MenuItem } from '../../ui/MenuItem.tsx';
import { textOf } from '../fields/field-kind.ts';
import { FIELD_KINDS } from '../fields/field-kinds.ts';
import styles from './Board.module.css';
import type { Moves } from './use-moves.ts';

interface BoardCardProps {
  readonly model: Model;
  readonly field: Field;
  readonly record: RecordData;
  readonly columns: readonly string[];
  /** The values of the other columns. */
  readonly targets: readonly (string | null)[];
  readonly moves: Moves;
  readonly onDrag: (record: RecordData | null) => void;
  readonly onStep: (record: RecordData, by: number) => void;
  readonly onOpen: (record: RecordData) => void;
}

/** Facts below the name of a record. */
const FACTS = 3;

/** A record of a board: dragged, moved by `Shift` and an arrow, or by its menu. */
export function BoardCard(props: BoardCardProps) {
  const { model, field, record, columns, targets, moves, onDrag, onStep, onOpen } = props;
  const title = nameField(model);
  const name = textOf(record[title]) || record.pid;
  const isMoving = moves.goalOf(record.pid) !== undefined;
  const problem = moves.problemOf(record.pid);
  const facts = columns
    .filter((code) => code !== title && code !== field.code && textOf(record[code]) !== '')
    .flatMap((code) => findField(model, code) ?? [])
    .slice(0, FACTS);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.shiftKey && (event.key === 'ArrowRight' || event.key === 'ArrowLeft')) {
      event.preventDefault();
      onStep(record, event.key === 'ArrowRight' ? 1 : -1);
    } else if (!event.shiftKey && event.key.startsWith('Arrow')) {
      event.preventDefault();
      focusNeighbour(event.currentTarget, event.key);
    }
  };
  return (
    <article
      className={styles.card}
      draggable={!isMoving}
      data-moving={isMoving || undefined}
      onDragStart={(event) => {
        event.dataTransfer.effectAllowed = 'move';
        event.dataTransfer.setData('text/plain', name);
        onDrag(record);
      }}
      onDragEnd={() => onDrag(null)}
    >
      <button
        type="button"
        className={styles.open}
        data-card={record.pid}
        aria-busy={isMoving || undefined}
        onClick={() => onOpen(record)}
        onKeyDown={onKeyDown}
      >
        <span className={styles.title}>{name}</span>
        {facts.map((fact) => {
          const { Cell, needsName = false } = FIELD_KINDS[fact.type];
          return (
            <span key={fact.code} className={styles.fact}>
              {needsName && <span className={styles.label}>{fieldName(fact)} </span>}
              <Cell field={fact} value={record[fact.code]} record={record} />
            </span>
          );
        })}
      </button>
      <div className={styles.menu}>
        <Menu
          align="end"
          trigger={
            <Button look="plain" label={t('Move {name}', { name })}>
              <Icon name="more" />
            </Button>
          }
        >
          {targets.map((value) => {
            const move = moves.find(record, value);
            const target = value === null ? t('Without') : (field.labels?.[value] ?? value);
            return (
              <MenuItem
                key={String(value)}
                reason={'reason' in move ? move.reason : null}
                onClick={() => moves.go(record, value)}
              >
                {t('To {target}', { target })}
              </MenuItem>
            );
          })}
        </Menu>
      </div>
      {problem !== undefined && (
        <p role="alert" className={styles.problem}>
          {problem}
        </p>
      )}
    </article>
  );
}

/** The card above, below or in the next column. */
function focusNeighbour(card: HTMLElement, key: string): void {
  const column = card.closest('section');
  const cards = (section: Element | null | undefined) => [
    ...(section?.querySelectorAll<HTMLElement>('[data-card]') ?? []),
  ];
  const own = cards(column);
  const at = own.indexOf(card);
  if (key === 'ArrowDown' || key === 'ArrowUp') return own[at + (key === 'ArrowDown' ? 1 : -1)]?.focus();
  const sideways = key === 'ArrowRight' ? 'nextElementSibling' : 'previousElementSibling';
  let next = column?.[sideways];
  while (next && cards(next).length === 0) next = next[sideways];
  const there = cards(next);
  (there[at] ?? there.at(-1))?.focus();
}
