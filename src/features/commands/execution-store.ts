import { columnList, toRecordset } from '../../foundation/database/columns.ts';
import { firstPidAt } from '../../foundation/database/pid.ts';
import type { RowOf } from '../../foundation/database/platform-row.ts';
import type { SqlRunner } from '../../foundation/database/pool.ts';
import type { StoredError } from '../../foundation/errors/failure.ts';
import { changeInsert, type RecordChange } from '../../platform/events/change-log.ts';
import { eventInsert, type NewEvent } from '../../platform/events/outbox.ts';
import { IDEMPOTENCY_WINDOW_HOURS } from './commands.limits.ts';
import type { ExecutionEntity } from './execution.entity.ts';

export type ExecutionRow = RowOf<typeof ExecutionEntity>;

const NEW_EXECUTION = [
  'pid',
  'environment',
  'tenantId',
  'userId',
  'userPid',
  'username',
  'keyMadeBy',
  'roles',
  'commandCode',
  'operation',
  'targetRecordId',
  'expectedVersion',
  'metadataVersion',
  'payload',
  'idempotencyKey',
  'requestHash',
  'traceId',
  'runPid',
] as const;

export type NewExecution = Pick<ExecutionRow, (typeof NEW_EXECUTION)[number]>;

/** The event of a finished command. Spec: "Webhook delivery payload" is its body. */
export type CommandEvent = Pick<NewEvent, 'pid' | 'eventType' | 'modelCode' | 'recordPid' | 'body' | 'sources'>;

const INSERT = `insert into platform.command_execution (${columnList(NEW_EXECUTION)}, status)
values (${NEW_EXECUTION.map((_, index) => `$${index + 1}`).join(', ')}, 'RECEIVED')
on conflict (environment, tenant_id, user_id, command_code, idempotency_key) where idempotency_key is not null do nothing
returning pid`;

export function isUnfinished({ status }: ExecutionRow): boolean {
  return status === 'RECEIVED' || status === 'RUNNING';
}

/**
 * The statements of the command hot path. They are written by hand, beside the entity: one insert to claim,
 * and in the transaction one to lock and one to finish.
 */

/** Claims the idempotency key and stores the input. False when another execution holds the key. */
export async function insertExecution(runner: SqlRunner, execution: NewExecution): Promise<boolean> {
  const values = NEW_EXECUTION.map((property) =>
    property === 'payload' ? JSON.stringify(execution.payload) : execution[property],
  );
  const inserted = await runner.query(INSERT, values);
  return inserted.length === 1;
}

/** The execution that holds a key. A key whose window is over is set free first, so it gives null. */
export async function findByIdempotencyKey(runner: SqlRunner, wanted: NewExecution): Promise<ExecutionRow | null> {
  const key = [wanted.environment, wanted.tenantId, wanted.userId, wanted.commandCode, wanted.idempotencyKey];
  const where = 'environment = $1 and tenant_id = $2 and user_id = $3 and command_code = $4 and idempotency_key = $5';
  const freed = await runner.query(
    `update platform.command_execution set idempotency_key = null where ${where} and created_at < now() - interval '${IDEMPOTENCY_WINDOW_HOURS} hours' returning pid`,
    key,
  );
  if (freed.length > 0) return null;
  const [row] = await runner.query<ExecutionRow>(`select * from platform.command_execution where ${where}`, key);
  return row ?? null;
}

/** The executions of a group, in no order. */
export function findExecutions(runner: SqlRunner, pids: readonly string[]): Promise<ExecutionRow[]> {
  return runner.query<ExecutionRow>('select * from platform.command_execution where pid = any($1)', [pids]);
}

export async function findExecution(runner: SqlRunner, pid: string): Promise<ExecutionRow | null> {
  const [row] = await runner.query<ExecutionRow>('select * from platform.command_execution where pid = $1', [pid]);
  return row ?? null;
}

/** The execution that a step of a run has asked for, by the key that names the step. */
export async function findExecutionOfRun(runner: SqlRunner, runPid: string, key: string): Promise<string | null> {
  const [row] = await runner.query<Pick<ExecutionRow, 'pid'>>(
    'select pid from platform.command_execution where run_pid = $1 and idempotency_key = $2',
    [runPid, key],
  );
  return row?.pid ?? null;
}

const CALLER = ['pid', 'userId', 'userPid', 'username', 'keyMadeBy', 'roles', 'runPid'] as const;

/** Who asked for an execution: a user, or a run in the user's name. */
export type Caller = Pick<ExecutionRow, (typeof CALLER)[number]>;

/** The callers of executions, by execution. */
export async function callersOf(runner: SqlRunner, executionPids: readonly string[]): Promise<Map<string, Caller>> {
  const text = `select ${columnList(CALLER)} from platform.command_execution where pid = any($1)`;
  return new Map((await runner.query<Caller>(text, [executionPids])).map((caller) => [caller.pid, caller]));
}

const ORIGIN = ['pid', 'commandCode', 'username', 'traceId'] as const;

/** Which command a change comes from. */
export type Origin = Pick<ExecutionRow, (typeof ORIGIN)[number]>;

/** The origins of changes, by execution; those whose execution is forgotten have none. */
export async function originsOf(runner: SqlRunner, executionPids: readonly string[]): Promise<Map<string, Origin>> {
  const text = `select ${columnList(ORIGIN)} from platform.command_execution where pid = any($1)`;
  return new Map((await runner.query<Origin>(text, [executionPids])).map((origin) => [origin.pid, origin]));
}

/**
 * How many executions that were accepted since then have ended, and how many of those failed with one of
 * these codes.
 */
export async function countEnded(
  runner: SqlRunner,
  environment: string,
  since: Date,
  failureCodes: readonly string[],
): Promise<{ commands: number; failed: number }> {
  const [row] = await runner.query<{ commands: number; failed: number }>(
    `select count(*)::int as commands,
       count(*) filter (where status = 'FAILED' and error ->> 'code' = any($3))::int as failed
     from platform.command_execution where pid >= $1 and environment = $2 and status in ('SUCCEEDED', 'FAILED')`,
    [firstPidAt(since), environment, failureCodes],
  );
  return row ?? { commands: 0, failed: 0 };
}

/**
 * Locks the execution for the transaction, and gives the transaction its tenant for row-level security.
 * @param statementTimeoutMs the time limit of each statement that follows; by default that of the connection
 */
export async function lockExecution(
  transaction: SqlRunner,
  pid: string,
  statementTimeoutMs?: number,
): Promise<ExecutionRow | null> {
  const limited = statementTimeoutMs === undefined ? '' : `, set_config('statement_timeout', $2, true)`;
  const [row] = await transaction.query<ExecutionRow>(
    `select e.*, set_config('keelson.tenant_id', e.tenant_id::text, true)${limited}
     from platform.command_execution e where e.pid = $1 for update`,
    statementTimeoutMs === undefined ? [pid] : [pid, String(statementTimeoutMs)],
  );
  return row ?? null;
}

const FINISH = `with finished as (
  update platform.command_execution set status = 'SUCCEEDED', result = $2::json, finished_at = now(), group_pid = $10
  where pid = $1
  returning pid, environment, tenant_id, user_pid, command_code, trace_id
), changed as (${changeInsert('finished', '$3')})
${eventInsert(
  {
    pid: '$4',
    environment: 'environment',
    tenantId: 'tenant_id',
    eventType: '$5',
    commandCode: 'command_code',
    modelCode: '$6',
    recordPid: '$8',
    executionPid: 'pid',
    changeIds: 'array(select id from changed order by id)',
    body: '$7',
    sources: '$9::json',
    traceId: 'trace_id',
  },
  'finished',
)}`;

/** Ends a command well: outcome, change log and outbox event in one statement of its transaction. */
export async function finish(
  transaction: SqlRunner,
  pid: string,
  result: unknown,
  changes: readonly RecordChange[],
  event: CommandEvent,
  groupPid: string | null,
): Promise<void> {
  const { eventType, modelCode, body, recordPid, sources } = event;
  await transaction.query(FINISH, [
    pid,
    JSON.stringify(result),
    toRecordset(changes),
    event.pid,
    eventType,
    modelCode,
    body,
    recordPid,
    sources ? JSON.stringify(sources) : null,
    groupPid,
  ]);
}

/** Ends an unfinished execution without effect and frees its key. False when it had already ended. */
export async function withdraw(
  runner: SqlRunner,
  pid: string,
  status: 'FAILED' | 'CANCELLED',
  error: StoredError | null,
  groupPid: string | null = null,
): Promise<boolean> {
  const ended = await runner.query(
    `update platform.command_execution
     set status = $2, error = $3::json, idempotency_key = null, finished_at = now(), group_pid = $4
     where pid = $1 and status in ('RECEIVED', 'RUNNING') returning pid`,
    [pid, status, error && JSON.stringify(error), groupPid],
  );
  return ended.length === 1;
}

/**
 * Executions that may need help: accepted more than `startMs` ago and not known to have a workflow, or
 * running for more than `endMs`. Those that a transaction is working on right now are left out.
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

/**
 * Writes down that an accepted execution has its workflow. Skips a locked row: a command that is being
 * applied ends soon.
 */
export async function markRunning(runner: SqlRunner, pid: string): Promise<void> {
  await runner.query(
    `update platform.command_execution set status = 'RUNNING' where pid in (
       select pid from platform.command_execution where pid = $1 and status = 'RECEIVED' for update skip locked)`,
    [pid],
  );
}

/**
 * Erases what executions were given and answered: of these, and of those since `firstPid` that were for a
 * record.
 */
export async function erasePayloads(
  runner: SqlRunner,
  { environment, tenantId, targetRecordId }: Pick<ExecutionRow, 'environment' | 'tenantId' | 'targetRecordId'>,
  executionPids: readonly string[],
  firstPid: string,
): Promise<void> {
  await runner.query(
    `update platform.command_execution set payload = '{}', result = null, error = (error::jsonb - 'data')::json
     where (pid = any($1) or pid >= $2 and target_record_id = $3) and environment = $4 and tenant_id = $5
       and status in ('SUCCEEDED', 'FAILED', 'CANCELLED')`,
    [executionPids, firstPid, targetRecordId, environment, tenantId],
  );
}
