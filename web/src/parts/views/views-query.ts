import { queryOptions } from '@tanstack/react-query';
import type { Api } from '../../app/api.d.ts';
import type { View } from '../../app/application.ts';
import { ask } from '../../app/ask.ts';
import type { PageSearch } from '../records/page-search.ts';
import { parsePageSearch } from '../records/page-search.ts';
import { parseSort, writeSort } from '../grid/sort-order.ts';
import { parsePairs, writePairs } from '../records/pairs.ts';

/** The views of a page that the caller may use. */
export function viewsQuery(pageKey: string) {
  return queryOptions({
    queryKey: ['views', pageKey],
    queryFn: ({ signal }) => ask('GET /api/views', { query: { pageKey }, signal }),
  });
}

/**
 * A view as an address: its conditions are written out, so that a copied link shows the same to those who do
 * not have the view.
 */
export function searchOfView({ pid, conditions, sortFields, columns, display }: View): PageSearch {
  const { shape, groupBy, measure, figures = [], widths = [], pinned, rows } = display;
  return parsePageSearch({
    view: pid,
    f: conditions,
    sort: writeSort(sortFields),
    cols: columns,
    shape,
    group: groupBy && [groupBy.fieldName, groupBy.part].filter(Boolean).join(':'),
    measure: measure && `${measure.fn}:${measure.fieldName}`,
    figures: writePairs(new Map(figures.map(({ fieldName, fn }) => [fieldName, fn]))),
    widths: writePairs(new Map(widths.map(({ fieldName, pixels }) => [fieldName, pixels]))),
    pin: pinned,
    rows,
  });
}

type Parts = Required<Pick<Api['POST /api/views']['body'], 'conditions' | 'sortFields' | 'columns' | 'display'>>;
type Display = NonNullable<Parts['display']>;

/** What of an address a view keeps. */
export function viewPartsOf(search: PageSearch): Parts {
  const { f = [], sort, cols = [], pin, rows, shape, group, measure, figures, widths } = search;
  const [groupField, part] = (group ?? '').split(':');
  const [fn, measured] = (measure ?? '').split(':');
  const display = {
    ...(shape !== undefined && { shape }),
    ...(groupField && { groupBy: { fieldName: groupField, ...(part !== undefined && { part }) } }),
    ...(measured !== undefined && { measure: { fn, fieldName: measured } }),
    ...(figures !== undefined && {
      figures: [...parsePairs(figures)].map(([fieldName, kind]) => ({ fieldName, fn: kind })),
    }),
    ...(widths !== undefined && {
      widths: [...parsePairs(widths)].map(([fieldName, pixels]) => ({ fieldName, pixels: Number(pixels) })),
    }),
    ...(pin && { pinned: [...pin] }),
    ...(rows && { rows }),
  };
  return {
    conditions: [...f],
    sortFields: parseSort(sort).map(({ fieldName, order = 'asc' }) => ({ fieldName, order })),
    columns: [...cols],
    // What anyone may have written into the address is judged by the service.
    display: display as Display,
  };
}
