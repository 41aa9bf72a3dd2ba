import { queryOptions } from '@tanstack/react-query';
import { ask } from '../../app/ask.ts';
import { client } from '../../app/client.ts';
import type { ImportFormat } from './import-search.ts';
import { parseCsv } from './parse-csv.ts';

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

/** What is wrong with a row. */
export interface RowProblem {
  readonly row: number;
  /** Empty: the row as a whole. */
  readonly column: string;
  readonly message: string;
}

/** Problems that are shown; all of them are in the file. */
const SHOWN = 200;
/** Larger files are not read again to show their rows. */
const LARGEST_SHOWN = 5 * 1024 * 1024;

/** What an import has found wrong, from its error file. */
export function problemsQuery(errorFilePid: string) {
  return queryOptions({
    queryKey: ['import-problems', errorFilePid],
    queryFn: async ({ signal }): Promise<readonly RowProblem[]> => {
      const text = await textOfFile(errorFilePid, signal);
      return parseCsv(text, ',')
        .slice(1, SHOWN + 1)
        .flatMap(([row = '', column = '', , message = '']) =>
          row === '' ? [] : [{ row: Number(row), column, message }],
        );
    },
    staleTime: Infinity,
  });
}

/** The lines of a CSV file, to show what is wrong where it stands; null where it is too large. */
export function linesQuery(filePid: string) {
  return queryOptions({
    queryKey: ['import-lines', filePid],
    queryFn: async ({ signal }): Promise<readonly (readonly string[])[] | null> => {
      const { size } = await ask('GET /api/files/{pid}/info', { params: { pid: filePid }, signal });
      return Number(size) > LARGEST_SHOWN ? null : parseCsv(await textOfFile(filePid, signal));
    },
    staleTime: Infinity,
  });
}

async function textOfFile(pid: string, signal: AbortSignal): Promise<string> {
  return (await client.send('GET', `/api/files/${pid}`, { signal })).text();
}
