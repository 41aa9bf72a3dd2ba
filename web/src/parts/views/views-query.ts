import { queryOptions } from '@tanstack/react-query';
import type { View } from '../../app/application.ts';
import { ask } from '../../app/ask.ts';
import type { PageSearch } from '../records/page-search.ts';
import { parsePageSearch } from '../records/page-search.ts';
import { writeSort } from '../grid/sort-order.ts';

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
export function searchOfView({ pid, conditions, sortFields, columns }: View): PageSearch {
  return parsePageSearch({ view: pid, f: conditions, sort: writeSort(sortFields), cols: columns });
}
