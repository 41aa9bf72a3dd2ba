import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { HistoryEntry, RecordData } from '../../app/application.ts';
import { client } from '../../app/client.ts';
import { meQuery } from '../../app/queries.ts';
import { useLatest } from '../../ui/use-latest.ts';
import { recordsKey } from '../records/record-list.ts';

/** A version of a record that is newer than the one that is shown. */
export type NewerVersion = Pick<HistoryEntry, 'version' | 'at' | 'actor'>;

/** The newest version of a record that someone else has made since it was read. */
export function useNewerVersion(pageKey: string, pid: string, record: RecordData | undefined): NewerVersion | null {
  const cache = useQueryClient();
  const { data: me } = useQuery(meQuery);
  const [newest, setNewest] = useState<NewerVersion | null>(null);
  const shown = record?.version ?? Infinity;
  const latest = useLatest({ shown, ownPid: me?.userPid });
  const isKnown = record !== undefined;
  useEffect(() => {
    if (!isKnown) return undefined;
    const path = `/api/dynamic/${encodeURIComponent(pageKey)}/${encodeURIComponent(pid)}/stream`;
    return whileVisible(async (signal) => {
      for await (const { event, data } of client.stream<NewerVersion>(path, { signal })) {
        const { shown: version, ownPid } = latest.current;
        if (event !== 'record' || data.version <= version) continue;
        // What one has done oneself, here or elsewhere, is no news.
        if (data.actor?.userPid === ownPid) await cache.invalidateQueries({ queryKey: recordsKey(pageKey) });
        else setNewest(data);
      }
    });
  }, [pageKey, pid, isKnown, latest, cache]);
  return newest && newest.version > shown ? newest : null;
}

/** Works while the page is to be seen: a browser has few connections for all its tabs. */
function whileVisible(work: (signal: AbortSignal) => Promise<void>): () => void {
  let running: AbortController | null = null;
  const look = () => {
    if (document.visibilityState === 'hidden') {
      running?.abort();
      running = null;
    } else if (!running) {
      running = new AbortController();
      // Whoever may not read it any more hears of it elsewhere.
      work(running.signal).catch(() => undefined);
    }
  };
  document.addEventListener('visibilitychange', look);
  look();
  return () => {
    document.removeEventListener('visibilitychange', look);
    running?.abort();
  };
}
