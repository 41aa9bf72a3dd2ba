import type { SqlRunner } from '../database/pool.ts';
import type { StoredError } from '../errors/failure.ts';
import type { StepStatus } from './automation-run.entity.ts';

/** A step's row without its output, which can be large. */
export interface StepRow {
  readonly key: string;
  readonly step_id: string;
  readonly iteration: readonly number[];
  readonly type: string;
  readonly status: StepStatus;
  readonly attempt: number;
  readonly round: number;
  readonly control: number | null;
  readonly error: StoredError | null;
  readonly due_at: string | null;
  readonly wait_for: string | null;
  readonly approver_role: string | null;
  readonly approver_user: string | null;
  readonly started_at: string | null;
  readonly finished_at: string | null;
}

/** A change of a step; `output` undefined leaves that as it is. */
export type StepChange = StepRow & { readonly output?: unknown };

const COLUMNS = `key, step_id, iteration, type, status, attempt, round, control, error, due_at, wait_for, approver_role, approver_user,
  started_at, finished_at`;

/** Every step that has begun, in the order in which they did. */
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

/** What these steps gave, by key. */
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

/** Writes steps as they are now. Holding the run's row is the caller's. */
export async function saveSteps(
  transaction: SqlRunner,
  run: { readonly pid: string; readonly environment: string; readonly tenant_id: string },
  steps: readonly StepChange[],
): Promise<void> {
  if (steps.length === 0) return;
  const rows = steps.map(({ output, ...step }) => ({
    ...step,
    output: output === undefined ? null : JSON.stringify(output),
  }));
  await transaction.query(
    `insert into platform.automation_step as s (run_pid, environment, tenant_id, key, step_id, iteration, type, status, attempt, round,
       control, output, error, due_at, wait_for, approver_role, approver_user, told, started_at, finished_at)
     select $1, $2, $3, key, step_id, iteration, type, status, attempt, round, control, output::json, error, due_at, wait_for,
       approver_role, approver_user, false, started_at, finished_at
     from json_to_recordset($4::json) as r (key text, step_id text, iteration int[], type text, status text, attempt int, round int,
       control int, output text, error json, due_at timestamptz, wait_for text, approver_role text,
       approver_user text, started_at timestamptz, finished_at timestamptz)
     on conflict (run_pid, key) do update set status = excluded.status, attempt = excluded.attempt, round = excluded.round,
       control = excluded.control, output = coalesce(excluded.output, s.output), error = excluded.error, due_at = excluded.due_at,
       wait_for = excluded.wait_for, approver_role = excluded.approver_role, approver_user = excluded.approver_user, told = false,
       started_at = excluded.started_at, finished_at = excluded.finished_at`,
    [run.pid, run.environment, run.tenant_id, JSON.stringify(rows)],
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

/** Ends an attempt. False when it is not under way any more. */
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

/** Steps whose present state the run's stream does not have, in the order in which they began. */
export function untoldSteps(runner: SqlRunner, runPid: string): Promise<StepRow[]> {
  return runner.query<StepRow>(
    `select ${COLUMNS} from platform.automation_step where run_pid = $1 and not told order by ordinal`,
    [runPid],
  );
}

/** The stream has these steps as they are here; one that has changed since is told again. */
export async function markTold(runner: SqlRunner, runPid: string, steps: readonly StepRow[]): Promise<void> {
  await runner.query(
    `update platform.automation_step s set told = true
     from json_to_recordset($2::json) as r (key text, status text, attempt int, round int)
     where s.run_pid = $1 and s.key = r.key and s.status = r.status and s.attempt = r.attempt and s.round = r.round`,
    [runPid, JSON.stringify(steps.map(({ key, status, attempt, round }) => ({ key, status, attempt, round })))],
  );
}

export async function countSteps(runner: SqlRunner, runPid: string): Promise<{ begun: number; finished: number }> {
  const [row] = await runner.query<{ begun: number; finished: number }>(
    `select count(*)::int as begun, count(finished_at)::int as finished from platform.automation_step where run_pid = $1`,
    [runPid],
  );
  return row ?? { begun: 0, finished: 0 };
}
