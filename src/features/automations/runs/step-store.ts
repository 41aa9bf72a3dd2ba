import { columnList, toRecordset } from '../../../foundation/database/columns.ts';
import type { RowOf } from '../../../foundation/database/platform-row.ts';
import type { SqlRunner } from '../../../foundation/database/pool.ts';
import type { StoredError } from '../../../foundation/errors/failure.ts';
import type { OutboxEvent } from '../../../platform/events/outbox.ts';
import type { AutomationStepEntity } from './automation-run.entity.ts';
import type { RunRow } from './run-store.ts';

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
       wait_for = excluded.wait_for, approver_role = excluded.approver_role, approver_user = excluded.approver_user, told = false,
       started_at = excluded.started_at, finished_at = excluded.finished_at`,
    [run.pid, run.environment, run.tenantId, toRecordset(steps)],
  );
}

/** A step that waits for an event. */
export type WaitingStep = Pick<RowOf<typeof AutomationStepEntity>, 'runPid' | 'environment' | 'tenantId' | 'key'> & {
  readonly waitFor: string;
};

/** The waiting steps of the tenants and environments that these events belong to, oldest first. */
export function stepsWaitingFor(runner: SqlRunner, events: readonly OutboxEvent[]): Promise<WaitingStep[]> {
  const owners = [...new Set(events.map(({ environment, tenantId }) => `${environment}:${tenantId}`))];
  return runner.query<WaitingStep>(
    `select s.run_pid, s.environment, s.tenant_id, s.key, s.wait_for
     from unnest($1::text[], $2::bigint[]) as o (environment, tenant_id)
     join platform.automation_step s on s.environment = o.environment and s.tenant_id = o.tenant_id
     where s.status = 'WAITING' and s.wait_for is not null order by s.run_pid, s.ordinal`,
    [owners.map((owner) => owner.split(':')[0]), owners.map((owner) => owner.split(':')[1])],
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
