import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { nameField, type Application, type Model, type Page, type RecordData } from '../../app/application.ts';
import { client } from '../../app/client.ts';
import { columnsOf, type GridColumn } from '../../parts/grid/grid-column.ts';
import { parseSort } from '../../parts/grid/sort-order.ts';
import { MAX_SELECTED, useSelection } from '../../parts/grid/use-selection.ts';
import { figuresOf, totalsQuery } from '../../parts/records/figures.ts';
import { parseGrouping } from '../../parts/records/grouping.ts';
import type { PageSearch } from '../../parts/records/page-search.ts';
import type { ListRequest } from '../../parts/records/record-list.ts';
import { useRecords, type Records } from '../../parts/records/use-records.ts';
import { findShape } from '../../parts/shapes/shapes.ts';
import { useSections } from '../../parts/records/use-sections.ts';

/** Paths that one list may expand. */
const MAX_EXPANSIONS = 5;

/** What a page shows: its columns, its records around what is to be seen, their figures, the selection. */
export function useList(application: Application, page: Page, model: Model, search: PageSearch) {
  const [range, setRange] = useState({ first: 0, last: 0 });
  const columns = useMemo(() => columnsOf(page, model, search), [page, model, search]);
  const request = requestOf(page, model, columns, search);
  // Other shapes put records together by themselves.
  const grouping = useMemo(
    () => (findShape(search.shape, model) ? null : parseGrouping(model, search.group)),
    [model, search.shape, search.group],
  );
  const fields = useMemo(() => columns.map(({ field }) => field), [columns]);
  const figures = useMemo(() => figuresOf(fields, search.figures), [fields, search.figures]);
  const groups = useSections(application, request, grouping, figures);
  const read = useRecords(request, range, groups.sections);
  const { data: totals } = useQuery(totalsQuery(request, figures));
  const error = groups.error ?? read.error;
  const records: Records = groups.isReading ? { ...read, ...UNKNOWN, error } : { ...read, error };
  const selection = useSelection({ at: records.at, readAll: () => readAll(request, model) });
  return { columns, request, records, groups, figures, totals, selection, setRange };
}

const UNKNOWN = { total: null, rows: null, at: () => undefined, headAt: () => undefined } as const;

async function readAll(request: ListRequest, model: Model): Promise<RecordData[]> {
  const { pageKey, conditions, keyword, sortFields } = request;
  const found: RecordData[] = [];
  const all = client.page(pageKey).all({
    fields: [nameField(model), 'version'],
    ...(conditions.length > 0 && { filters: conditions }),
    ...(keyword !== '' && { keyword }),
    ...(sortFields.length > 0 && { sortFields }),
  });
  for await (const record of all) {
    if (found.push(record as RecordData) === MAX_SELECTED) break;
  }
  return found;
}

function requestOf(page: Page, model: Model, columns: readonly GridColumn[], search: PageSearch): ListRequest {
  const related = columns.filter(({ field }) => field.target !== undefined || field.type === 'user');
  return {
    pageKey: page.pageKey,
    fields: [...new Set([nameField(model), ...columns.map(({ code }) => code)])],
    expand: related.slice(0, MAX_EXPANSIONS).map(({ code }) => code),
    conditions: search.f ?? [],
    keyword: search.q ?? '',
    sortFields: parseSort(search.sort),
  };
}
