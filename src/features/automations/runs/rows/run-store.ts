import { columnList, toRecordset, type RowOf } from '../../../../foundation/database/columns.ts';
import type { Database, SqlRunner } from '../../../../foundation/database/pool.ts';
import { MAX_RECORDS_LENGTH } from '../../../../foundation/database/result-types.ts';
import type { EventConsequences, TracedRun } from '../../../../platform/events/event-consequences.ts';
import { permissionCode } from '../../../../platform/metadata/permissions/permission-codes.ts';
import { isSuspendedTenant } from '../../../../platform/auth/accounts/tenant.entity.ts';
import type { AutomationRunEntity, RunStatus } from './automation-run.entity.ts';

export type RunRow = RowOf<typeof AutomationRunEntity>;

const RUN_ENDS: ReadonlySet<RunStatus> = new Set(['SUCCEEDED', 'FAILED', 'CANCELLED']);

export function hasRunEnded({ status }: Pick<RunRow, 'status'>): boolean {
  return RUN_ENDS.has(status);
}

const NEW_RUN = [
  'pid',
  'environment',
  'tenantId',
  'automationCode',
  'automationPid',
  'version',
  'trigger',
  'triggerKey',
  'userId',
  'userPid',
  'username',
  'keyMadeBy',
  'roles',
  'depth',
  'parentRunPid',
  'input',
  'inputOrigin',
  'event',
  'status',
  'error',
  'idempotencyKey',
  'requestHash',
  'traceId',
] as const;
const NEW_COLUMNS = columnList(NEW_RUN);

export type NewRun = Pick<RunRow, (typeof NEW_RUN)[number]>;

const SIGNAL_TARGET = ['pid', 'environment', 'tenantId', 'automationCode', 'status', 'traceId'] as const;
const TARGET_COLUMNS = columnList(SIGNAL_TARGET);

/** The columns needed to signal a run's workflow. */
export type SignalTarget = Pick<RunRow, (typeof SIGNAL_TARGET)[number]>;

/**
 * Inserts runs, and marks them for a signal. A run that the same trigger or idempotency key has made before
 * is skipped.
 * @returns the inserted runs
 */
export function insertRuns(runner: SqlRunner, runs: readonly NewRun[]): Promise<SignalTarget[]> {
  return runner.query<SignalTarget>(
    `insert into platform.automation_run (${NEW_COLUMNS}, woken_at, finished_at)
     select ${NEW_COLUMNS}, case when status = 'PENDING' then now() end, case when status = 'FAILED' then now() end
     from json_populate_recordset(null::platform.automation_run, $1::json)
     on conflict do nothing returning ${TARGET_COLUMNS}`,
    [toRecordset(runs)],
  );
}

export async function findRun(runner: SqlRunner, pid: string): Promise<RunRow | null> {
  const [row] = await runner.query<RunRow>('select * from platform.automation_run where pid = $1', [pid]);
  return row ?? null;
}

/** Runs by their pids, in no order. */
export function findRuns(runner: SqlRunner, pids: readonly string[]): Promise<RunRow[]> {
  return runner.query<RunRow>('select * from platform.automation_run where pid = any($1)', [pids]);
}

/** The run that holds an idempotency key. */
export async function findByIdempotencyKey(
  runner: SqlRunner,
  { environment, tenantId, userId, automationCode: code, idempotencyKey: key }: NewRun,
): Promise<RunRow | null> {
  const [row] = await runner.query<RunRow>(
    `select * from platform.automation_run
     where environment = $1 and tenant_id = $2 and user_id = $3 and automation_code = $4 and idempotency_key = $5`,
    [environment, tenantId, userId, code, key],
  );
  return row ?? null;
}

const CHANGING = columnList([
  'status',
  'ending',
  'error',
  'retries',
  'settledSteps',
  'items',
  'wokenAt',
  'startedAt',
  'finishedAt',
]);

/** A locked run, with its tenant's state at that moment. */
export interface LockedRun extends RunRow {
  readonly now: string;
  readonly tenantSuspended: boolean;
}

/**
 * Locks a run. Every change of a run or its steps takes this lock.
 * @param known the run as it was read before: its input and event, which can be large, do not change
 */
export async function lockRun(transaction: SqlRunner, known: RunRow): Promise<LockedRun | null> {
  const [row] = await transaction.query<Pick<LockedRun, 'now' | 'tenantSuspended'>>(
    `select ${CHANGING}, clock_timestamp()::timestamptz(3) as now,
       ${isSuspendedTenant('run.tenant_id')} as tenant_suspended
     from platform.automation_run run where pid = $1 for update of run`,
    [known.pid],
  );
  return row ? { ...known, ...row } : null;
}

/** Stores a run's state, and clears its mark: the workflow has read the changes. */
export async function saveRun(transaction: SqlRunner, run: RunRow): Promise<void> {
  await transaction.query(
    `update platform.automation_run set status = $2, ending = $3, error = $4::json, started_at = $5, finished_at = $6, retries = $7,
       settled_steps = $8, items = $9, woken_at = null where pid = $1`,
    [
      run.pid,
      run.status,
      run.ending,
      run.error && JSON.stringify(run.error),
      run.startedAt,
      run.finishedAt,
      run.retries,
      run.settledSteps,
      run.items,
    ],
  );
}

/** Marks runs whose workflows have changes to read. */
export async function markForSignal(transaction: SqlRunner, pids: readonly string[]): Promise<SignalTarget[]> {
  return transaction.query<SignalTarget>(
    `update platform.automation_run set woken_at = now() where pid = any($1) returning ${TARGET_COLUMNS}`,
    [pids],
  );
}

/** Locks runs that have been marked for `afterMs`, and marks them anew. */
export function takeOverdue(runner: SqlRunner, afterMs: number, limit: number): Promise<SignalTarget[]> {
  return runner.query<SignalTarget>(
    `update platform.automation_run set woken_at = now() where pid in (
       select pid from platform.automation_run where woken_at < now() - $1 * interval '1 millisecond'
       order by woken_at limit $2 for update skip locked) returning ${TARGET_COLUMNS}`,
    [afterMs, limit],
  );
}

/** Those of these runs that have not ended and are not marked: a marked run gets another workflow anyway. */
export function openRuns(runner: SqlRunner, pids: readonly string[]): Promise<SignalTarget[]> {
  return runner.query<SignalTarget>(
    `select ${TARGET_COLUMNS} from platform.automation_run
     where pid = any($1) and status in ('PENDING', 'RUNNING', 'WAITING') and woken_at is null`,
    [pids],
  );
}

/** Marks all open runs, so that the sweep signals or starts their workflows. */
export async function markOpenRuns(runner: SqlRunner): Promise<void> {
  await runner.query(
    `update platform.automation_run set woken_at = now()
     where status in ('PENDING', 'RUNNING', 'WAITING') and woken_at is null`,
  );
}

/** Whether any run has not ended: one read of a partial index. */
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
  /** Pid of the person who has caused them. */
  readonly startedBy: string | null;
}

/** @throws CONFLICT (TOO_LARGE) */
export async function listRuns(
  database: Database,
  { environment, tenantId, codes, status, startedBy }: RunFilter,
  limit: number,
  offset: number,
): Promise<{ runs: RunRow[]; total: number }> {
  const where = `environment = $1 and tenant_id = $2 and automation_code = any($3) and ($4::text is null or status = $4)
    and ($5::text is null or user_pid = $5)`;
  const values = [environment, tenantId, codes, status, startedBy];
  const [runs, [counted]] = await Promise.all([
    database.query<RunRow>(
      `select * from platform.automation_run where ${where} order by pid desc limit $6 offset $7`,
      [...values, limit, offset],
      MAX_RECORDS_LENGTH,
    ),
    database.query<{ total: number }>(
      `select count(*)::int as total from platform.automation_run where ${where}`,
      values,
    ),
  ]);
  return { runs, total: counted?.total ?? 0 };
}

/** The codes of the automations that a tenant has runs of, deleted automations included. */
export async function codesWithRuns(runner: SqlRunner, environment: string, tenantId: string): Promise<string[]> {
  const rows = await runner.query<{ automationCode: string }>(
    'select distinct automation_code from platform.automation_run where environment = $1 and tenant_id = $2',
    [environment, tenantId],
  );
  return rows.map(({ automationCode: code }) => code);
}

/**
 * The runs of a trace, for who may run their automations. A trigger's key begins with the pid of its event.
 */
export function tracedRuns(database: Database): NonNullable<EventConsequences['runs']> {
  return async ({ traceId, eventPids, limit }, { tenantId, metadata, permissions }) => {
    const runs = await database.query<TracedRun>(
      `select r.pid as run_pid, r.automation_code, r.status, r.created_at, r.finished_at,
         case when r.trigger in ('event', 'command') then split_part(r.trigger_key, '#', 1) end as event_pid,
         array(select s.event_pid from platform.automation_step s
           where s.event_pid = any($4) and s.run_pid = r.pid) as sent_event_pids
       from platform.automation_run r where r.trace_id = $1 and r.tenant_id = $2 and r.environment = $3
       order by r.pid limit $5`,
      [traceId, tenantId, metadata.environment, eventPids, limit],
    );
    return runs.filter(({ automationCode }) => permissions.has(permissionCode.automationRun(automationCode)));
  };
}
