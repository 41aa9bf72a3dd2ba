import type { KeyboardEvent } from 'react';
import { nameField, type Model, type RecordData } from '../../app/application.ts';
import { formatDate } from '../../app/format.ts';
import { formatLocale } from '../../app/preferences.ts';
import { plural } from '../../app/texts.ts';
import { textOf } from '../fields/field-kind.ts';
import { today, type DayRecords } from './calendar-days.ts';
import styles from './Calendar.module.css';
import { useKeptFocus } from './use-kept-focus.ts';
import type { Moves } from './use-moves.ts';

interface MonthTableProps {
  readonly model: Model;
  /** `2026-01`. */
  readonly month: string;
  readonly weeks: readonly (readonly DayRecords[])[];
  readonly moves: Moves;
  readonly dragged: RecordData | null;
  readonly onDrag: (record: RecordData | null) => void;
  readonly onMove: (record: RecordData, day: string) => void;
  /** Moves a record by so many days. */
  readonly onStep: (record: RecordData, days: number) => void;
  readonly onDay: (day: string) => void;
  readonly onOpen: (record: RecordData) => void;
}

/** Records that a day shows; the others are behind their number. */
const SHOWN = 3;
const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };
const weekdays = new Intl.DateTimeFormat(formatLocale, { weekday: 'short', timeZone: 'UTC' });

/** A month as a table of its weeks. */
export function MonthTable(props: MonthTableProps) {
  const { month, weeks, dragged, onDrag, onMove, onDay, onStep } = props;
  const { area, keep } = useKeptFocus();
  const step = (record: RecordData, days: number) => {
    keep(record.pid);
    onStep(record, days);
  };
  const [firstWeek = []] = weeks;
  return (
    <div ref={area} className={styles.area}>
      <table className={styles.table}>
        <thead>
          <tr>
            {firstWeek.map(({ day }) => (
              <th key={day} scope="col">
                {weekdays.format(new Date(`${day}T00:00:00Z`))}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((week) => (
            <tr key={week[0]?.day}>
              {week.map(({ day, count, records }) => (
                <td
                  key={day}
                  data-day={day}
                  data-outside={day.slice(0, 7) !== month || undefined}
                  data-today={day === today() || undefined}
                  onDragOver={(event) => dragged && event.preventDefault()}
                  onDrop={(event) => {
                    event.preventDefault();
                    if (dragged) onMove(dragged, day);
                    onDrag(null);
                  }}
                >
                  <time className={styles.number} dateTime={day} title={formatDate(day)}>
                    {Number(day.slice(8))}
                  </time>
                  <ul>
                    {records.slice(0, SHOWN).map((record) => (
                      <li key={record.pid}>
                        <Entry {...props} record={record} onStep={step} />
                      </li>
                    ))}
                  </ul>
                  {count > SHOWN && (
                    <button type="button" className={styles.more} onClick={() => onDay(day)}>
                      {plural(count - SHOWN, '{count} more', '{count} more')}
                    </button>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Entry({ model, record, moves, onDrag, onStep, onOpen }: MonthTableProps & { readonly record: RecordData }) {
  const isMoving = moves.goalOf(record.pid) !== undefined;
  const problem = moves.problemOf(record.pid);
  const name = textOf(record[nameField(model)]) || record.pid;
  return (
    <>
      <button
        type="button"
        className={styles.entry}
        title={name}
        data-card={record.pid}
        draggable={!isMoving}
        aria-busy={isMoving || undefined}
        onClick={() => onOpen(record)}
        onDragStart={(event) => {
          event.dataTransfer.effectAllowed = 'move';
          event.dataTransfer.setData('text/plain', name);
          onDrag(record);
        }}
        onDragEnd={() => onDrag(null)}
        onKeyDown={(event: KeyboardEvent) => {
          const days = STEPS[event.key];
          if (!event.shiftKey || days === undefined) return;
          event.preventDefault();
          onStep(record, days);
        }}
      >
        {name}
      </button>
      {problem !== undefined && (
        <p role="alert" className={styles.problem}>
          {problem}
        </p>
      )}
    </>
  );
}
