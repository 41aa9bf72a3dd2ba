import { columnList, toRecordset, type RowOf } from '../../../foundation/database/columns.ts';
import type { SqlRunner } from '../../../foundation/database/pool.ts';
import type { OutboxEvent } from '../../../platform/events/outbox/outbox.ts';
import type { RunRow } from '../runs/rows/run-store.ts';
import type { StepRow } from '../runs/rows/step-store.ts';
import type { AwaitedEventEntity } from './awaited-event.entity.ts';

/** Events of one type and tenant, with every `eventType` by which a step can wait for them. */
export interface EventGroup {
  readonly environment: string;
  readonly tenantId: string;
  readonly patterns: readonly string[];
  readonly events: readonly OutboxEvent[];
}

/** Keeps those of the events that steps wait for, until they have seen them. Two statements. */
export async function keepAwaited(transaction: SqlRunner, groups: readonly EventGroup[]): Promise<number> {
  const awaited = await transaction.query<{ index: number }>(
    `select g.index from json_to_recordset($1::json) g (index int, environment text, tenant_id bigint, patterns text[])
     where exists (select 1 from platform.automation_step s where s.environment = g.environment
       and s.tenant_id = g.tenant_id and s.status = 'WAITING' and s.wait_for is not null and s.wait_for = any(g.patterns))`,
    [
      toRecordset(
        groups.map(({ environment, tenantId, patterns }, index) => ({ index, environment, tenantId, patterns })),
      ),
    ],
  );
  const events = awaited.flatMap(({ index }) => groups[index]?.events ?? []);
  if (events.length === 0) return 0;
  await transaction.query(
    `insert into platform.awaited_event (event_id, event_pid, environment, tenant_id)
     select id, pid, environment, tenant_id
     from json_to_recordset($1::json) e (id bigint, pid text, environment text, tenant_id bigint)
     on conflict do nothing`,
    [toRecordset(events.map(({ id, pid, environment, tenantId }) => ({ id, pid, environment, tenantId })))],
  );
  return events.length;
}

export type AwaitedEvent = RowOf<typeof AwaitedEventEntity>;

/** Locks the oldest event of a tenant that no other worker works on: a tenant's events are shown in order. */
export async function takeAwaited(transaction: SqlRunner): Promise<AwaitedEvent | null> {
  const [row] = await transaction.query<AwaitedEvent>(
    `select * from platform.awaited_event a where not exists (select 1 from platform.awaited_event o
       where o.environment = a.environment and o.tenant_id = a.tenant_id and o.event_id < a.event_id)
     order by event_id limit 1 for update skip locked`,
  );
  return row ?? null;
}

export async function forgetAwaited(transaction: SqlRunner, { eventId }: AwaitedEvent): Promise<void> {
  await transaction.query('delete from platform.awaited_event where event_id = $1', [eventId]);
}

export async function seenUpTo(transaction: SqlRunner, { eventId }: AwaitedEvent, ordinal: string): Promise<void> {
  await transaction.query('update platform.awaited_event set after_ordinal = $2 where event_id = $1', [
    eventId,
    ordinal,
  ]);
}

/** Counts a failure of an event, and forgets it after so many. @returns its failures */
export async function countFailure(runner: SqlRunner, eventId: string, most: number): Promise<number> {
  const [row] = await runner.query<{ failures: number }>(
    'update platform.awaited_event set failures = failures + 1 where event_id = $1 returning failures',
    [eventId],
  );
  const failures = row?.failures ?? most;
  if (failures >= most) await runner.query('delete from platform.awaited_event where event_id = $1', [eventId]);
  return failures;
}

const WAITING = ['runPid', 'key', 'ordinal', 'stepId', 'iteration', 'waitFor'] as const;

/** A step that waits for an event. */
export interface WaitingStep extends Pick<StepRow, 'key' | 'stepId' | 'iteration'> {
  readonly runPid: string;
  readonly ordinal: string;
  readonly waitFor: string;
}

/**
 * The next steps that an event may be for, in the order in which they began.
 * @param correlations what the event has; null: it may have anything
 */
export function waitingSteps(
  transaction: SqlRunner,
  { environment, tenantId, seenAt, afterOrdinal }: AwaitedEvent,
  patterns: readonly string[],
  correlations: readonly string[] | null,
  limit: number,
): Promise<WaitingStep[]> {
  const columns = columnList(WAITING);
  const steps = (condition: string) =>
    `(select ${columns} from platform.automation_step
      where environment = $1 and tenant_id = $2 and status = 'WAITING' and wait_for = any($3) and started_at <= $4
        and ordinal > $5 and ${condition} order by ordinal limit $7)`;
  return transaction.query<WaitingStep>(
    `select * from (${steps('wait_correlation is null')} union all
       ${steps(correlations ? 'wait_correlation = any($6)' : 'wait_correlation is not null and $6::text[] is null')}) s
     order by ordinal limit $7`,
    [environment, tenantId, patterns, seenAt, afterOrdinal, correlations, limit],
  );
}

/** A waiting step that has got its event. */
export interface ArrivedEvent extends Pick<WaitingStep, 'runPid' | 'key' | 'ordinal'> {
  readonly output: unknown;
}

/**
 * Ends waiting steps with their events, under the locks of their runs. @returns the pids of the runs that go
 * on
 */
export async function endWaiting(transaction: SqlRunner, arrived: readonly ArrivedEvent[]): Promise<RunRow['pid'][]> {
  // The lock is a separate statement, so that the update sees what the lock waited for.
  const pids = [...new Set(arrived.map(({ runPid }) => runPid))];
  const locked = transaction.query(
    'select 1 from platform.automation_run where pid = any($1) order by pid for update',
    [pids],
  );
  const ended = transaction.query<{ runPid: string }>(
    `update platform.automation_step s set status = 'SUCCEEDED', output = a.output, wait_for = null, due_at = null,
       published = false, finished_at = clock_timestamp()
     from json_to_recordset($1::json) a (run_pid text, key text, ordinal bigint, output json)
     where s.run_pid = a.run_pid and s.key = a.key and s.ordinal = a.ordinal and s.status = 'WAITING'
     returning s.run_pid`,
    [toRecordset(arrived.map(({ runPid, key, ordinal, output }) => ({ runPid, key, ordinal, output })))],
  );
  const [, rows] = await Promise.all([locked, ended]);
  return [...new Set(rows.map(({ runPid }) => runPid))];
}
