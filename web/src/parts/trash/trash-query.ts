import { infiniteQueryOptions } from '@tanstack/react-query';
import { ask } from '../../app/ask.ts';
import { recordsKey } from '../records/record-list.ts';

const PAGE_SIZE = 50;

/** Deleted records of a page, the last one first. */
export function trashQuery(pageKey: string, keyword: string) {
  return infiniteQueryOptions({
    queryKey: [...recordsKey(pageKey), 'trash', keyword],
    initialPageParam: 1,
    queryFn: ({ pageParam: pageNum, signal }) =>
      ask('GET /api/dynamic/{pageKey}/trash', {
        params: { pageKey },
        query: { pageNum, pageSize: PAGE_SIZE, ...(keyword !== '' && { keyword }) },
        signal,
      }),
    getNextPageParam: ({ pageNum, total }) => (pageNum * PAGE_SIZE < total ? pageNum + 1 : undefined),
  });
}
