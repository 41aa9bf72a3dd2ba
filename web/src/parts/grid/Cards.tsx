import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import type { RecordData } from '../../app/application.ts';
import { formatNumber } from '../../app/format.ts';
import { t } from '../../app/texts.ts';
import { Icon } from '../../ui/Icon.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { textOf } from '../fields/field-kind.ts';
import { FIELD_KINDS } from '../fields/field-kinds.ts';
import type { GroupHead } from '../records/sections.ts';
import type { Records, RowRange } from '../records/use-records.ts';
import styles from './Cards.module.css';
import type { GridColumn } from './grid-column.ts';
import type { Selection } from './use-selection.ts';

const CARD_HEIGHT = 60;
const MARGIN_CARDS = 8;
const SKELETON_CARDS = 8;
/** Facts below a title. */
const FACTS = 3;

interface CardsProps {
  readonly label: string;
  readonly columns: readonly GridColumn[];
  readonly records: Records;
  readonly selection: Selection;
  readonly onRange: (range: RowRange) => void;
  readonly onOpen: (record: RecordData) => void;
  readonly onToggleGroup: (key: string) => void;
}

/** Records on a phone: two lines each, with a box to select them by. */
export function Cards({ label, columns, records, selection, onRange, onOpen, onToggleGroup }: CardsProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const count = records.rows ?? SKELETON_CARDS;
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => CARD_HEIGHT,
    overscan: MARGIN_CARDS,
  });
  const items = virtual.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => onRange({ first, last }), [first, last, onRange]);
  return (
    <div ref={scroller} className={styles.cards}>
      <ul className={styles.list} style={{ height: virtual.getTotalSize() }} aria-label={label}>
        {items.map(({ index, start }) => {
          const record = records.at(index);
          const head = records.headAt(index);
          return (
            <li
              key={index}
              className={styles.item}
              style={{ transform: `translateY(${start}px)` }}
              aria-setsize={count}
              aria-posinset={index + 1}
            >
              {head ? (
                <GroupCard head={head} onToggle={onToggleGroup} />
              ) : (
                <Card
                  columns={columns}
                  record={record}
                  isSelected={record !== undefined && selection.has(record.pid)}
                  onOpen={onOpen}
                  onSelect={(chosen) => selection.toggle(chosen, index)}
                />
              )}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function GroupCard({ head, onToggle }: { readonly head: GroupHead; readonly onToggle: (key: string) => void }) {
  const { key, name, group, isOpen } = head;
  return (
    <button type="button" className={styles.group} aria-expanded={isOpen} onClick={() => onToggle(key)}>
      <Icon name={isOpen ? 'down' : 'right'} />
      <strong>{name}</strong>
      <span>{formatNumber(group.count)}</span>
    </button>
  );
}

interface CardProps {
  readonly columns: readonly GridColumn[];
  readonly record: RecordData | undefined;
  readonly isSelected: boolean;
  readonly onOpen: (record: RecordData) => void;
  readonly onSelect: (record: RecordData) => void;
}

function Card({ columns: [title, ...others], record, isSelected, onOpen, onSelect }: CardProps) {
  if (!record || !title) {
    return (
      <div className={styles.card}>
        <Skeleton width={50} />
        <Skeleton width={70} />
      </div>
    );
  }
  const facts = others.filter(({ code }) => textOf(record[code]) !== '').slice(0, FACTS);
  return (
    <>
      <label className={styles.check}>
        <input type="checkbox" checked={isSelected} onChange={() => onSelect(record)} />
        <span className="visually-hidden">{`${t('Select')} ${textOf(record[title.code])}`}</span>
      </label>
      <button type="button" className={styles.card} data-pid={record.pid} onClick={() => onOpen(record)}>
        <span className={styles.title}>
          <Cell column={title} record={record} />
        </span>
        <span className={styles.facts}>
          {facts.map((column) => (
            <span key={column.code} data-whole={FIELD_KINDS[column.field.type].needsName}>
              {FIELD_KINDS[column.field.type].needsName === true && `${column.label} `}
              <Cell column={column} record={record} />
            </span>
          ))}
        </span>
      </button>
    </>
  );
}

function Cell({ column: { code, field }, record }: { readonly column: GridColumn; readonly record: RecordData }) {
  const { Cell: OfKind } = FIELD_KINDS[field.type];
  return <OfKind field={field} value={record[code]} record={record} />;
}
