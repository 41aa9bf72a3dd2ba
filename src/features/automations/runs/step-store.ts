import { columnList, toRecordset } from '../../../foundation/database/columns.ts';
import type { RowOf } from '../../../foundation/database/platform-row.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import type { SqlRunner } from '../../../foundation/database/pool.ts';
import type { StoredError } from '../../../foundation/errors/failure.ts';
import type { AutomationStepEntity } from './automation-run.entity.ts';
import type { RunRow } from './run-store.ts';
import { MAX_SHOWN_OUTPUT_BYTES, MAX_SHOWN_OUTPUTS_BYTES } from '../automations.limits.ts';

const STEP = [
  'key',
  'stepId',
  'iteration',
  'type',
  'status',
  'attempt',
  'round',
  'control',
  'error',
  'dueAt',
  'waitFor',
  'waitCorrelation',
  'approverRole',
  'approverUser',
  'startedAt',
  'finishedAt',
] as const;
const COLUMNS = columnList(STEP);

/** A step's row without its output, which can be large. */
export type StepRow = Pick<RowOf<typeof AutomationStepEntity>, (typeof STEP)[number]>;

/** A change of a step; without `output` that stays as it is. */
export type StepChange = StepRow & { readonly output?: unknown };

/** The started steps of a run, in the order of their start. */
export function stepsOfRun(runner: SqlRunner, runPid: string): Promise<StepRow[]> {
  return runner.query<StepRow>(`select ${COLUMNS} from platform.automation_step where run_pid = $1 order by ordinal`, [
    runPid,
  ]);
}

export async function findStep(runner: SqlRunner, runPid: string, key: string): Promise<StepRow | null> {
  const [row] = await runner.query<StepRow>(
    `select ${COLUMNS} from platform.automation_step where run_pid = $1 and key = $2`,
    [runPid, key],
  );
  return row ?? null;
}

/** The outputs of steps, by key. */
export async function outputsOf(
  runner: SqlRunner,
  runPid: string,
  keys: readonly string[],
): Promise<Map<string, unknown>> {
  const rows = await runner.query<{ key: string; output: unknown }>(
    `select key, output from platform.automation_step
     where run_pid = $1 and key = any($2) and output is not null and status not in ('PENDING', 'FAILED')`,
    [runPid, keys],
  );
  return new Map(rows.map(({ key, output }) => [key, output]));
}

/** The outputs of steps of several runs, by run and key, in one statement. */
export async function outputsOfRuns(
  runner: SqlRunner,
  wanted: readonly { runPid: string; key: string }[],
): Promise<Map<string, Map<string, unknown>>> {
  if (wanted.length === 0) return new Map();
  const rows = await runner.query<{ runPid: string; key: string; output: unknown }>(
    `select s.run_pid, s.key, s.output from unnest($1::text[], $2::text[]) as w (run_pid, key)
     join platform.automation_step s on s.run_pid = w.run_pid and s.key = w.key
     where s.output is not null and s.status not in ('PENDING', 'FAILED')`,
    [wanted.map(({ runPid }) => runPid), wanted.map(({ key }) => key)],
  );
  const outputs = Map.groupBy(rows, ({ runPid }) => runPid);
  return new Map([...outputs].map(([pid, own]) => [pid, new Map(own.map(({ key, output }) => [key, output]))]));
}

/** The outputs of a run that are shown with it, by key: the first ones, without those that are large. */
export async function shownOutputs(runner: SqlRunner, runPid: string): Promise<Map<string, unknown>> {
  const rows = await runner.query<{ key: string; output: unknown }>(
    `select key, output from (
       select key, output, sum(octet_length(output::text)) over (order by ordinal) as total
       from platform.automation_step
       where run_pid = $1 and output is not null and octet_length(output::text) <= $2) o where total <= $3`,
    [runPid, MAX_SHOWN_OUTPUT_BYTES, MAX_SHOWN_OUTPUTS_BYTES],
  );
  return new Map(rows.map(({ key, output }) => [key, output]));
}

/** A step that waits for the decision of a person. */
export interface WaitingApprovalRow {
  readonly runPid: string;
  readonly stepId: string;
  readonly step: string;
  readonly message: unknown;
  readonly since: string;
  readonly due: string | null;
}

/** The approvals that a user is asked for, by a role or by pid, the oldest first. */
export async function waitingApprovals(
  runner: SqlRunner,
  { metadata, tenantId, roles, userPid }: Actor,
  limit: number,
  offset: number,
): Promise<{ rows: WaitingApprovalRow[]; total: number }> {
  const where = `environment = $1 and tenant_id = $2 and type = 'approval' and status = 'WAITING'
    and (approver_role = any($3) or approver_user = $4)`;
  const values = [metadata.environment, tenantId, roles, userPid];
  const [rows, [counted]] = await Promise.all([
    runner.query<WaitingApprovalRow>(
      `select run_pid, step_id, key as step, output -> 'message' as message, started_at as since, due_at as due
       from platform.automation_step where ${where} order by ordinal limit $5 offset $6`,
      [...values, limit, offset],
    ),
    runner.query<{ total: number }>(
      `select count(*)::int as total from platform.automation_step where ${where}`,
      values,
    ),
  ]);
  return { rows, total: counted?.total ?? 0 };
}

/** Stores steps. The caller holds the run's lock. */
export async function saveSteps(
  transaction: SqlRunner,
  run: Pick<RunRow, 'pid' | 'environment' | 'tenantId'>,
  steps: readonly StepChange[],
): Promise<void> {
  if (steps.length === 0) return;
  await transaction.query(
    `insert into platform.automation_step as s (run_pid, environment, tenant_id, ${COLUMNS}, output, told)
     select $1, $2, $3, ${COLUMNS}, output, false from json_populate_recordset(null::platform.automation_step, $4::json)
     on conflict (run_pid, key) do update set status = excluded.status, attempt = excluded.attempt, round = excluded.round,
       control = excluded.control, output = coalesce(excluded.output, s.output), error = excluded.error, due_at = excluded.due_at,
       wait_for = excluded.wait_for, wait_correlation = excluded.wait_correlation, approver_role = excluded.approver_role, approver_user = excluded.approver_user, told = false,
       started_at = excluded.started_at, finished_at = excluded.finished_at`,
    [run.pid, run.environment, run.tenantId, toRecordset(steps)],
  );
}

/** How an attempt of a step ended. */
export interface StepEnd {
  readonly status: 'SUCCEEDED' | 'FAILED' | 'RETRYING';
  readonly output: unknown;
  readonly error: StoredError | null;
  readonly delayMs: number | null;
  readonly eventPid: string | null;
}

/** Ends an attempt. False where it has ended before. */
export async function endAttempt(
  transaction: SqlRunner,
  runPid: string,
  { key, attempt }: Pick<StepRow, 'key' | 'attempt'>,
  { status, output, error, delayMs, eventPid }: StepEnd,
): Promise<boolean> {
  const ended = await transaction.query(
    `update platform.automation_step set status = $4, output = $5::json, error = $6::json, event_pid = $7, told = false,
       due_at = now() + $8 * interval '1 millisecond', finished_at = case when $4 = 'RETRYING' then null else now() end
     where run_pid = $1 and key = $2 and attempt = $3 and status = 'RUNNING' returning 1`,
    [
      ...[runPid, key, attempt, status, output === undefined ? null : JSON.stringify(output)],
      ...[error && JSON.stringify(error), eventPid, delayMs],
    ],
  );
  return ended.length === 1;
}

export async function deleteSteps(transaction: SqlRunner, runPid: string, keys: readonly string[]): Promise<void> {
  await transaction.query('delete from platform.automation_step where run_pid = $1 and key = any($2)', [runPid, keys]);
}

/** Steps whose state is not in the run's stream, in the order in which they began. */
export function unpublishedSteps(runner: SqlRunner, runPid: string): Promise<StepRow[]> {
  return runner.query<StepRow>(
    `select ${COLUMNS} from platform.automation_step where run_pid = $1 and not told order by ordinal`,
    [runPid],
  );
}

/** Marks these states as published. A step that has changed meanwhile stays unpublished. */
export async function markPublished(runner: SqlRunner, runPid: string, steps: readonly StepRow[]): Promise<void> {
  await runner.query(
    `update platform.automation_step s set told = true
     from json_to_recordset($2::json) as r (key text, status text, attempt int, round int)
     where s.run_pid = $1 and s.key = r.key and s.status = r.status and s.attempt = r.attempt and s.round = r.round`,
    [runPid, JSON.stringify(steps.map(({ key, status, attempt, round }) => ({ key, status, attempt, round })))],
  );
}

export async function countSteps(runner: SqlRunner, runPid: string): Promise<{ started: number; finished: number }> {
  const [row] = await runner.query<{ started: number; finished: number }>(
    `select count(*)::int as started, count(finished_at)::int as finished from platform.automation_step where run_pid = $1`,
    [runPid],
  );
  return row ?? { started: 0, finished: 0 };
}
