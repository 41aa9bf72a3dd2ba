import { columnList, toRecordset, type RowOf } from '../../../../foundation/database/columns.ts';
import type { SqlRunner } from '../../../../foundation/database/pool.ts';
import type { StoredError } from '../../../../foundation/errors/failure.ts';
import type { AutomationStepEntity } from './automation-run.entity.ts';
import type { RunRow } from './run-store.ts';

/** The columns of a step that stay as they are. */
const IDENTITY = ['key', 'stepId', 'iteration', 'type'] as const;
const STATE = [
  'status',
  'attempt',
  'round',
  'control',
  'nextItem',
  'settled',
  'undoable',
  'error',
  'dueAt',
  'waitFor',
  'waitCorrelation',
  'approverRole',
  'approverUser',
  'startedAt',
  'finishedAt',
] as const;
export const STEP_COLUMNS = columnList([...IDENTITY, ...STATE]);

/** A step's row without its output, which can be large. */
export type StepRow = Pick<RowOf<typeof AutomationStepEntity>, (typeof IDENTITY | typeof STATE)[number]>;

/** A row to store; without `output` the stored one stays. */
export type StepToSave = StepRow & { readonly output?: unknown };

/** Flags of a step that the stream of its run does not show. */
export interface StepMark {
  readonly settled?: boolean;
  readonly undoable?: boolean;
}

/** What one attempt of a step has come to. */
export interface AttemptEnd {
  readonly status: 'SUCCEEDED' | 'FAILED' | 'RETRYING';
  readonly output: unknown;
  readonly error: StoredError | null;
  /** The delay before the next attempt; null where none follows. */
  readonly delayMs: number | null;
  /** The event that the step has sent. */
  readonly eventPid: string | null;
  readonly undoable: boolean;
}

export interface StepOutput {
  readonly key: string;
  readonly output: unknown;
  /** Whether it stays unchanged until a retry of the run. */
  readonly isFinal: boolean;
  readonly bytes: number;
}

/**
 * SQL condition: the steps of a run, read by the index of this name.
 *
 * Each index begins with an expression that contains its name, and the condition repeats that expression: a
 * plan that was made while runs were young cannot prefer another index.
 */
export function stepsByIndex(name: 'open' | 'unpublished' | 'undoable' | 'order', run = '$1::text'): string {
  return `run_pid || ':${name}' = ${run} || ':${name}'`;
}

/** SQL condition: the steps with these names, by the index of names. @param parameter takes `stepNames` */
export function stepsByName(parameter: string): string {
  return `run_pid || ':' || key = any(${parameter})`;
}

export function stepNames(runPid: string, keys: readonly string[]): string[] {
  return keys.map((key) => stepName(runPid, key));
}

function stepName(runPid: string, key: string): string {
  return `${runPid}:${key}`;
}

/** The steps that an advance looks at, in the order in which they began. */
export function openSteps(runner: SqlRunner, runPid: string): Promise<StepRow[]> {
  return runner.query<StepRow>(
    `select ${STEP_COLUMNS} from platform.automation_step
     where ${stepsByIndex('open')} and (not settled or status in ('RUNNING', 'RETRYING', 'WAITING')) order by ordinal`,
    [runPid],
  );
}

export function stepsByKeys(runner: SqlRunner, runPid: string, keys: readonly string[]): Promise<StepRow[]> {
  return runner.query<StepRow>(`select ${STEP_COLUMNS} from platform.automation_step where ${stepsByName('$1')}`, [
    stepNames(runPid, keys),
  ]);
}

/** The step to undo next: the one that succeeded last. */
export async function nextUndoable(runner: SqlRunner, runPid: string): Promise<StepRow | null> {
  const [row] = await runner.query<StepRow>(
    `select ${STEP_COLUMNS} from platform.automation_step where ${stepsByIndex('undoable')} and undoable
     order by finished_at desc, ordinal desc limit 1`,
    [runPid],
  );
  return row ?? null;
}

/** A step, with the number of its run's retries. */
export async function findStep(
  runner: SqlRunner,
  runPid: string,
  key: string,
): Promise<(StepRow & Pick<RunRow, 'retries'>) | null> {
  const [row] = await runner.query<StepRow & Pick<RunRow, 'retries'>>(
    `select ${STEP_COLUMNS}, (select retries from platform.automation_run where pid = run_pid)
     from platform.automation_step where run_pid = $1 and key = $2`,
    [runPid, key],
  );
  return row ?? null;
}

/** Counts the steps of a run. It reads only those that are not settled. */
export async function countSteps(runner: SqlRunner, runPid: string): Promise<{ started: number; finished: number }> {
  const [row] = await runner.query<{ started: number; finished: number }>(
    `select (r.settled_steps + s.started)::int as started, (r.settled_steps + s.finished)::int as finished
     from platform.automation_run r,
       (select count(*) as started, count(finished_at) as finished from platform.automation_step
        where ${stepsByIndex('open')} and not settled) s
     where r.pid = $1`,
    [runPid],
  );
  return row ?? { started: 0, finished: 0 };
}

/** The outputs of steps that have one. */
export function outputsOf(runner: SqlRunner, runPid: string, keys: readonly string[]): Promise<StepOutput[]> {
  return runner.query<StepOutput>(
    `select key, output, finished_at is not null or type = 'forEach' as is_final, octet_length(output::text) as bytes
     from platform.automation_step
     where ${stepsByName('$1')} and output is not null and status not in ('PENDING', 'FAILED')`,
    [stepNames(runPid, keys)],
  );
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

const SET_STATE = STATE.map((name) => `${columnList([name])} = excluded.${columnList([name])}`).join(', ');

/** Inserts or updates steps. The caller holds the run's lock. */
export async function saveSteps(
  transaction: SqlRunner,
  run: Pick<RunRow, 'pid' | 'environment' | 'tenantId'>,
  steps: readonly StepToSave[],
): Promise<void> {
  if (steps.length === 0) return;
  await transaction.query(
    `insert into platform.automation_step as s (run_pid, environment, tenant_id, ${STEP_COLUMNS}, output, published)
     select $1, $2, $3, ${STEP_COLUMNS}, output, false
     from json_populate_recordset(null::platform.automation_step, $4::json)
     on conflict (run_pid, key) do update
     set ${SET_STATE}, output = coalesce(excluded.output, s.output), published = false`,
    [run.pid, run.environment, run.tenantId, toRecordset(steps)],
  );
}

/** Changes flags of steps. The caller holds the run's lock. */
export async function markSteps(
  transaction: SqlRunner,
  runPid: string,
  marks: ReadonlyMap<string, StepMark>,
): Promise<void> {
  if (marks.size === 0) return;
  await transaction.query(
    `update platform.automation_step s
     set settled = coalesce(m.settled, s.settled), undoable = coalesce(m.undoable, s.undoable)
     from json_to_recordset($1::json) m (name text, settled boolean, undoable boolean)
     where ${stepsByName('$2')} and run_pid || ':' || key = m.name`,
    [
      toRecordset([...marks].map(([key, mark]) => ({ name: stepName(runPid, key), ...mark }))),
      stepNames(runPid, [...marks.keys()]),
    ],
  );
}

/** Ends an attempt. @returns false where it has ended before */
export async function endAttempt(
  transaction: SqlRunner,
  runPid: string,
  { key, attempt }: Pick<StepRow, 'key' | 'attempt'>,
  { status, output, error, delayMs, eventPid, undoable }: AttemptEnd,
): Promise<boolean> {
  const ended = await transaction.query(
    `update platform.automation_step
     set status = $4, output = $5::json, error = $6::json, event_pid = $7, undoable = $9, published = false,
       due_at = now() + $8 * interval '1 millisecond', finished_at = case when $4 = 'RETRYING' then null else now() end
     where run_pid = $1 and key = $2 and attempt = $3 and status = 'RUNNING' returning 1`,
    [
      runPid,
      key,
      attempt,
      status,
      output === undefined ? null : JSON.stringify(output),
      error && JSON.stringify(error),
      eventPid,
      delayMs,
      undoable,
    ],
  );
  return ended.length === 1;
}

/** Cancels the steps that have not ended. The caller holds the run's lock. */
export async function cancelSteps(transaction: SqlRunner, runPid: string): Promise<void> {
  await transaction.query(
    `update platform.automation_step
     set status = 'CANCELLED', due_at = null, wait_for = null, published = false, finished_at = clock_timestamp()
     where run_pid = $1 and status in ('PENDING', 'RUNNING', 'RETRYING', 'WAITING')`,
    [runPid],
  );
}

/** The next steps whose state is not in the run's stream, in the order in which they began. */
export function unpublishedSteps(runner: SqlRunner, runPid: string, limit: number): Promise<StepRow[]> {
  return runner.query<StepRow>(
    `select ${STEP_COLUMNS} from platform.automation_step
     where ${stepsByIndex('unpublished')} and not published order by ordinal limit $2`,
    [runPid, limit],
  );
}

/** Marks these states as published. A step that has changed meanwhile stays unpublished. */
export async function markPublished(runner: SqlRunner, runPid: string, steps: readonly StepRow[]): Promise<void> {
  const keys = steps.map(({ key }) => key);
  const states = steps.map(({ key, status, attempt, round }) => ({
    name: stepName(runPid, key),
    status,
    attempt,
    round,
  }));
  await runner.query(
    `update platform.automation_step s set published = true
     from json_to_recordset($1::json) as r (name text, status text, attempt int, round int)
     where ${stepsByName('$2')} and run_pid || ':' || key = r.name
       and s.status = r.status and s.attempt = r.attempt and s.round = r.round`,
    [toRecordset(states), stepNames(runPid, keys)],
  );
}
