import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Api, Schemas } from '../../app/api.d.ts';
import { ask } from '../../app/ask.ts';
import type { Address } from '../operate/use-address.ts';
import { hasEnded } from '../activity/activity-query.ts';
import { sinceOf } from '../operate/since.ts';

export type ListedExecution = Api['GET /api/meta/commands/executions']['data']['records'][number];
export type Execution = Schemas['ExecutionDetails'];

export const EXECUTIONS = ['executions'] as const;
export const EXECUTION_STATUSES = ['RECEIVED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED'] as const;
const PAGE_SIZE = 50;
/** Between two looks at one that goes on, should its stream be away. */
const LOOK_EVERY_MS = 15_000;

/** Executions, as the address filters them. */
export function executionsQuery({ state, command, time, batch, user }: Address) {
  return infiniteQueryOptions({
    queryKey: [...EXECUTIONS, 'list', { state, command, time, batch, user }],
    initialPageParam: '',
    queryFn: ({ pageParam: cursor, signal }) => {
      const since = sinceOf(time);
      const status = EXECUTION_STATUSES.find((one) => one === state);
      const query = {
        cursor,
        pageSize: PAGE_SIZE,
        ...(status && { status }),
        ...(command !== undefined && { commandCode: command }),
        ...(batch !== undefined && { batchPid: batch }),
        ...(user !== undefined && { userPid: user }),
        ...(since !== undefined && { since }),
      };
      return ask('GET /api/meta/commands/executions', { query, signal });
    },
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchOnWindowFocus: true,
  });
}

export function executionQuery(pid: string) {
  return queryOptions({
    queryKey: [...EXECUTIONS, 'one', pid],
    queryFn: ({ signal }) => ask('GET /api/meta/commands/executions/{pid}', { params: { pid }, signal }),
    refetchInterval: ({ state: { data } }) => (data && !hasEnded(data) ? LOOK_EVERY_MS : false),
  });
}
