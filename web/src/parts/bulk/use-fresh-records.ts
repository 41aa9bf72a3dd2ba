import { useQuery } from '@tanstack/react-query';
import { nameField, type Model, type Page, type RecordData } from '../../app/application.ts';
import { recordsKey } from '../records/record-list.ts';
import { freshRecords } from './fresh-records.ts';

const NONE: readonly RecordData[] = [];

/** Selected records as they are now: they may have changed since. */
export function useFreshRecords(page: Page, model: Model, records: readonly RecordData[], isWanted: boolean) {
  const pids = records.map(({ pid }) => pid);
  const { data, isPending, error, refetch } = useQuery({
    queryKey: [...recordsKey(page.pageKey), 'preview', 'records', pids],
    queryFn: () => freshRecords(page.pageKey, pids, [nameField(model)]),
    enabled: isWanted,
    gcTime: 0,
    staleTime: Infinity,
  });
  return { fresh: data ?? NONE, isReading: isPending, error, retry: () => void refetch() };
}
