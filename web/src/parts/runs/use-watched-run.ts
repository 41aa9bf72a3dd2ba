import { useQuery } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { queries } from '../../app/queries.ts';
import { useStreams } from '../../app/use-stream.ts';
import { hasEnded } from '../activity/activity-query.ts';
import { runQuery } from './run-query.ts';
import { RUNS, runsOfQuery, type Run } from './runs-query.ts';

interface WatchedRun {
  readonly runs: readonly Run[];
  /** The chosen one, else the newest. */
  readonly watched: Run | undefined;
  /** How its steps stand, by their ids; of those in a loop the last one. */
  readonly statuses: ReadonlyMap<string, string>;
  readonly choose: (runPid: string) => void;
}

/** A run of an automation, live. @param isSaved one that was never saved has none */
export function useWatchedRun(automation: string, isSaved: boolean): WatchedRun {
  const [chosen, choose] = useState<string | null>(null);
  const { data: runs = [] } = useQuery({ ...runsOfQuery(automation), enabled: isSaved });
  const watched = runs.find(({ runPid }) => runPid === chosen) ?? runs[0];
  const { data: run } = useQuery({
    ...runQuery(watched?.runPid ?? ''),
    enabled: watched !== undefined,
  });
  const hear = useCallback(() => void queries.invalidateQueries({ queryKey: RUNS }), []);
  useStreams(watched && !hasEnded(watched) ? [`/api/automations/runs/${watched.runPid}/stream`] : [], hear);
  const statuses = new Map((run?.steps ?? []).map(({ id, status }) => [id, status]));
  return { runs, watched, statuses, choose };
}
