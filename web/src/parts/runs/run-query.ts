import { queryOptions } from '@tanstack/react-query';
import type { Schemas } from '../../app/api.d.ts';
import { ask } from '../../app/ask.ts';
import { RUNS } from './runs-query.ts';

export type RunWithSteps = Schemas['AutomationRunWithSteps'];
export type Step = Schemas['AutomationStep'];

export function runQuery(runPid: string) {
  return queryOptions({
    queryKey: [...RUNS, 'one', runPid],
    queryFn: ({ signal }) => ask('GET /api/automations/runs/{runPid}', { params: { runPid }, signal }),
  });
}
