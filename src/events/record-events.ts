import { newPid } from '../database/pid.ts';
import type { SqlRunner } from '../database/pool.ts';
import type { DerivedEvent, EventBody, OutboxEvent } from './outbox.ts';

/** The generic events: one for each record that a command has changed. */
export const RECORD_EVENT_TYPES = ['record.created', 'record.updated', 'record.deleted'] as const;

type Action = 'CREATE' | 'UPDATE' | 'DELETE';
type Fields = Readonly<Record<string, unknown>>;

interface ChangeRow {
  readonly model_code: string;
  readonly record_pid: string;
  readonly action: Action;
  /** The fields that were written; null for a deletion. */
  readonly after: Fields | null;
}

const TYPES: Record<Action, (typeof RECORD_EVENT_TYPES)[number]> = {
  CREATE: 'record.created',
  UPDATE: 'record.updated',
  DELETE: 'record.deleted',
};

/** The generic events of a command's event, from its lines in the change log, in their order. */
export async function recordEventsOf(transaction: SqlRunner, event: OutboxEvent): Promise<DerivedEvent[]> {
  if (event.change_ids.length === 0) return [];
  // Row-level security shows the change log of one tenant at a time.
  const tenant = transaction.query(`select set_config('keelson.tenant_id', $1, true)`, [event.tenant_id]);
  const changes = transaction.query<ChangeRow>(
    'select model_code, record_pid, action, after from platform.change_log where id = any($1::bigint[]) order by id',
    [event.change_ids],
  );
  const [, rows] = await Promise.all([tenant, changes]);
  const { result } = JSON.parse(event.body) as EventBody;
  return rows.map((change) => ({
    pid: newPid(),
    environment: event.environment,
    tenant_id: event.tenant_id,
    event_type: TYPES[change.action],
    command_code: event.command_code,
    model_code: change.model_code,
    record_pid: change.record_pid,
    body: JSON.stringify(bodyOf(event.command_code, change, result)),
    trace_id: event.trace_id,
  }));
}

/**
 * `payload` has the fields that were written. `result` is the record after it where the command has answered with that
 * record, else its pid with what was written; a deleted record is named by its pid alone.
 */
function bodyOf(commandCode: string, { model_code: modelCode, record_pid: pid, after }: ChangeRow, answered: unknown) {
  const record = after && (recordIn(answered, pid) ?? { pid, ...after });
  return { commandCode, modelCode, payload: after ?? {}, result: record ?? { pid } };
}

/** A plain command answers with its record, one with steps with several by name. */
function recordIn(result: unknown, pid: string): Fields | null {
  if (typeof result !== 'object' || result === null) return null;
  const isTheRecord = (value: unknown): value is Fields => (value as Fields | null)?.pid === pid;
  return [result, ...Object.values(result as Fields)].find(isTheRecord) ?? null;
}
