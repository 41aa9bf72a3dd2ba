import { useQueries, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Field, RecordData } from '../../app/application.ts';
import { t } from '../../app/texts.ts';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { FailedRead } from '../notices/FailedRead.tsx';
import { figuresOf, type Figure } from '../records/figures.ts';
import { conditionsOfGroup, groupsQuery, type Group, type Grouping } from '../records/grouping.ts';
import { blockQuery } from '../records/record-list.ts';
import styles from './Board.module.css';
import { BoardColumn } from './BoardColumn.tsx';
import type { ShapeProps } from './shape.ts';
import { chosenField, stateFields } from './shape-fields.ts';
import { ShapeTools } from './ShapeTools.tsx';
import { useKeptFocus } from './use-kept-focus.ts';
import { useMoves } from './use-moves.ts';

/** The records of a list in a column for each value of an enum: moving one is a command. */
export default function Board(props: ShapeProps) {
  const { model, search, onChange } = props;
  const fields = stateFields(model);
  const field = chosenField(fields, search.group);
  if (!field) return null;
  return (
    <div className={styles.board}>
      <ShapeTools label={t('Columns by')} fields={fields} field={field} onField={(group) => onChange({ group })} />
      <Columns key={field.code} {...props} field={field} />
    </div>
  );
}

function Columns({ field, ...props }: ShapeProps & { readonly field: Field }) {
  const { application, page, model, request, onOpen } = props;
  const { area, keep } = useKeptFocus();
  const grouping: Grouping = { field, part: null };
  const amounts = model.fields.filter(({ code, type }) => type === 'decimal' && request.fields.includes(code));
  const figures: readonly Figure[] = figuresOf(amounts.slice(0, 1), undefined);
  const { data, error, refetch } = useQuery(groupsQuery(application, request, grouping, figures));
  const values = [...(field.values ?? []), ...(data?.groups.some(({ value }) => value === null) ? [null] : [])];
  const fieldCodes = [...new Set([...request.fields, field.code])];
  const lists = useQueries({
    queries: values.map((value) => {
      const conditions = [...request.conditions, ...conditionsOfGroup(grouping, value)];
      return blockQuery({ ...request, fields: fieldCodes, conditions }, 0, false);
    }),
  });
  const moves = useMoves(props, field);
  const [dragged, setDragged] = useState<RecordData | null>(null);
  const failed = error ?? lists.find((list) => list.error)?.error;
  if (failed) {
    const again = () => [refetch, ...lists.map((list) => list.refetch)].forEach((read) => void read());
    return <FailedRead error={failed} onRetry={again} />;
  }
  if (!data) return <Skeleton width={60} />;

  const all = newestOf(lists.flatMap((list) => list.data?.records ?? []));
  const recordsIn = (value: unknown): RecordData[] =>
    all.filter((record) => {
      const goal = moves.goalOf(record.pid);
      return (goal ? goal.value : (record[field.code] ?? null)) === value;
    });
  const groupOf = (value: unknown): Group | undefined => data.groups.find((group) => group.value === value);
  const step = (record: RecordData, by: number) => {
    const at = values.indexOf((record[field.code] ?? null) as string | null);
    const next = values[at + by];
    if (next === undefined) return;
    keep(record.pid);
    moves.go(record, next);
  };
  return (
    <div ref={area} className={styles.columns}>
      {values.map((value) => (
        <BoardColumn
          key={String(value)}
          page={page}
          model={model}
          field={field}
          value={value}
          values={values}
          group={groupOf(value)}
          figure={figures[0]}
          records={recordsIn(value)}
          columns={request.fields}
          moves={moves}
          dragged={dragged}
          onDrag={setDragged}
          onStep={step}
          onOpen={onOpen}
        />
      ))}
    </div>
  );
}

/** Each record once: while columns are read again, one that has moved may be in two of them. */
function newestOf(records: readonly RecordData[]): RecordData[] {
  const newest = new Map<string, RecordData>();
  for (const record of records) {
    if ((newest.get(record.pid)?.version ?? 0) < record.version) newest.set(record.pid, record);
  }
  return [...newest.values()];
}
