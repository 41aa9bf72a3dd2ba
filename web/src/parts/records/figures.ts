import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Field } from '../../app/application.ts';
import { client } from '../../app/client.ts';
import { formatDecimal, formatNumber } from '../../app/format.ts';
import type { TextKey } from '../../app/texts.ts';
import { parsePairs } from './pairs.ts';
import { recordsKey, type ListRequest } from './record-list.ts';

/** How the values of a column become one. */
export const FIGURE_NAMES = {
  sum: 'Sum',
  avg: 'Average',
  min: 'Least',
  max: 'Most',
} as const satisfies Readonly<Record<string, TextKey>>;
export type FigureKind = keyof typeof FIGURE_NAMES;
export const FIGURE_KINDS = Object.keys(FIGURE_NAMES) as FigureKind[];

/** A figure of a column. */
export interface Figure {
  readonly code: string;
  readonly kind: FigureKind;
}

const NUMERIC = new Set(['integer', 'bigint', 'decimal']);

export function isMeasurable({ type }: Field): boolean {
  return NUMERIC.has(type);
}

/** The figures of columns: amounts are summed, whole numbers averaged, unless chosen otherwise. */
export function figuresOf(fields: readonly Field[], chosen: string | undefined): Figure[] {
  const choices = parsePairs(chosen);
  return fields.filter(isMeasurable).flatMap(({ code, type }) => {
    const wanted = choices.get(code) ?? { decimal: 'sum', integer: 'avg' }[type as string];
    const kind = FIGURE_KINDS.find((one) => one === wanted);
    return kind ? [{ code, kind }] : [];
  });
}

export function measuresOf(figures: readonly Figure[]) {
  return [
    { fn: 'count' as const, as: 'count' },
    ...figures.map(({ code, kind }) => ({ fn: kind, fieldName: code, as: figureName(code) })),
  ];
}

/** By which name an answer has the figure of a column. */
export function figureName(code: string): string {
  return `f_${code}`;
}

/** A figure as people read it; averages with two digits. */
export function formatFigure(value: unknown, kind: FigureKind | 'count'): string {
  if (value === null || value === undefined) return '–';
  if (kind === 'avg') return formatNumber(Math.round(Number(value) * 100) / 100);
  return typeof value === 'string' ? formatDecimal(value) : formatNumber(Number(value));
}

/** The figures of all records of a list. */
export function totalsQuery(request: ListRequest, figures: readonly Figure[]) {
  const { pageKey, conditions, keyword } = request;
  return queryOptions({
    queryKey: [...recordsKey(pageKey), 'totals', conditions, keyword, figures],
    queryFn: async ({ signal }) => {
      const body = { measures: measuresOf(figures), conditions, ...(keyword !== '' && { keyword }) };
      const { rows } = await client.page(pageKey).aggregate({ ...body, signal });
      const row: Readonly<Record<string, unknown>> = rows[0] ?? {};
      return row;
    },
    placeholderData: keepPreviousData,
    enabled: figures.length > 0,
  });
}
