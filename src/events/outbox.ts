import type { SqlRunner } from '../database/pool.ts';

/** An event that nobody has matched yet. `body` is the delivery payload, as the text that is sent and signed. */
export interface OutboxEvent {
  readonly id: string;
  readonly pid: string;
  readonly environment: string;
  readonly tenant_id: string;
  readonly event_type: string;
  readonly command_code: string;
  readonly model_code: string;
  readonly record_pid: string | null;
  readonly change_ids: readonly string[];
  readonly body: string;
  readonly trace_id: string;
}

/** What a body says. Spec: "Webhook delivery payload". */
export interface EventBody {
  readonly commandCode: string;
  readonly modelCode: string | null;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly result: unknown;
}

/** An event that comes from another one, or that no command made. */
export type DerivedEvent = Omit<OutboxEvent, 'id' | 'change_ids'>;

const COLUMNS = `id, pid, environment, tenant_id, event_type, command_code, model_code, record_pid, change_ids, body, trace_id`;

/**
 * Takes up to `limit` events that are to do, oldest first, for the transaction. What another worker has taken is left
 * out, and so is what failed and waits for its next try: "id > last" would lose whatever commits late.
 */
export function takeEvents(transaction: SqlRunner, limit: number): Promise<OutboxEvent[]> {
  return transaction.query<OutboxEvent>(
    `select ${COLUMNS} from platform.event
     where dispatched_at is null and (dispatch_after is null or dispatch_after <= now())
     order by id limit $1 for update skip locked`,
    [limit],
  );
}

export async function markDispatched(transaction: SqlRunner, ids: readonly string[]): Promise<void> {
  await transaction.query('update platform.event set dispatched_at = now() where id = any($1::bigint[])', [ids]);
}

/** Puts an event aside that cannot be matched for a reason of its own; the pause doubles, up to an hour. */
export async function postpone(runner: SqlRunner, id: string): Promise<void> {
  await runner.query(
    `update platform.event set dispatch_failures = dispatch_failures + 1,
       dispatch_after = now() + least(interval '1 hour', interval '1 second' * power(2, least(dispatch_failures, 12)))
     where id = $1 and dispatched_at is null`,
    [id],
  );
}

/** Inserts events that are matched in the same transaction, so nobody else has to; gives their ids, in the same order. */
export async function insertDispatched(transaction: SqlRunner, events: readonly DerivedEvent[]): Promise<string[]> {
  const rows = await transaction.query<{ id: string; pid: string }>(
    `insert into platform.event (pid, environment, tenant_id, event_type, command_code, model_code, record_pid, body, trace_id, dispatched_at)
     select pid, environment, tenant_id, event_type, command_code, model_code, record_pid, body, trace_id, now()
     from jsonb_to_recordset($1::jsonb) as e (pid text, environment text, tenant_id bigint, event_type text, command_code text,
       model_code text, record_pid text, body text, trace_id text)
     returning id, pid`,
    [JSON.stringify(events)],
  );
  const ids = new Map(rows.map(({ id, pid }) => [pid, id]));
  return events.map(({ pid }) => ids.get(pid) as string);
}
