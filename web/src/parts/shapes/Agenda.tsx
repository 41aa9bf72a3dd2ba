import { nameField, type Model, type RecordData } from '../../app/application.ts';
import { formatDate } from '../../app/format.ts';
import { plural, t } from '../../app/texts.ts';
import { Blank } from '../../ui/Blank.tsx';
import { textOf } from '../fields/field-kind.ts';
import type { DayRecords } from './calendar-days.ts';
import styles from './Calendar.module.css';

interface AgendaProps {
  readonly model: Model;
  readonly days: readonly DayRecords[];
  readonly onOpen: (record: RecordData) => void;
  readonly onDay: (day: string) => void;
}

/** A month on a phone: the days that have records. */
export function Agenda({ model, days, onOpen, onDay }: AgendaProps) {
  const full = days.filter(({ records, count }) => records.length + count > 0);
  if (full.length === 0) return <Blank title={t('Nothing in this month')} />;
  return (
    <ul className={styles.agenda}>
      {full.map(({ day, records, count }) => (
        <li key={day}>
          <h3>{formatDate(day)}</h3>
          {records.map((record) => (
            <button key={record.pid} type="button" className={styles.line} onClick={() => onOpen(record)}>
              {textOf(record[nameField(model)]) || record.pid}
            </button>
          ))}
          {count > records.length && (
            <button type="button" className={styles.more} onClick={() => onDay(day)}>
              {plural(count - records.length, '{count} more', '{count} more')}
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}
