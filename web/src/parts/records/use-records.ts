import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { RecordData } from '../../app/application.ts';
import { BLOCK, blockQuery, type ListRequest } from './record-list.ts';
import { SectionLayout, type GroupHead, type Section } from './sections.ts';

/** First and last index of the rows that are to be seen. */
export interface RowRange {
  readonly first: number;
  readonly last: number;
}

/** The records of a list around what is to be seen. */
export interface Records {
  /** Null until it is known. */
  readonly total: number | null;
  /** Rows, heads of groups among them. */
  readonly rows: number | null;
  /** Undefined while it is read, and for the head of a group. */
  readonly at: (row: number) => RecordData | undefined;
  readonly headAt: (row: number) => GroupHead | undefined;
  readonly error: Error | null;
  /** What is shown belongs to what was asked for before. */
  readonly isStale: boolean;
  readonly reload: () => void;
}

const WHOLE = 'whole';

/** @param groups those of a grouped list; null: it has none */
export function useRecords(
  request: ListRequest,
  { first, last }: RowRange,
  groups: readonly Section[] | null,
): Records {
  const grouped = useMemo(() => groups && new SectionLayout(groups), [groups]);
  const wanted = grouped ? blocksOf(grouped, first, last) : blocksBetween(first, last);
  return useQueries({
    queries: wanted.map(({ section, block }) =>
      section
        ? blockQuery({ ...request, conditions: [...request.conditions, ...section.conditions] }, block, false)
        : blockQuery(request, block, block === 0),
    ),
    combine: (results) => {
      const read = new Map(wanted.map(({ key }, index) => [key, results[index]?.data?.records]));
      const counted = results[0]?.data?.total ?? null;
      const total = groups ? groups.reduce((sum, { count }) => sum + count, 0) : counted;
      return {
        total,
        rows: grouped ? grouped.rows : total,
        at: (row) => {
          const { section, at = row } = grouped?.find(row) ?? {};
          return at < 0 ? undefined : read.get(keyOf(section?.key ?? WHOLE, Math.floor(at / BLOCK)))?.[at % BLOCK];
        },
        headAt: (row) => {
          const found = grouped?.find(row);
          return found && found.at < 0 ? (found.section.head ?? undefined) : undefined;
        },
        error: results.find(({ error }) => error)?.error ?? null,
        isStale: results.some(({ isPlaceholderData }) => isPlaceholderData),
        reload: () => results.forEach((result) => void result.refetch()),
      };
    },
  });
}

interface WantedBlock {
  readonly key: string;
  readonly section: Section | null;
  readonly block: number;
}

function keyOf(section: string, block: number): string {
  return `${block} ${section}`;
}

/** The first one counts all records, too. */
function blocksBetween(first: number, last: number): WantedBlock[] {
  const [from, to] = [Math.floor(first / BLOCK), Math.floor(last / BLOCK)];
  const blocks = new Set([0, ...Array.from({ length: to - from + 1 }, (_, index) => from + index)]);
  return [...blocks].map((block) => ({ key: keyOf(WHOLE, block), section: null, block }));
}

function blocksOf(layout: SectionLayout, first: number, last: number): WantedBlock[] {
  const wanted = new Map<string, WantedBlock>();
  for (let row = first; row <= last; row += 1) {
    const { section, at = -1 } = layout.find(row) ?? {};
    if (!section || at < 0) continue;
    const block = Math.floor(at / BLOCK);
    wanted.set(keyOf(section.key, block), { key: keyOf(section.key, block), section, block });
  }
  return [...wanted.values()];
}
