import { queryOptions } from '@tanstack/react-query';
import type { Schemas } from '../../app/api.d.ts';
import { ask } from '../../app/ask.ts';
import { hasEnded } from '../activity/activity-query.ts';
import { LOOK_EVERY_MS, RUNS } from './runs-query.ts';

export type RunWithSteps = Schemas['AutomationRunWithSteps'];
export type Step = Schemas['AutomationStep'];

/** A run; its stream says when to read it again, a look now and then that nothing can be read. */
export function runQuery(runPid: string) {
  return queryOptions({
    queryKey: [...RUNS, 'one', runPid],
    queryFn: ({ signal }) => ask('GET /api/automations/runs/{runPid}', { params: { runPid }, signal }),
    refetchInterval: ({ state: { data } }) => (data && !hasEnded(data) ? LOOK_EVERY_MS : false),
  });
}
