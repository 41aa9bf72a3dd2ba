import { useQueries, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Field, RecordData } from '../../app/application.ts';
import { formatMonth } from '../../app/format.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { PHONE, useMedia } from '../../ui/use-media.ts';
import { FailedRead } from '../notices/FailedRead.tsx';
import { conditionsOfGroup, groupsQuery, type Grouping } from '../records/grouping.ts';
import { blockQuery } from '../records/record-list.ts';
import { Agenda } from './Agenda.tsx';
import { addDays, addMonths, dayOf, isDayText, onDay, today, weeksOf, type DayRecords } from './calendar-days.ts';
import styles from './Calendar.module.css';
import { MonthTable } from './MonthTable.tsx';
import type { ShapeProps } from './shape.ts';
import { chosenField, dayFields } from './shape-fields.ts';
import { ShapeTools } from './ShapeTools.tsx';
import { useMoves } from './use-moves.ts';

/** Blocks of records that a month reads; the days say how many more there are. */
const BLOCKS = 3;

/** A month with the records of its days: one that is moved to another day is changed by a command. */
export default function Calendar(props: ShapeProps) {
  const { model, search, onChange } = props;
  const fields = dayFields(model);
  const field = chosenField(fields, search.group);
  if (!field) return null;
  const day = isDayText(search.at) ? search.at : today();
  const go = (at: string) => onChange({ at });
  return (
    <div className={styles.calendar}>
      <ShapeTools label={t('Days by')} fields={fields} field={field} onField={(group) => onChange({ group })}>
        <div className={styles.month}>
          <Button look="plain" label={t('The month before')} onClick={() => go(addMonths(day, -1))}>
            <Icon name="back" />
          </Button>
          <h2>{formatMonth(day)}</h2>
          <Button look="plain" label={t('The month after')} onClick={() => go(addMonths(day, 1))}>
            <Icon name="right" />
          </Button>
          <Button onClick={() => onChange({ at: undefined })}>{t('Today')}</Button>
        </div>
      </ShapeTools>
      <Month key={field.code} {...props} field={field} day={day} />
    </div>
  );
}

function Month({ field, day, ...props }: ShapeProps & { readonly field: Field; readonly day: string }) {
  const { application, model, request, onChange, onOpen } = props;
  const isPhone = useMedia(PHONE);
  const weeks = weeksOf(day);
  const days = weeks.flat();
  const [first = day, last = day] = [days[0], days.at(-1)];
  const grouping: Grouping = { field, part: 'day' };
  const [from] = conditionsOfGroup(grouping, first);
  const [, to] = conditionsOfGroup(grouping, last);
  const conditions = [...request.conditions, ...(from && to ? [from, to] : [])];
  const ofMonth = {
    ...request,
    fields: [...new Set([...request.fields, field.code])],
    conditions,
    sortFields: [{ fieldName: field.code, order: 'asc' as const }],
  };
  const counts = useQuery(groupsQuery(application, ofMonth, grouping, []));
  const total = (counts.data?.groups ?? []).reduce((sum, { count }) => sum + count, 0);
  const blocks = Math.min(BLOCKS, Math.max(1, Math.ceil(total / 100)));
  const lists = useQueries({
    queries: Array.from({ length: blocks }, (_, block) => blockQuery(ofMonth, block, false)),
  });
  const moves = useMoves(props, field);
  const [dragged, setDragged] = useState<RecordData | null>(null);
  const error = counts.error ?? lists.find((list) => list.error)?.error;
  if (error) {
    return <FailedRead error={error} onRetry={() => [counts, ...lists].forEach((query) => void query.refetch())} />;
  }
  const all = lists.flatMap((list) => list.data?.records ?? []);
  const of = (wanted: string): DayRecords => ({
    day: wanted,
    count: counts.data?.groups.find(({ value }) => value === wanted)?.count ?? 0,
    records: all.filter((record) => {
      const goal = moves.goalOf(record.pid);
      return dayOf(goal ? goal.value : record[field.code]) === wanted;
    }),
  });
  const showDay = (wanted: string) =>
    onChange({
      shape: undefined,
      group: undefined,
      at: undefined,
      f: [...request.conditions, ...conditionsOfGroup(grouping, wanted)],
    });
  const move = (record: RecordData, wanted: string) => moves.go(record, onDay(record[field.code], wanted));
  if (isPhone) {
    const ownDays = days.filter((one) => one.slice(0, 7) === day.slice(0, 7));
    return <Agenda model={model} days={ownDays.map(of)} onOpen={onOpen} onDay={showDay} />;
  }
  return (
    <MonthTable
      model={model}
      month={day.slice(0, 7)}
      weeks={weeks.map((week) => week.map(of))}
      moves={moves}
      dragged={dragged}
      onDrag={setDragged}
      onMove={move}
      onStep={(record, by) => move(record, addDays(dayOf(record[field.code]), by))}
      onDay={showDay}
      onOpen={onOpen}
    />
  );
}
