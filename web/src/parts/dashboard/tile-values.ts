import type { Condition } from '@keelson/client';
import { findField, findModel, type Application, type Field } from '../../app/application.ts';
import { digitsOf, formatDate, formatMoment, formatRounded } from '../../app/format.ts';
import { formatLocale, timeZone } from '../../app/preferences.ts';
import { t } from '../../app/texts.ts';
import { momentOf } from '../../app/wall-time.ts';
import type { PageSearch } from '../records/page-search.ts';
import type { Tile, TileColumn, TileRow } from './dashboard-query.ts';

const months = new Intl.DateTimeFormat(formatLocale, { month: 'short', year: 'numeric', timeZone: 'UTC' });

/** The columns of a tile; those of its rows where it names none. */
export function columnsOf({ columns }: Tile, rows: readonly TileRow[]): readonly TileColumn[] {
  if (columns.length > 0) return columns;
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return names.map((name) => ({ name, label: name, type: null, isGroup: false }));
}

export function columnLabel({ label }: TileColumn): string {
  return label ?? t('Records');
}

/** States in the order in which they are declared, where the rows stand by their codes alone. */
export function inOwnOrder(
  rows: readonly TileRow[],
  { name }: TileColumn,
  field: Field | undefined,
): readonly TileRow[] {
  const { values } = field ?? {};
  const codes = rows.map((row) => row[name]).filter((code) => typeof code === 'string');
  const isByCode = codes.every((code, index) => index === 0 || (codes[index - 1] ?? '') < code);
  if (!values || !isByCode) return rows;
  const rank = (row: TileRow): number => {
    const code = row[name];
    return typeof code === 'string' ? values.indexOf(code) : values.length;
  };
  return [...rows].sort((one, other) => rank(one) - rank(other));
}

/** A figure as a number; null where it is none. */
export function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || value.trim() === '') return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

/** Figures below each other have as many digits after the point. */
export function columnDigits(rows: readonly TileRow[], { name }: TileColumn): number {
  return digitsOf(rows.flatMap((row) => numberOf(row[name]) ?? []));
}

/** A value of a tile as people read it. @param digits after the point, at least */
export function valueText(value: unknown, column: TileColumn, field: Field | undefined, digits = 0): string {
  if (value === null || value === undefined || value === '') return t('None');
  if (typeof value === 'boolean') return value ? t('Yes') : t('No');
  if (typeof value === 'number') return formatRounded(value, { digits });
  if (typeof value !== 'string') return JSON.stringify(value);
  if (column.part !== undefined) return partText(value, column.part);
  if (column.type === 'decimal' || column.type === 'bigint') return formatRounded(Number(value), { digits });
  if (column.type === 'date') return formatDate(value);
  if (column.type === 'datetime') return formatMoment(value);
  return field?.labels?.[value] ?? value;
}

/** `2026-01-01` is the first day of the part that it stands for. */
export function partText(start: string, part: string): string {
  if (part === 'year') return start.slice(0, 4);
  if (part === 'quarter') return `${start.slice(0, 4)} Q${Math.ceil(Number(start.slice(5, 7)) / 3)}`;
  if (part === 'month') return months.format(Date.parse(`${start}T00:00:00Z`));
  return part === 'hour' ? `${formatDate(start.slice(0, 10))} ${start.slice(11)}` : formatDate(start);
}

/** The field of the tile's model that a column shows, where it is one of its own. */
export function fieldOf(application: Application, { pageKey }: Tile, { fieldName }: TileColumn): Field | undefined {
  const page = application.pages.find((one) => one.pageKey === pageKey);
  const model = page && findModel(application, page.modelCode);
  return model && fieldName !== undefined ? findField(model, fieldName) : undefined;
}

/**
 * What of a page is behind a figure, or behind one group of it. Undefined where no address says it.
 * @param row of the group; without it, all that the tile is about
 */
export function behind(application: Application, tile: Tile, row?: TileRow): PageSearch | undefined {
  const page = application.pages.find(({ pageKey }) => pageKey === tile.pageKey);
  if (!page || page.params !== undefined) return undefined;
  const conditions = (tile.conditions ?? []) as Condition[];
  const groups = row ? tile.columns.filter(({ isGroup }) => isGroup) : [];
  const ofRow = groups.map((column) => conditionsOfGroup(column, row?.[column.name]));
  if (ofRow.includes(null)) return undefined;
  const f = [...conditions, ...ofRow.flatMap((found) => found ?? [])];
  return f.length > 0 ? { f } : {};
}

function conditionsOfGroup(
  { fieldName, part, timeZone: ofTile, type }: TileColumn,
  value: unknown,
): Condition[] | null {
  if (fieldName === undefined) return null;
  if (value === null || value === undefined) return [{ fieldName, operator: 'is_null' }];
  if (part === undefined) return [{ fieldName, operator: 'eq', value }];
  if (typeof value !== 'string') return null;
  const [start, end] = [startOf(value), nextStart(startOf(value), part)];
  const written = (start: Date): string => {
    const wallTime = start.toISOString().slice(0, type === 'date' ? 10 : 16);
    return type === 'date' ? wallTime : momentOf(wallTime, ofTile ?? timeZone());
  };
  return [
    { fieldName, operator: 'gte', value: written(start) },
    { fieldName, operator: 'lt', value: written(end) },
  ];
}

const MAX_STARTS = 400;

/** The beginnings of the parts from one to another, both included. */
export function startsBetween(first: string, last: string, part: string): string[] {
  const starts = [first];
  for (let next = first; next < last && starts.length < MAX_STARTS;) {
    next = nextStart(startOf(next), part).toISOString().slice(0, first.length);
    starts.push(next);
  }
  return starts;
}

/** `2026-01-01` and `2026-01-01T09:00`, as if they were of UTC. */
function startOf(text: string): Date {
  return new Date(`${text.slice(0, 16)}${text.length > 10 ? ':00Z' : 'T00:00:00Z'}`);
}

function nextStart(start: Date, part: string): Date {
  const next = new Date(start);
  if (part === 'hour') next.setUTCHours(next.getUTCHours() + 1);
  else if (part === 'day') next.setUTCDate(next.getUTCDate() + 1);
  else if (part === 'week') next.setUTCDate(next.getUTCDate() + 7);
  else next.setUTCMonth(next.getUTCMonth() + ({ month: 1, quarter: 3, year: 12 }[part] ?? 1));
  return next;
}
