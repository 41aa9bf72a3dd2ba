import type { Condition, RecordList, SortField } from '@keelson/client';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { RecordData } from '../../app/application.ts';
import { client } from '../../app/client.ts';

/** What is asked for of a page's records. */
export interface ListRequest {
  readonly pageKey: string;
  readonly fields: readonly string[];
  readonly expand: readonly string[];
  readonly conditions: readonly Condition[];
  readonly keyword: string;
  readonly sortFields: readonly SortField[];
}

/** Records of one request. */
export const BLOCK = 100;
/** Of conditions in an address; longer ones go in a body. */
const LONGEST_FILTER = 2_000;

/** The key of everything that is known of a page's records. */
export function recordsKey(pageKey: string) {
  return ['records', pageKey] as const;
}

/** A block of a list. @param isCounting tells how many records there are, too */
export function blockQuery(request: ListRequest, block: number, isCounting: boolean) {
  return queryOptions({
    queryKey: [...recordsKey(request.pageKey), 'list', request, block],
    queryFn: ({ signal }) => readBlock(request, block, isCounting, signal),
    placeholderData: keepPreviousData,
  });
}

function readBlock(
  request: ListRequest,
  block: number,
  isCounting: boolean,
  signal: AbortSignal,
): Promise<RecordList<RecordData>> {
  const { pageKey, conditions, keyword, fields, expand, sortFields } = request;
  const page = client.page(pageKey);
  const common = {
    fields: [...fields, 'version'],
    pageNum: block + 1,
    pageSize: BLOCK,
    count: isCounting ? ('exact' as const) : ('none' as const),
    ...(expand.length > 0 && { expand }),
    ...(keyword !== '' && { keyword }),
    ...(sortFields.length > 0 && { sortFields }),
    signal,
  };
  const isShort = JSON.stringify(conditions).length < LONGEST_FILTER;
  const found = isShort
    ? page.list({ ...common, ...(conditions.length > 0 && { filters: conditions }) })
    : page.query({ ...common, conditions });
  return found as Promise<RecordList<RecordData>>;
}
