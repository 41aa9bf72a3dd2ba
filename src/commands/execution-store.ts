import type { SqlRunner } from '../database/pool.ts';
import type { StoredError } from '../errors/failure.ts';
import type { Operation } from '../metadata/content.ts';
import type { Change } from '../records/record-writer.ts';
import type { ExecutionStatus } from './execution.entity.ts';

/** An execution's row as the hot path reads it. */
export interface ExecutionRow {
  readonly pid: string;
  readonly environment: string;
  readonly tenant_id: string;
  readonly user_id: string;
  readonly user_pid: string;
  readonly username: string;
  readonly roles: string[];
  readonly command_code: string;
  readonly operation: Operation;
  readonly target_record_id: string | null;
  readonly expected_version: number | null;
  readonly metadata_version: number;
  readonly payload: Record<string, unknown>;
  readonly idempotency_key: string | null;
  readonly request_hash: string;
  readonly status: ExecutionStatus;
  readonly result: unknown;
  readonly error: StoredError | null;
  readonly trace_id: string;
  /** The run of an automation that asked for it. */
  readonly run_pid: string | null;
  readonly created_at: string;
  readonly finished_at: string | null;
}

export type NewExecution = Omit<
  ExecutionRow,
  'status' | 'result' | 'error' | 'created_at' | 'finished_at' | 'run_pid'
> &
  Partial<Pick<ExecutionRow, 'run_pid'>>;

/** The event of a finished command. Spec: "Webhook delivery payload" is its body. */
export interface NewEvent {
  readonly pid: string;
  readonly eventType: string;
  readonly modelCode: string;
  /** The record it tells of, where there is one. */
  readonly recordPid: string | null;
  readonly body: string;
}

/** Spec: "Idempotency window". */
const WINDOW = `interval '24 hours'`;

const NEW_COLUMNS = [
  'pid',
  'environment',
  'tenant_id',
  'user_id',
  'user_pid',
  'username',
  'roles',
  'command_code',
  'operation',
  'target_record_id',
  'expected_version',
  'metadata_version',
  'payload',
  'idempotency_key',
  'request_hash',
  'trace_id',
  'run_pid',
] as const satisfies (keyof NewExecution)[];

const INSERT = `insert into platform.command_execution (${NEW_COLUMNS.join(', ')}, status)
values (${NEW_COLUMNS.map((_, index) => `$${index + 1}`).join(', ')}, 'RECEIVED')
on conflict (environment, tenant_id, user_id, command_code, idempotency_key) where idempotency_key is not null do nothing
returning pid`;

/**
 * The statements of the command hot path. They are written by hand, beside the entity: one insert to claim, and in the
 * transaction one to lock and one to finish.
 */

/** Claims the idempotency key and stores the input. False when another execution holds the key. */
export async function claim(runner: SqlRunner, execution: NewExecution): Promise<boolean> {
  const values = NEW_COLUMNS.map((column) =>
    column === 'payload' ? JSON.stringify(execution.payload) : execution[column],
  );
  const inserted = await runner.query(INSERT, values);
  return inserted.length === 1;
}

/** The execution that holds a key. A key whose window is over is set free first, so it gives null. */
export async function holderOf(runner: SqlRunner, wanted: NewExecution): Promise<ExecutionRow | null> {
  const key = [wanted.environment, wanted.tenant_id, wanted.user_id, wanted.command_code, wanted.idempotency_key];
  const where = 'environment = $1 and tenant_id = $2 and user_id = $3 and command_code = $4 and idempotency_key = $5';
  const freed = await runner.query(
    `update platform.command_execution set idempotency_key = null where ${where} and created_at < now() - ${WINDOW} returning pid`,
    key,
  );
  if (freed.length > 0) return null;
  const [row] = await runner.query<ExecutionRow>(`select * from platform.command_execution where ${where}`, key);
  return row ?? null;
}

export async function findExecution(runner: SqlRunner, pid: string): Promise<ExecutionRow | null> {
  const [row] = await runner.query<ExecutionRow>('select * from platform.command_execution where pid = $1', [pid]);
  return row ?? null;
}

/** Locks the execution for the transaction, and gives the transaction its tenant for row-level security. */
export async function lockExecution(transaction: SqlRunner, pid: string): Promise<ExecutionRow | null> {
  const [row] = await transaction.query<ExecutionRow>(
    `select e.*, set_config('keelson.tenant_id', e.tenant_id::text, true)
     from platform.command_execution e where e.pid = $1 for update`,
    [pid],
  );
  return row ?? null;
}

const FINISH = `with finished as (
  update platform.command_execution set status = 'SUCCEEDED', result = $2::json, finished_at = now() where pid = $1
  returning environment, tenant_id, user_pid, command_code, trace_id
), changed as (
  insert into platform.change_log (environment, tenant_id, model_code, record_pid, action, before, after, user_pid, execution_pid)
  select f.environment, f.tenant_id, c."modelCode", c."recordPid", c.action, c.before, c.after, f.user_pid, $1
  from finished f, jsonb_to_recordset($3::jsonb) as c ("modelCode" text, "recordPid" text, action text, before jsonb, after jsonb)
  returning id
)
insert into platform.event (pid, environment, tenant_id, event_type, command_code, model_code, execution_pid, body, trace_id, record_pid, change_ids)
select $4, environment, tenant_id, $5, command_code, $6, $1, $7, trace_id, $8, array(select id from changed order by id) from finished`;

/** Ends a command well: outcome, change log and outbox event in one statement of its transaction. */
export async function finish(
  transaction: SqlRunner,
  pid: string,
  result: unknown,
  changes: readonly Change[],
  event: NewEvent,
): Promise<void> {
  const { eventType, modelCode, body, recordPid } = event;
  await transaction.query(FINISH, [
    pid,
    JSON.stringify(result),
    JSON.stringify(changes),
    event.pid,
    eventType,
    modelCode,
    body,
    recordPid,
  ]);
}

/** Ends an unfinished execution without effect and frees its key. False when it had already ended. */
export async function abandon(
  runner: SqlRunner,
  pid: string,
  status: 'FAILED' | 'CANCELLED',
  error: StoredError | null,
): Promise<boolean> {
  const ended = await runner.query(
    `update platform.command_execution set status = $2, error = $3::json, idempotency_key = null, finished_at = now()
     where pid = $1 and status in ('RECEIVED', 'RUNNING') returning pid`,
    [pid, status, error && JSON.stringify(error)],
  );
  return ended.length === 1;
}

/**
 * Executions that may need help: accepted more than `startMs` ago and not known to have a workflow, or running for more
 * than `endMs`. Those that a transaction is working on right now are left out.
 */
export function findOverdue(
  runner: SqlRunner,
  { startMs, endMs }: { startMs: number; endMs: number },
  limit: number,
): Promise<ExecutionRow[]> {
  return runner.query<ExecutionRow>(
    `select * from platform.command_execution
     where (status = 'RECEIVED' and created_at < now() - $1 * interval '1 millisecond')
        or (status = 'RUNNING' and created_at < now() - $2 * interval '1 millisecond')
     order by status, created_at limit $3 for update skip locked`,
    [startMs, endMs, limit],
  );
}

/** Writes down that an accepted execution has its workflow. Waits for nobody: a command that is being applied ends soon. */
export async function markRunning(runner: SqlRunner, pid: string): Promise<void> {
  await runner.query(
    `update platform.command_execution set status = 'RUNNING' where pid in (
       select pid from platform.command_execution where pid = $1 and status = 'RECEIVED' for update skip locked)`,
    [pid],
  );
}
