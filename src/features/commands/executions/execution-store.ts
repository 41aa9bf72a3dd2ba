import { columnList, toRecordset, type RowOf } from '../../../foundation/database/columns.ts';
import { firstPidAt } from '../../../foundation/database/pid.ts';
import type { SqlRunner } from '../../../foundation/database/pool.ts';
import type { StoredError } from '../../../foundation/errors/failure.ts';
import { IDEMPOTENCY_WINDOW_HOURS } from '../commands.limits.ts';
import type { ExecutionEntity } from './execution.entity.ts';

export type ExecutionRow = RowOf<typeof ExecutionEntity>;

export const NEW_EXECUTION = [
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
  'matchOn',
  'metadataVersion',
  'payload',
  'idempotencyKey',
  'requestHash',
  'traceId',
  'runPid',
  'nodePid',
] as const;

/** What an execution becomes, beside its result. */
export const STATE_OF_EXECUTION = [
  'status',
  'error',
  'groupPid',
  'batchPid',
  'batchIndex',
  'createdAt',
  'finishedAt',
] as const;

export type NewExecution = Pick<ExecutionRow, (typeof NEW_EXECUTION)[number]>;

const INSERT = `insert into platform.command_execution (${columnList(NEW_EXECUTION)}, status)
select ${columnList(NEW_EXECUTION)}, 'RECEIVED' from json_populate_recordset(null::platform.command_execution, $1::json)
on conflict (environment, tenant_id, user_id, command_code, idempotency_key) where idempotency_key is not null do nothing
returning pid`;

export function isUnfinished({ status }: Pick<ExecutionRow, 'status'>): boolean {
  return status === 'RECEIVED' || status === 'RUNNING';
}

/**
 * The statements of the command hot path. They are written by hand, beside the entity: one insert to claim,
 * and in the transaction one to lock and one to finish.
 */

/**
 * Claims the idempotency keys of executions and stores their input.
 * @returns for each, in their order, whether it is stored: false when another execution holds the key
 */
export async function insertExecutions(runner: SqlRunner, executions: readonly NewExecution[]): Promise<boolean[]> {
  const inserted = await runner.query<Pick<ExecutionRow, 'pid'>>(INSERT, [toRecordset(executions)]);
  const pids = new Set(inserted.map(({ pid }) => pid));
  return executions.map(({ pid }) => pids.has(pid));
}

/** The execution that holds a key. A key whose window is over is set free first, so it gives null. */
export async function findByIdempotencyKey(runner: SqlRunner, wanted: NewExecution): Promise<ExecutionRow | null> {
  const [row] = await findByIdempotencyKeys(runner, wanted, [wanted.idempotencyKey]);
  return row ?? null;
}

/** The same for keys that executions like `wanted` could have. */
export async function findByIdempotencyKeys(
  runner: SqlRunner,
  { environment, tenantId, userId, commandCode }: NewExecution,
  keys: readonly (string | null)[],
): Promise<ExecutionRow[]> {
  const values = [environment, tenantId, userId, commandCode, keys];
  const where =
    'environment = $1 and tenant_id = $2 and user_id = $3 and command_code = $4 and idempotency_key = any($5)';
  await runner.query(
    `update platform.command_execution set idempotency_key = null
     where ${where} and created_at < now() - interval '${IDEMPOTENCY_WINDOW_HOURS} hours'`,
    values,
  );
  return runner.query<ExecutionRow>(`select * from platform.command_execution where ${where}`, values);
}

/** The executions of a group, in no order. */
export function findExecutions(runner: SqlRunner, pids: readonly string[]): Promise<ExecutionRow[]> {
  return runner.query<ExecutionRow>(
    // One look-up for each: for a list, a plan made while the table was small would read all of it.
    `select e.* from unnest($1::text[]) wanted(pid)
     cross join lateral (select * from platform.command_execution where pid = wanted.pid limit 1) e`,
    [pids],
  );
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
export type ExecutionCaller = Pick<ExecutionRow, (typeof CALLER)[number]>;

/** The callers of executions, by execution. */
export async function callersOf(
  runner: SqlRunner,
  executionPids: readonly string[],
): Promise<Map<string, ExecutionCaller>> {
  const text = `select ${columnList(CALLER)} from platform.command_execution where pid = any($1)`;
  return new Map((await runner.query<ExecutionCaller>(text, [executionPids])).map((caller) => [caller.pid, caller]));
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
  const [row] = await transaction.query<ExecutionRow>(...lock('e.*', 'e.pid = $1', pid, statementTimeoutMs));
  return row ?? null;
}

/** The same for one that is still to be done. False, without a tenant, where it has ended or is none. */
export async function lockUnfinished(
  transaction: SqlRunner,
  pid: string,
  statementTimeoutMs?: number,
): Promise<boolean> {
  const unfinished = `e.pid = $1 and e.status in ('RECEIVED', 'RUNNING')`;
  const rows = await transaction.query(...lock('e.pid', unfinished, pid, statementTimeoutMs));
  return rows.length > 0;
}

function lock(columns: string, where: string, pid: string, statementTimeoutMs?: number): [string, string[]] {
  const limited = statementTimeoutMs === undefined ? '' : `, set_config('statement_timeout', $2, true)`;
  const text = `select ${columns}, set_config('keelson.tenant_id', e.tenant_id::text, true)${limited}
    from platform.command_execution e where ${where} for update`;
  return [text, statementTimeoutMs === undefined ? [pid] : [pid, String(statementTimeoutMs)]];
}

/**
 * Ends an unfinished execution, and the unfinished items of a batch, without effect and frees their keys.
 * False when it had already ended.
 */
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
     where (pid = $1 or batch_pid = $1) and status in ('RECEIVED', 'RUNNING') returning pid`,
    [pid, status, error && JSON.stringify(error), groupPid],
  );
  return ended.length > 0;
}

/** Processes that accepted executions at least `ageMs` ago and have not recorded a workflow for them. */
export async function nodesWithWaiting(runner: SqlRunner, ageMs: number): Promise<string[]> {
  const rows = await runner.query<Pick<ExecutionRow, 'nodePid'>>(
    `select distinct node_pid from platform.command_execution
     where status = 'RECEIVED' and created_at < now() - $1 * interval '1 millisecond' and node_pid is not null limit 100`,
    [ageMs],
  );
  return rows.map(({ nodePid }) => nodePid ?? '');
}

/**
 * Executions that may need help: accepted more than `startMs` ago and not known to have a workflow, or
 * more than `abandonedMs` ago by one of the processes that are dead, or running for more than `endMs`. Those
 * that a transaction is working on right now are left out, and so are the items of batches: their batch has
 * the workflow.
 */
export function findOverdue(
  runner: SqlRunner,
  { startMs, abandonedMs, endMs }: { startMs: number; abandonedMs: number; endMs: number },
  deadNodes: readonly string[],
  limit: number,
): Promise<ExecutionRow[]> {
  return runner.query<ExecutionRow>(
    `select * from platform.command_execution
     where (status = 'RECEIVED' and created_at < now() - $1 * interval '1 millisecond'
         or status = 'RECEIVED' and created_at < now() - $2 * interval '1 millisecond' and node_pid = any($3)
         or status = 'RUNNING' and created_at < now() - $4 * interval '1 millisecond')
       and (batch_pid is null or batch_pid = pid)
     order by status, created_at limit $5 for update skip locked`,
    [startMs, abandonedMs, deadNodes, endMs, limit],
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
