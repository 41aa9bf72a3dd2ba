import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { isSystemField, type Field } from '../../app/application.ts';
import { fieldName } from '../../app/field-names.ts';
import { t, type TextKey } from '../../app/texts.ts';
import { Blank } from '../../ui/Blank.tsx';
import { Select } from '../../ui/Select.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { FailedRead } from '../notices/FailedRead.tsx';
import { FIGURE_KINDS, FIGURE_NAMES, figureName, formatFigure, isMeasurable, type Figure } from '../records/figures.ts';
import { groupName } from '../records/group-name.ts';
import {
  conditionsOfGroup,
  DATE_PARTS,
  groupableFields,
  groupsQuery,
  isDay,
  parseGrouping,
  writeGrouping,
  type DatePart,
  type Group,
  type Grouping,
} from '../records/grouping.ts';
import styles from './Chart.module.css';
import { Plot } from './Plot.tsx';
import type { ShapeProps } from './shape.ts';
import { ShapeTools } from './ShapeTools.tsx';

const PART_NAMES: Readonly<Record<DatePart, TextKey>> = {
  year: 'by year',
  quarter: 'by quarter',
  month: 'by month',
  week: 'by week',
  day: 'by day',
};
/** Bars beyond these are too thin to be told apart; the table has all. */
const MAX_DRAWN = 60;
const COUNT = 'count';

/** A figure of each group: bars, or a line over time; the same as a table. */
export default function Chart(props: ShapeProps) {
  const { application, model, search, request, onChange } = props;
  const fields = groupableFields(model);
  const usual =
    fields.find(({ type }) => type === 'enum') ?? fields.find(({ code }) => !isSystemField(code)) ?? fields[0];
  const chosen = search.group ?? usual?.code;
  const grouping = useMemo(
    () => parseGrouping(model, chosen) ?? parseGrouping(model, usual?.code),
    [model, chosen, usual],
  );
  const measurable = useMemo(
    () => model.fields.filter((field) => isMeasurable(field) && !isSystemField(field.code)),
    [model],
  );
  const figure = useMemo(() => parseMeasure(search.measure, measurable), [search.measure, measurable]);
  const { data, error, refetch } = useQuery(groupsQuery(application, request, grouping, figure ? [figure] : []));
  const drawn = useMemo(() => drawnOf(data?.groups ?? [], grouping, figure), [data, grouping, figure]);
  if (!grouping) return null;
  const groups = data?.groups ?? [];
  const title = figure
    ? t('{kind} of {field}', {
        kind: t(FIGURE_NAMES[figure.kind]),
        field: fieldName(
          measurable.find(({ code }) => code === figure.code) ?? { code: figure.code, name: figure.code },
        ),
      })
    : t('Number of records');
  const showGroup = ({ value }: Group) =>
    onChange({
      shape: undefined,
      group: undefined,
      measure: undefined,
      f: [...request.conditions, ...conditionsOfGroup(grouping, value)],
    });
  return (
    <div className={styles.chart}>
      <ShapeTools
        label={t('Groups by')}
        fields={fields}
        field={grouping.field}
        onField={(group) => onChange({ group })}
      >
        {grouping.part && (
          <Select
            aria-label={t('Part of the date')}
            className={styles.part}
            value={grouping.part}
            options={DATE_PARTS.map((part) => [part, t(PART_NAMES[part])] as const)}
            onChoose={(part) => onChange({ group: writeGrouping({ ...grouping, part: part as DatePart }) })}
          />
        )}
        <MeasureChoice fields={measurable} figure={figure} onChange={(measure) => onChange({ measure })} />
      </ShapeTools>
      {error ? (
        <FailedRead error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton width={60} />
      ) : groups.length === 0 ? (
        <Blank title={t('Nothing is found')} />
      ) : (
        <div className={styles.content}>
          <figure className={styles.figure} aria-label={title}>
            <figcaption>{title}</figcaption>
            <Plot
              names={drawn.names}
              values={drawn.values}
              isLine={isDay(grouping.field)}
              onChoose={(index) => {
                const group = groups[index];
                if (group) showGroup(group);
              }}
            />
          </figure>
          <GroupTable
            grouping={grouping}
            groups={groups}
            title={title}
            show={(group) => formatFigure(valueOf(group, figure), figure?.kind ?? COUNT)}
            onChoose={showGroup}
          />
        </div>
      )}
    </div>
  );
}

interface MeasureChoiceProps {
  readonly fields: readonly Field[];
  readonly figure: Figure | null;
  readonly onChange: (measure: string | undefined) => void;
}

function MeasureChoice({ fields, figure, onChange }: MeasureChoiceProps) {
  const options = fields.flatMap((field) =>
    FIGURE_KINDS.map(
      (kind) =>
        [
          `${kind}:${field.code}`,
          t('{kind} of {field}', { kind: t(FIGURE_NAMES[kind]), field: fieldName(field) }),
        ] as const,
    ),
  );
  return (
    <Select
      aria-label={t('What is measured')}
      value={figure ? `${figure.kind}:${figure.code}` : COUNT}
      options={[[COUNT, t('Number of records')], ...options]}
      onChoose={(measure) => onChange(measure === COUNT ? undefined : measure)}
    />
  );
}

interface GroupTableProps {
  readonly grouping: Grouping;
  readonly groups: readonly Group[];
  readonly title: string;
  readonly show: (group: Group) => string;
  readonly onChoose: (group: Group) => void;
}

/** For those who do not see the chart, and for exact figures. A row leads to its records. */
function GroupTable({ grouping, groups, title, show, onChoose }: GroupTableProps) {
  return (
    <div className={styles.rows}>
      <table>
        <thead>
          <tr>
            <th scope="col">{fieldName(grouping.field)}</th>
            <th scope="col">{title}</th>
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => (
            <tr key={String(group.value)}>
              <th scope="row">
                <button type="button" onClick={() => onChoose(group)}>
                  {groupName(grouping, group)}
                </button>
              </th>
              <td>{show(group)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function valueOf({ count, figures }: Group, figure: Figure | null): unknown {
  return figure ? figures[figureName(figure.code)] : count;
}

function drawnOf(groups: readonly Group[], grouping: Grouping | null, figure: Figure | null) {
  const shown = grouping ? groups.slice(0, MAX_DRAWN) : [];
  return {
    names: shown.map((group) => (grouping ? groupName(grouping, group) : '')),
    values: shown.map((group) => Number(valueOf(group, figure) ?? 0)),
  };
}

/** Reads `sum:amount`; null: records are counted. */
function parseMeasure(text: string | undefined, fields: readonly Field[]): Figure | null {
  const [wanted, code = ''] = (text ?? '').split(':');
  const kind = FIGURE_KINDS.find((one) => one === wanted);
  return kind && fields.some((field) => field.code === code) ? { code, kind } : null;
}
