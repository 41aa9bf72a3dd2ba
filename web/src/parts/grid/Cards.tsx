import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import type { RecordData } from '../../app/application.ts';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { textOf } from '../fields/field-kind.ts';
import { FIELD_KINDS } from '../fields/field-kinds.ts';
import type { Records, RowRange } from '../records/use-records.ts';
import styles from './Cards.module.css';
import type { GridColumn } from './grid-column.ts';

const CARD_HEIGHT = 60;
const MARGIN_CARDS = 8;
const SKELETON_CARDS = 8;
/** Facts below a title. */
const FACTS = 3;

interface CardsProps {
  readonly label: string;
  readonly columns: readonly GridColumn[];
  readonly records: Records;
  readonly onRange: (range: RowRange) => void;
  readonly onOpen: (record: RecordData) => void;
}

/** Records on a phone: two lines each. */
export function Cards({ label, columns, records, onRange, onOpen }: CardsProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const count = records.total ?? SKELETON_CARDS;
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
  const [title, ...others] = columns;
  return (
    <div ref={scroller} className={styles.cards}>
      <ul className={styles.list} style={{ height: virtual.getTotalSize() }} aria-label={label}>
        {items.map(({ index, start }) => {
          const record = records.at(index);
          const facts = others.filter(({ code }) => textOf(record?.[code]) !== '').slice(0, FACTS);
          return (
            <li key={index} aria-setsize={count} aria-posinset={index + 1}>
              <button
                type="button"
                className={styles.card}
                style={{ transform: `translateY(${start}px)` }}
                disabled={!record}
                onClick={() => record && onOpen(record)}
              >
                <span className={styles.title}>
                  {record && title ? <Cell column={title} record={record} /> : <Skeleton width={50} />}
                </span>
                <span className={styles.facts}>
                  {record ? (
                    facts.map((column) => (
                      <span key={column.code}>
                        <Cell column={column} record={record} />
                      </span>
                    ))
                  ) : (
                    <Skeleton width={70} />
                  )}
                </span>
              </button>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function Cell({ column: { code, field }, record }: { readonly column: GridColumn; readonly record: RecordData }) {
  const { Cell: OfKind } = FIELD_KINDS[field.type];
  return <OfKind field={field} value={record[code]} record={record} />;
}
