import { queryOptions } from '@tanstack/react-query';
import type { Schemas } from '../../app/api.d.ts';
import type { Me } from '../../app/application.ts';
import { ask } from '../../app/ask.ts';

export type Run = Schemas['AutomationRun'];

export const RUNS = ['runs'] as const;
const SHOWN = 20;

/** The newest runs that the caller has begun. */
export function runsQuery(me: Me) {
  return queryOptions({
    queryKey: RUNS,
    queryFn: async ({ signal }): Promise<readonly Run[]> =>
      (await ask('GET /api/automations/runs', { query: { startedBy: me.userPid, pageSize: SHOWN }, signal })).records,
    refetchOnWindowFocus: true,
  });
}

/** Runs that can be chosen from. */
const OFFERED = 10;
export const LOOK_EVERY_MS = 15_000;

/** The newest runs of an automation, as far as the caller may see them. */
export function runsOfQuery(automationCode: string) {
  return queryOptions({
    queryKey: [...RUNS, 'of', automationCode],
    queryFn: async ({ signal }): Promise<readonly Run[]> =>
      (await ask('GET /api/automations/runs', { query: { automationCode, pageSize: OFFERED }, signal })).records,
    refetchInterval: LOOK_EVERY_MS,
  });
}
