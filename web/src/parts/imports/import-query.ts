import { queryOptions } from '@tanstack/react-query';
import type { Api } from '../../app/api.d.ts';
import { ask } from '../../app/ask.ts';
import type { ImportFormat } from './import-search.ts';

export function importQuery(pid: string) {
  return queryOptions({
    queryKey: ['import', pid],
    queryFn: ({ signal }) => ask('GET /api/imports/{pid}', { params: { pid }, signal }),
  });
}

export function columnsQuery(pageKey: string, filePid: string, format: ImportFormat) {
  return queryOptions({
    queryKey: ['import-columns', pageKey, filePid, format],
    queryFn: async ({ signal }) => {
      const query = { filePid, format };
      return (await ask('GET /api/dynamic/{pageKey}/imports/columns', { params: { pageKey }, query, signal })).columns;
    },
    staleTime: Infinity,
    retry: false,
  });
}

export type RowProblem = Api['GET /api/imports/{pid}/problems']['data']['records'][number];

/** Problems that are shown; all of them are in the file. */
const SHOWN = 200;

/** What an import has found wrong, with the rows as the file has them. */
export function problemsQuery(pid: string) {
  return queryOptions({
    queryKey: ['import-problems', pid],
    queryFn: async ({ signal }): Promise<readonly RowProblem[]> =>
      (await ask('GET /api/imports/{pid}/problems', { params: { pid }, query: { pageSize: SHOWN }, signal })).records,
    staleTime: Infinity,
  });
}
