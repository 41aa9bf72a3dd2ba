import type { SqlRunner } from '../../../foundation/database/pool.ts';
import type { Metrics } from '../../../foundation/metrics/metrics.ts';

/** How the relay keeps up. */
export interface OutboxState {
  /** Age of the oldest event that waits for its first try; 0 where none does. */
  readonly oldestSeconds: number;
  /** Events that could not be matched for a reason of their own and wait for another try. */
  readonly postponed: number;
}

/** Reads two partial indexes. */
export async function outboxState(runner: SqlRunner): Promise<OutboxState> {
  const [state] = await runner.query<OutboxState>(
    `select (select count(*)::int from platform.event where dispatched_at is null and dispatch_failures > 0) as postponed,
       greatest(0, coalesce((select extract(epoch from now() - created_at)::float8 from platform.event
         where dispatched_at is null and dispatch_failures = 0 order by id limit 1), 0)) as oldest_seconds`,
  );
  return state ?? { oldestSeconds: 0, postponed: 0 };
}

/** How many commands of an environment since a time have made an event that cannot be matched. */
export async function countPostponed(runner: SqlRunner, environment: string, since: Date): Promise<number> {
  const [row] = await runner.query<{ count: number }>(
    `select count(*)::int as count from platform.event where dispatched_at is null and dispatch_failures > 0
       and environment = $1 and created_at >= $2 and execution_pid is not null`,
    [environment, since],
  );
  return row?.count ?? 0;
}

export function measureOutbox(metrics: Metrics, runner: SqlRunner): void {
  metrics.gauge('events_postponed', 'Events that cannot be matched and wait for another try', [], async (gauge) => {
    gauge.set((await outboxState(runner)).postponed);
  });
}
