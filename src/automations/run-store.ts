import type { SqlRunner } from '../database/pool.ts';
import type { StoredError } from '../errors/failure.ts';
import type { RunStatus, RunTrigger } from './automation-run.entity.ts';

/** A run's row. */
export interface RunRow {
  readonly pid: string;
  readonly environment: string;
  readonly tenant_id: string;
  readonly automation_code: string;
  readonly automation_pid: string;
  readonly version: number;
  readonly trigger: RunTrigger;
  readonly trigger_key: string | null;
  readonly user_id: string;
  readonly user_pid: string;
  readonly username: string;
  readonly roles: string[];
  readonly depth: number;
  readonly parent_run_pid: string | null;
  readonly input: Record<string, unknown>;
  readonly event: unknown;
  readonly status: RunStatus;
  readonly ending: 'FAILED' | 'CANCELLED' | null;
  readonly error: StoredError | null;
  readonly retries: number;
  readonly idempotency_key: string | null;
  readonly request_hash: string;
  readonly trace_id: string;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly finished_at: string | null;
}

export type NewRun = Omit<RunRow, 'ending' | 'retries' | 'created_at' | 'started_at' | 'finished_at'>;

/** What it takes to have a run's workflow look at it. */
export type Wakeable = Pick<RunRow, 'pid' | 'environment' | 'tenant_id' | 'automation_code' | 'status' | 'trace_id'>;

const WAKEABLE = 'pid, environment, tenant_id, automation_code, status, trace_id';

/**
 * Inserts runs that are to be woken. One that the same trigger or the same idempotency key has made before is left out.
 * @returns those that are new
 */
export function insertRuns(runner: SqlRunner, runs: readonly NewRun[]): Promise<Wakeable[]> {
  return runner.query<Wakeable>(
    `insert into platform.automation_run (pid, environment, tenant_id, automation_code, automation_pid, version, trigger, trigger_key,
       user_id, user_pid, username, roles, depth, parent_run_pid, input, event, status, error, idempotency_key, request_hash, trace_id,
       woken_at, finished_at)
     select pid, environment, tenant_id, automation_code, automation_pid, version, trigger, trigger_key, user_id, user_pid, username,
       roles, depth, parent_run_pid, input, event, status, error, idempotency_key, request_hash, trace_id,
       case when status = 'PENDING' then now() end, case when status = 'FAILED' then now() end
     from json_to_recordset($1::json) as r (pid text, environment text, tenant_id bigint, automation_code text, automation_pid text,
       version int, trigger text, trigger_key text, user_id bigint, user_pid text, username text, roles text[], depth int,
       parent_run_pid text, input json, event json, status text, error json, idempotency_key text, request_hash text, trace_id text)
     on conflict do nothing returning ${WAKEABLE}`,
    [JSON.stringify(runs)],
  );
}

export async function findRun(runner: SqlRunner, pid: string): Promise<RunRow | null> {
  const [row] = await runner.query<RunRow>('select * from platform.automation_run where pid = $1', [pid]);
  return row ?? null;
}

/** The run that holds an idempotency key. */
export async function findHolder(
  runner: SqlRunner,
  { environment, tenant_id: tenantId, user_id: userId, automation_code: code, idempotency_key: key }: NewRun,
): Promise<RunRow | null> {
  const [row] = await runner.query<RunRow>(
    `select * from platform.automation_run
     where environment = $1 and tenant_id = $2 and user_id = $3 and automation_code = $4 and idempotency_key = $5`,
    [environment, tenantId, userId, code, key],
  );
  return row ?? null;
}

/** A run that is held, and what else there is to know about it at this moment. */
export interface LockedRun extends RunRow {
  readonly now: string;
  readonly tenant_suspended: boolean;
}

/** Whoever changes a run or its steps holds its row. */
export async function lockRun(transaction: SqlRunner, pid: string): Promise<LockedRun | null> {
  const [row] = await transaction.query<LockedRun>(
    `select *, clock_timestamp()::timestamptz(3) as now,
       exists (select 1 from platform.tenant t where t.id = run.tenant_id and t.status = 'suspended') as tenant_suspended
     from platform.automation_run run where pid = $1 for update of run`,
    [pid],
  );
  return row ?? null;
}

/** Writes down where a run stands, and that its workflow has looked. */
export async function saveRun(transaction: SqlRunner, run: RunRow): Promise<void> {
  await transaction.query(
    `update platform.automation_run set status = $2, ending = $3, error = $4::json, started_at = $5, finished_at = $6, retries = $7,
       woken_at = null where pid = $1`,
    [
      run.pid,
      run.status,
      run.ending,
      run.error && JSON.stringify(run.error),
      run.started_at,
      run.finished_at,
      run.retries,
    ],
  );
}

/** Says that a run's workflow has something to look at. */
export async function markWoken(transaction: SqlRunner, pids: readonly string[]): Promise<Wakeable[]> {
  return transaction.query<Wakeable>(
    `update platform.automation_run set woken_at = now() where pid = any($1) returning ${WAKEABLE}`,
    [pids],
  );
}

/** Runs whose workflows were not reached for `afterMs`; they count as woken anew. */
export function takeOverdue(runner: SqlRunner, afterMs: number, limit: number): Promise<Wakeable[]> {
  return runner.query<Wakeable>(
    `update platform.automation_run set woken_at = now() where pid in (
       select pid from platform.automation_run where woken_at < now() - $1 * interval '1 millisecond'
       order by woken_at limit $2 for update skip locked) returning ${WAKEABLE}`,
    [afterMs, limit],
  );
}

/** Those of these runs that have not ended, and that nobody is about to give another workflow. */
export function openRuns(runner: SqlRunner, pids: readonly string[]): Promise<Wakeable[]> {
  return runner.query<Wakeable>(
    `select ${WAKEABLE} from platform.automation_run
     where pid = any($1) and status in ('PENDING', 'RUNNING', 'WAITING') and woken_at is null`,
    [pids],
  );
}

/** Whether any run at all has not ended: a look into the index of those that have not. */
export async function hasOpenRuns(runner: SqlRunner): Promise<boolean> {
  const [row] = await runner.query<{ found: boolean }>(
    `select exists (select 1 from platform.automation_run where status in ('PENDING', 'RUNNING', 'WAITING')) as found`,
  );
  return row?.found ?? false;
}

export interface RunFilter {
  readonly environment: string;
  readonly tenantId: string;
  readonly codes: readonly string[];
  readonly status: RunStatus | null;
}

export async function listRuns(
  runner: SqlRunner,
  { environment, tenantId, codes, status }: RunFilter,
  limit: number,
  offset: number,
): Promise<{ runs: RunRow[]; total: number }> {
  const where = `environment = $1 and tenant_id = $2 and automation_code = any($3) and ($4::text is null or status = $4)`;
  const values = [environment, tenantId, codes, status];
  const [runs, [counted]] = await Promise.all([
    runner.query<RunRow>(`select * from platform.automation_run where ${where} order by pid desc limit $5 offset $6`, [
      ...values,
      limit,
      offset,
    ]),
    runner.query<{ total: number }>(
      `select count(*)::int as total from platform.automation_run where ${where}`,
      values,
    ),
  ]);
  return { runs, total: counted?.total ?? 0 };
}

/** The codes of the automations that a tenant has runs of, those that have left the configuration included. */
export async function codesWithRuns(runner: SqlRunner, environment: string, tenantId: string): Promise<string[]> {
  const rows = await runner.query<{ automation_code: string }>(
    'select distinct automation_code from platform.automation_run where environment = $1 and tenant_id = $2',
    [environment, tenantId],
  );
  return rows.map(({ automation_code: code }) => code);
}
