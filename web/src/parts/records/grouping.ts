import type { Condition } from '@keelson/client';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { findModel, nameField, ownFirst, type Application, type Field, type Model } from '../../app/application.ts';
import { client } from '../../app/client.ts';
import { timeZone } from '../../app/preferences.ts';
import { momentOf } from '../../app/wall-time.ts';
import { measuresOf, type Figure } from './figures.ts';
import { recordsKey, type ListRequest } from './record-list.ts';

export const DATE_PARTS = ['year', 'quarter', 'month', 'week', 'day'] as const;
export type DatePart = (typeof DATE_PARTS)[number];

/** What records are put together by. */
export interface Grouping {
  readonly field: Field;
  /** Of a date or a moment. */
  readonly part: DatePart | null;
}

/** Records with the same value. */
export interface Group {
  /** Of the field; of a part of a date: the day on which it begins. */
  readonly value: unknown;
  /** What a related record is called. */
  readonly label: string | null;
  readonly count: number;
  /** By `figureName`. */
  readonly figures: Readonly<Record<string, unknown>>;
}

/** As many as an aggregate answers. */
const MAX_GROUPS = 1_000;
const GROUPABLE = new Set(['string', 'integer', 'boolean', 'date', 'datetime', 'enum', 'relation', 'user']);
/** No two records have the same. */
const NUMBERS_OF_RECORDS = new Set(['id', 'pid', 'version']);

export function isDay({ type }: Field): boolean {
  return type === 'date' || type === 'datetime';
}

/** Fields whose values come again. */
export function groupableFields(model: Model): Field[] {
  return ownFirst(model.fields).filter(({ code, type }) => GROUPABLE.has(type) && !NUMBERS_OF_RECORDS.has(code));
}

/** Reads `status` or `due_on:month`; null where the model has no such field. */
export function parseGrouping(model: Model, text: string | undefined): Grouping | null {
  const [code, wanted] = (text ?? '').split(':');
  const field = groupableFields(model).find((one) => one.code === code);
  if (!field) return null;
  return { field, part: isDay(field) ? (DATE_PARTS.find((part) => part === wanted) ?? 'month') : null };
}

export function writeGrouping({ field: { code }, part }: Grouping): string {
  return part === null ? code : `${code}:${part}`;
}

/** The groups of a list with their figures; those of an enum in the order of its values. */
export function groupsQuery(
  application: Application,
  request: ListRequest,
  grouping: Grouping | null,
  figures: readonly Figure[],
) {
  const { pageKey, conditions, keyword } = request;
  return queryOptions({
    queryKey: [...recordsKey(pageKey), 'groups', conditions, keyword, grouping && writeGrouping(grouping), figures],
    queryFn: async ({ signal }) => {
      const { rows, truncated } = await client.page(pageKey).aggregate({
        groupBy: grouping ? groupsBy(application, grouping) : [],
        measures: measuresOf(figures),
        conditions,
        ...(keyword !== '' && { keyword }),
        limit: MAX_GROUPS,
        signal,
      });
      const groups = rows.map(
        ({ value = null, label = null, count, ...rest }: Readonly<Record<string, unknown>>): Group => {
          return { value, label: label as string | null, count: Number(count), figures: rest };
        },
      );
      return { groups: inOrder(groups, grouping?.field.values ?? []), isCut: truncated };
    },
    placeholderData: keepPreviousData,
    enabled: grouping !== null,
  });
}

function groupsBy(application: Application, { field, part }: Grouping) {
  const { code, type, target } = field;
  const model = target === undefined ? undefined : findModel(application, target);
  return [
    { fieldName: code, as: 'value', ...(part && { part, ...(type === 'datetime' && { timeZone: timeZone() }) }) },
    ...(model ? [{ fieldName: `${code}.${nameField(model)}`, as: 'label' }] : []),
  ];
}

function inOrder(groups: readonly Group[], values: readonly string[]): readonly Group[] {
  if (values.length === 0) return groups;
  const rank = ({ value }: Group): number => (value === null ? values.length : values.indexOf(value as string));
  return groups.toSorted((one, other) => rank(one) - rank(other));
}

/** What the records of a group, and no others, have. */
export function conditionsOfGroup({ field, part }: Grouping, value: unknown): Condition[] {
  const { code: fieldName, type } = field;
  if (value === null) return [{ fieldName, operator: 'is_null' }];
  if (part === null) return [{ fieldName, operator: 'eq', value }];
  const first = value as string;
  const bound = (day: string): string => (type === 'date' ? day : momentOf(`${day}T00:00`));
  return [
    { fieldName, operator: 'gte', value: bound(first) },
    { fieldName, operator: 'lt', value: bound(nextStart(first, part)) },
  ];
}

/** The day on which the next part of a year begins. */
function nextStart(day: string, part: DatePart): string {
  const date = new Date(`${day}T00:00:00Z`);
  const months = { year: 12, quarter: 3, month: 1, week: 0, day: 0 }[part];
  const days = { year: 0, quarter: 0, month: 0, week: 7, day: 1 }[part];
  date.setUTCMonth(date.getUTCMonth() + months, date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
}
