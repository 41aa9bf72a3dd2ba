import { rowsOfEnvironment } from '../../../foundation/database/emptied-data.ts';
import { columnList, toRecordset, type RowOf } from '../../../foundation/database/columns.ts';
import type { SqlRunner } from '../../../foundation/database/pool.ts';
import type { EventOrigins } from '../../metadata/resources/resource-type.ts';
import type { RunStart, EventEntity } from './event.entity.ts';
import { LATE_AFTER_SECONDS, MAX_POSTPONE_SECONDS } from '../events.limits.ts';

/** Wakes the relay of this process: events may be waiting in the outbox. */
export class OutboxSignal {
  readonly #listeners: ((own: boolean) => void)[] = [];

  /** @param listener `own`: this process has written the events */
  subscribe(listener: (own: boolean) => void): void {
    this.#listeners.push(listener);
  }

  notify(own: boolean): void {
    for (const listener of this.#listeners) listener(own);
  }
}

type EventRow = RowOf<typeof EventEntity>;

const OUTBOX_EVENT = [
  'id',
  'pid',
  'environment',
  'tenantId',
  'eventType',
  'commandCode',
  'modelCode',
  'recordPid',
  'executionPid',
  'stepId',
  'changeIds',
  'body',
  'origins',
  'runStarts',
  'traceId',
] as const;

/**
 * An event that waits for its consumers. `body` is the delivery payload, as the text that is sent and signed.
 */
export type OutboxEvent = Pick<EventRow, (typeof OUTBOX_EVENT)[number]>;

/** An event of a relay's batch. */
export interface TakenEvent extends OutboxEvent {
  /** Whether another relay may have begun it before: the first one takes it at once. */
  readonly isLate: boolean;
}

/** What a body says. Spec: "Webhook delivery payload". */
export interface EventBody {
  readonly commandCode: string;
  readonly modelCode: string | null;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly result: unknown;
}

const NEW_EVENT = [
  'pid',
  'environment',
  'tenantId',
  'eventType',
  'commandCode',
  'modelCode',
  'recordPid',
  'body',
  'origins',
  'traceId',
] as const;

/** An event that no command made, or that was derived from one that a command made. */
export type NewEvent = Omit<Pick<OutboxEvent, (typeof NEW_EVENT)[number]>, 'origins'> & {
  readonly origins?: EventOrigins | null;
};

/** The event of a finished command, or of one of its steps. Spec: "Webhook delivery payload" is its body. */
export type CommandEvent = Pick<NewEvent, 'pid' | 'eventType' | 'modelCode' | 'recordPid' | 'body' | 'origins'> & {
  readonly stepId?: string;
  readonly runStarts?: readonly RunStart[] | null;
};

/**
 * Takes up to `limit` events that are to do, oldest first, for the transaction. What another worker has taken
 * is left out, and so is what failed and waits for its next try: "id > last" would lose whatever commits
 * late.
 */
export function takeEvents(transaction: SqlRunner, limit: number): Promise<TakenEvent[]> {
  return transaction.query<TakenEvent>(
    `select ${columnList(OUTBOX_EVENT)}, created_at < now() - interval '${LATE_AFTER_SECONDS} seconds' as is_late from platform.event
     where dispatched_at is null and (dispatch_after is null or dispatch_after <= now())
     order by id limit $1 for update skip locked`,
    [limit],
  );
}

export async function markDispatched(transaction: SqlRunner, ids: readonly string[]): Promise<void> {
  await transaction.query(
    // The condition leads to a small index: without it, a plan made for a small table reads all of it.
    'update platform.event set dispatched_at = now() where id = any($1::bigint[]) and dispatched_at is null',
    [ids],
  );
}

/** An event, dispatched or not. */
export async function findEvent(runner: SqlRunner, pid: string): Promise<OutboxEvent | null> {
  const [event] = await runner.query<OutboxEvent>(
    `select ${columnList(OUTBOX_EVENT)} from platform.event where pid = $1`,
    [pid],
  );
  return event ?? null;
}

/**
 * Puts an event aside that cannot be matched for a reason of its own; the pause doubles from one second on.
 */
export async function postpone(runner: SqlRunner, id: string): Promise<void> {
  await runner.query(
    `update platform.event set dispatch_failures = dispatch_failures + 1,
       dispatch_after = now() + interval '1 second' * least(${MAX_POSTPONE_SECONDS}, power(2, least(dispatch_failures, 12)))
     where id = $1 and dispatched_at is null`,
    [id],
  );
}

/**
 * The insert into the outbox, for statements that do more: an SQL expression for each property, over a
 * relation.
 */
export function eventInsert(values: Partial<Record<keyof EventRow, string>>, from: string): string {
  return `insert into platform.event (${columnList(Object.keys(values))})
  select ${Object.values(values).join(', ')} from ${from}`;
}

const OF_COMMAND = [
  'pid',
  'eventType',
  'modelCode',
  'recordPid',
  'body',
  'origins',
  'runStarts',
  'executionPid',
] as const;

/**
 * The insert of the events of several commands as part of the statement that ends them.
 * @param commands the relation that holds the commands' rows
 * @param changes the relation that holds `id` and `execution_pid` of their changes; null for events of steps
 * @param events the parameter that holds them, each with its `executionPid`, as `toRecordset` gives them
 */
export function commandEventsInsert(commands: string, changes: string | null, events: string): string {
  return eventInsert(
    {
      ...Object.fromEntries(OF_COMMAND.map((property) => [property, columnList([property], 'n')])),
      environment: 'x.environment',
      tenantId: 'x.tenant_id',
      commandCode: 'x.command_code',
      traceId: 'x.trace_id',
      ...(changes === null ? { stepId: 'n.step_id' } : { changeIds: `coalesce(g.ids, '{}')` }),
    },
    `json_populate_recordset(null::platform.event, ${events}::json) n join ${commands} x on x.pid = n.execution_pid ${idsOf(changes)}`,
  );
}

function idsOf(changes: string | null): string {
  if (changes === null) return '';
  return `left join (select execution_pid, array_agg(id order by id) as ids from ${changes} group by execution_pid) g
    on g.execution_pid = x.pid`;
}

const INSERT = eventInsert(
  {
    ...Object.fromEntries(NEW_EVENT.map((property) => [property, columnList([property])])),
    dispatchedAt: 'case when $2 then now() end',
  },
  'json_populate_recordset(null::platform.event, $1::json) returning id, pid',
);

/** Inserts events for the relay, which hands them to webhooks and automations. */
export async function insertEvents(transaction: SqlRunner, events: readonly NewEvent[]): Promise<void> {
  await transaction.query(INSERT, [toRecordset(events), false]);
}

/**
 * Inserts events that the same transaction matches, so that the relay leaves them out. Gives their ids, in
 * the same order.
 */
export async function insertDispatched(transaction: SqlRunner, events: readonly NewEvent[]): Promise<string[]> {
  const rows = await transaction.query<Pick<OutboxEvent, 'id' | 'pid'>>(INSERT, [toRecordset(events), true]);
  const ids = new Map(rows.map(({ id, pid }) => [pid, id]));
  return events.map(({ pid }) => ids.get(pid) as string);
}

/**
 * The newest events of a tenant in an environment whose type is `pattern`, or begins with what stands before
 * its `*`.
 */
export function newestEvents(
  runner: SqlRunner,
  { environment, tenantId, modelCode }: Pick<OutboxEvent, 'environment' | 'tenantId'> & { modelCode: string | null },
  pattern: string,
  limit: number,
): Promise<(OutboxEvent & Pick<EventRow, 'createdAt'>)[]> {
  return runner.query(
    `select ${columnList([...OUTBOX_EVENT, 'createdAt'])} from platform.event
     where environment = $1 and tenant_id = $2 and (event_type = $3 or starts_with(event_type, $4))
       and ($5::text is null or model_code = $5)
     order by id desc limit $6`,
    [environment, tenantId, pattern, pattern.endsWith('*') ? pattern.slice(0, -1) : pattern, modelCode, limit],
  );
}

const TRACED_EVENT = [
  'pid',
  'eventType',
  'commandCode',
  'modelCode',
  'recordPid',
  'executionPid',
  'changeIds',
  'origins',
] as const;

/** An event of a trace, without its body. */
export type TracedEvent = Pick<OutboxEvent, (typeof TRACED_EVENT)[number]>;

/**
 * The events that a request has caused, oldest first.
 * @param executionPid of other executions none; events that no execution has made are always among them
 */
export function eventsOfTrace(
  runner: SqlRunner,
  {
    environment,
    tenantId,
    traceId,
    executionPid,
  }: Pick<OutboxEvent, 'environment' | 'tenantId' | 'traceId' | 'executionPid'>,
  limit: number,
): Promise<TracedEvent[]> {
  return runner.query<TracedEvent>(
    `select ${columnList(TRACED_EVENT)} from platform.event
     where trace_id = $1 and environment = $2 and tenant_id = $3
       and ($4::text is null or execution_pid is null or execution_pid = $4)
     order by id limit $5`,
    [traceId, environment, tenantId, executionPid, limit],
  );
}

/**
 * Deletes up to `limit` of the dispatched events that are older than so many days.
 * @param isNeeded gives the SQL condition under which the event with a pid stays
 * @returns how many
 */
export async function deleteOldEvents(
  runner: SqlRunner,
  days: number,
  limit: number,
  isNeeded: (pid: string) => string,
): Promise<number> {
  const deleted = await runner.query(
    `delete from platform.event where id in (select e.id from platform.event e
       where e.created_at < now() - $1 * interval '1 day' and e.dispatched_at is not null and not ${isNeeded('e.pid')}
       order by e.created_at limit $2) returning 1`,
    [days, limit],
  );
  return deleted.length;
}

/** SQL query: what decides who may read an event. @param pid the expression that names it */
export function readableEvent(pid: string): string {
  return `(select command_code, model_code, record_pid, body, origins from platform.event where pid = ${pid})`;
}

/**
 * SQL condition: an event older than another waits for its consumers, and may tell of the same record. An
 * event of several records names one of them; it may be about any, unless it is put aside.
 * @param other the relation that holds the other's `event_id`, `order_key` (the record's pid), `environment`
 * and `tenant_id`
 */
export function hasOlderUndispatched(other: string): string {
  return `exists (
    select 1 from platform.event e where e.id < ${other}.event_id and e.dispatched_at is null
      and (e.record_pid = ${other}.order_key or cardinality(e.change_ids) > 1 and e.dispatch_failures = 0)
      and e.environment = ${other}.environment and e.tenant_id = ${other}.tenant_id)`;
}

/**
 * Leaves of the bodies of events about a record, or of these executions, that they have been.
 * @returns the pids of the events
 */
export async function eraseBodies(
  transaction: SqlRunner,
  { environment, tenantId, recordPid }: Pick<EventRow, 'environment' | 'tenantId' | 'recordPid'>,
  executionPids: readonly string[],
): Promise<string[]> {
  const events = await transaction.query<Pick<EventRow, 'pid'>>(
    `update platform.event set body = json_build_object('commandCode', command_code, 'modelCode', model_code,
       'payload', '{}'::json, 'result', json_build_object('pid', record_pid))::text, run_starts = null
     where execution_pid = any($1) or (record_pid = $2 and environment = $3 and tenant_id = $4) returning pid`,
    [executionPids, recordPid, environment, tenantId],
  );
  return events.map(({ pid }) => pid);
}

/** The events of an environment. What the relay has in hand is sent. */
export const EMPTIED_EVENTS = rowsOfEnvironment('events', 'platform.event', { isLeftToHolders: true });
