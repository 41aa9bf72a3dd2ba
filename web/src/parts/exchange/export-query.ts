import { findField, type Model, type Page } from '../../app/application.ts';
import { parseSort } from '../grid/sort-order.ts';
import type { PageSearch } from '../records/page-search.ts';

export type ExportFormat = 'csv' | 'xlsx' | 'ndjson';

/** What of a page is seen, as an export asks for it: the same records, in the same order and columns. */
export function exportQuery(page: Page, model: Model, search: PageSearch, format: ExportFormat): object {
  const { q, f, sort, cols } = search;
  const sortFields = parseSort(sort);
  // An old link may name a field that is no more.
  const chosen = cols?.filter((code) => findField(model, code));
  return {
    format,
    fields: chosen ?? page.columns.map(({ fieldName }) => fieldName),
    ...(f && { filters: JSON.stringify(f) }),
    ...(q !== undefined && { keyword: q }),
    ...(sortFields.length > 0 && { sortFields: JSON.stringify(sortFields) }),
    // What people open reads as the console does; what programs read has codes.
    ...(format !== 'ndjson' && { header: 'labels' }),
    ...(format === 'csv' && { bom: 'true' }),
  };
}
