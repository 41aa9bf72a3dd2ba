import { useQueries } from '@tanstack/react-query';
import type { RecordData } from '../../app/application.ts';
import { BLOCK, blockQuery, type ListRequest } from './record-list.ts';

/** First and last index of the rows that are to be seen. */
export interface RowRange {
  readonly first: number;
  readonly last: number;
}

/** The records of a list around what is to be seen. */
export interface Records {
  /** Null until it is known. */
  readonly total: number | null;
  /** Undefined while it is read. */
  readonly at: (index: number) => RecordData | undefined;
  readonly error: Error | null;
  /** What is shown belongs to what was asked for before. */
  readonly isStale: boolean;
  readonly reload: () => void;
}

export function useRecords(request: ListRequest, { first, last }: RowRange): Records {
  const blocks = [...new Set([0, ...blocksBetween(first, last)])];
  return useQueries({
    queries: blocks.map((block) => blockQuery(request, block)),
    combine: (results) => {
      const byBlock = new Map(blocks.map((block, index) => [block, results[index]?.data?.records]));
      return {
        total: results[0]?.data?.total ?? null,
        at: (index) => byBlock.get(Math.floor(index / BLOCK))?.[index % BLOCK],
        error: results.find(({ error }) => error)?.error ?? null,
        isStale: results.some(({ isPlaceholderData }) => isPlaceholderData),
        reload: () => results.forEach((result) => void result.refetch()),
      };
    },
  });
}

function blocksBetween(first: number, last: number): number[] {
  const [from, to] = [Math.floor(first / BLOCK), Math.floor(last / BLOCK)];
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
