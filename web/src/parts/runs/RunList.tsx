import type { StreamEvent } from '@keelson/client';
import { Link } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { Application } from '../../app/application.ts';
import { queries } from '../../app/queries.ts';
import { useStreams } from '../../app/use-stream.ts';
import { useLatest } from '../../ui/use-latest.ts';
import { hasEnded } from '../activity/activity-query.ts';
import { StateLine } from '../activity/StateLine.tsx';
import { automationName } from './automation-name.ts';
import styles from './RunList.module.css';
import { RUNS, type Run } from './runs-query.ts';

interface RunListProps {
  readonly application: Application;
  readonly runs: readonly Run[];
  /** One has begun to wait, or has ended. */
  readonly onTurn: () => void;
}

/** Runs of automations; the newest one that goes on is live. */
export function RunList({ application, runs, onTurn }: RunListProps) {
  const going = runs.filter((run) => !hasEnded(run)).slice(0, 1);
  const turn = useLatest(onTurn);
  const hear = useCallback(
    ({ event, data }: StreamEvent) => {
      if (event === 'end' || event === 'gap') void queries.invalidateQueries({ queryKey: RUNS });
      if (event === 'end') turn.current();
      if (event !== 'run') return;
      const state = data as Pick<Run, 'runPid' | 'status'>;
      if (state.status === 'WAITING') turn.current();
      queries.setQueryData<readonly Run[]>(RUNS, (all) =>
        all?.map((run) => (run.runPid === state.runPid ? { ...run, ...state } : run)),
      );
    },
    [turn],
  );
  useStreams(
    going.map(({ runPid }) => `/api/automations/runs/${runPid}/stream`),
    hear,
  );
  return (
    <ul className={styles.list}>
      {runs.map((run) => (
        <li key={run.runPid}>
          <StateLine status={run.status} at={run.createdAt} note={run.error?.message}>
            <Link to="/operate/runs/$runPid" params={{ runPid: run.runPid }} title={run.automationCode}>
              {automationName(application, run.automationCode)}
            </Link>
          </StateLine>
        </li>
      ))}
    </ul>
  );
}
