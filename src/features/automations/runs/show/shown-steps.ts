import type { SqlRunner } from '../../../../foundation/database/pool.ts';
import { MAX_SHOWN_OUTPUT_BYTES, MAX_SHOWN_OUTPUTS_BYTES } from '../../automations.limits.ts';
import type { StepStatus } from '../rows/automation-run.entity.ts';
import { countSteps, stepsByIndex, stepsByName, stepNames, STEP_COLUMNS, type StepRow } from '../rows/step-store.ts';

/** Some steps of a run, with their number. */
export interface StepPage {
  readonly steps: readonly StepRow[];
  readonly total: number;
}

/** Steps of a run in the order in which they began; those of any status where `status` is null. */
export async function pageOfSteps(
  runner: SqlRunner,
  runPid: string,
  status: StepStatus | null,
  limit: number,
  offset: number,
): Promise<StepPage> {
  const [steps, total] = await Promise.all([
    runner.query<StepRow>(
      `select ${STEP_COLUMNS} from platform.automation_step
       where ${stepsByIndex('order')} and ($2::text is null or status = $2) order by ordinal limit $3 offset $4`,
      [runPid, status, limit, offset],
    ),
    status === null ? countSteps(runner, runPid).then(({ started }) => started) : countIn(runner, runPid, status),
  ]);
  return { steps, total };
}

async function countIn(runner: SqlRunner, runPid: string, status: StepStatus): Promise<number> {
  const [row] = await runner.query<{ total: number }>(
    'select count(*)::int as total from platform.automation_step where run_pid = $1 and status = $2',
    [runPid, status],
  );
  return row?.total ?? 0;
}

/** The outputs of steps that are shown with them, by key: the first ones, without those that are large. */
export async function shownOutputs(
  runner: SqlRunner,
  runPid: string,
  steps: readonly StepRow[],
): Promise<Map<string, unknown>> {
  const rows = await runner.query<{ key: string; output: unknown }>(
    `select key, output from (
       select key, output, sum(octet_length(output::text)) over (order by ordinal) as total
       from platform.automation_step
       where ${stepsByName('$1')} and output is not null and octet_length(output::text) <= $2) o
     where total <= $3`,
    [
      stepNames(
        runPid,
        steps.map(({ key }) => key),
      ),
      MAX_SHOWN_OUTPUT_BYTES,
      MAX_SHOWN_OUTPUTS_BYTES,
    ],
  );
  return new Map(rows.map(({ key, output }) => [key, output]));
}
