import type { SqlRunner } from '../database/pool.ts';
import type { OutboxEvent } from '../events/outbox.ts';

/** Who has caused an event: the person whose command it was, and the run, if it was one's doing. */
export interface EventOrigin {
  readonly user_id: string | null;
  readonly user_pid: string | null;
  readonly username: string | null;
  readonly roles: string[] | null;
  readonly run_pid: string | null;
  readonly depth: number | null;
}

/** The origins of events, by event pid. */
export async function originsOf(runner: SqlRunner, events: readonly OutboxEvent[]): Promise<Map<string, EventOrigin>> {
  const rows = await runner.query<EventOrigin & { pid: string }>(
    `select e.pid, coalesce(x.user_id, r.user_id)::text as user_id, coalesce(x.user_pid, r.user_pid) as user_pid,
       coalesce(x.username, r.username) as username, coalesce(x.roles, r.roles) as roles, r.pid as run_pid, r.depth
     from platform.event e
     left join platform.command_execution x on x.pid = e.execution_pid
     left join platform.automation_step s on s.event_pid = e.pid
     left join platform.automation_run r on r.pid = coalesce(x.run_pid, s.run_pid)
     where e.id = any($1::bigint[])`,
    [events.map(({ id }) => id)],
  );
  return new Map(rows.map(({ pid, ...origin }) => [pid, origin]));
}
