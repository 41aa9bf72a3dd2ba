import { queryOptions } from '@tanstack/react-query';
import type { Api } from '../../app/api.d.ts';
import type { Me } from '../../app/application.ts';
import { ask } from '../../app/ask.ts';

export type Execution = Api['GET /api/meta/commands/executions']['data']['records'][number];
export type Import = Api['GET /api/imports']['data']['records'][number];

/** What the caller has begun: the newest of both. */
export interface Activity {
  readonly executions: readonly Execution[];
  readonly imports: readonly Import[];
}

const SHOWN = 12;
/** How often it is asked for what no stream follows, while something goes on. */
const LOOK_EVERY_MS = 15_000;

export const ACTIVITY = ['activity'] as const;

export function activityQuery(me: Me) {
  return queryOptions({
    queryKey: ACTIVITY,
    queryFn: async ({ signal }): Promise<Activity> => {
      const [{ records }, { records: imports }] = await Promise.all([
        ask('GET /api/meta/commands/executions', { query: { userPid: me.userPid, pageSize: SHOWN }, signal }),
        ask('GET /api/imports', { query: { pageSize: SHOWN }, signal }),
      ]);
      // Items of a batch are told by their batch.
      const executions = records.filter(({ pid, batchPid }) => batchPid === null || batchPid === pid);
      return { executions, imports };
    },
    refetchInterval: ({ state }) => (state.data && runningIn(state.data).length > 0 ? LOOK_EVERY_MS : false),
    refetchOnWindowFocus: true,
  });
}

export function hasEnded({ status }: { readonly status: string }): boolean {
  return ['SUCCEEDED', 'FAILED', 'CANCELLED'].includes(status);
}

/** What goes on, the newest first. */
export function runningIn({ executions, imports }: Activity): (Execution | Import)[] {
  return [...imports, ...executions].filter((one) => !hasEnded(one));
}

export function isImport(one: Execution | Import): one is Import {
  return 'filePid' in one;
}
