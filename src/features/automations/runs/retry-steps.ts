import type { SqlRunner } from '../../../foundation/database/pool.ts';
import { COMPENSATION, compensationKey, type Definition } from '../definition/definition.ts';
import { blocksOf } from '../steps/step-kinds.ts';

/** Restarts a step. A step with blocks keeps its decisions, so finished items stay finished. */
const AGAIN = `status = 'PENDING', error = null, due_at = null, wait_for = null, finished_at = null,
  started_at = case when s.step_id = any($2) and s.control is not null then s.started_at end,
  control = case when s.step_id = any($2) then s.control end,
  attempt = case when s.step_id = any($2) then s.attempt else 0 end, told = cardinality(s.iteration) > 0`;

/** The key of the step `outer_id` around the step `inner_id` of the row `s`. */
const KEY_AROUND = `(a.outer_id || case when a.depth = 0 then ''
  else '[' || array_to_string(s.iteration[1:a.depth], ',') || ']' end)`;
const AROUND = 'json_to_recordset($3::json) a (inner_id text, outer_id text, depth int)';

/**
 * Restarts the failed and undone steps of a failed run. Each for-each walks again from its first item, past
 * finished ones. The caller holds the run's lock.
 * @returns the number of settled steps
 */
export async function retrySteps(transaction: SqlRunner, runPid: string, definition: Definition): Promise<number> {
  const placed = [...definition.steps.values()];
  const withBlocks = placed.filter(({ step }) => blocksOf(step).length > 0).map(({ step }) => step.id);
  const mayFail = placed.filter(({ step }) => step.onError === 'continue').map(({ step }) => step.id);
  const around = placed.flatMap(({ step, ancestors }) =>
    ancestors.map((id) => ({ inner_id: step.id, outer_id: id, depth: definition.step(id).loops.length })),
  );
  const values = [runPid, withBlocks, JSON.stringify(around)];
  const compensated = `from platform.automation_step u where s.run_pid = $1 and u.run_pid = $1
    and u.type = '${COMPENSATION}' and u.key = '${compensationKey('')}' || s.key`;

  await transaction.query(
    `update platform.automation_step s set ${AGAIN}, round = s.round + 1 ${compensated} and u.status = 'SUCCEEDED'`,
    values.slice(0, 2),
  );
  // Failed compensations are retried when the run fails again.
  await transaction.query(
    `update platform.automation_step s set undoable = true ${compensated} and u.status <> 'SUCCEEDED'`,
    [runPid],
  );
  await transaction.query(`delete from platform.automation_step where run_pid = $1 and type = '${COMPENSATION}'`, [
    runPid,
  ]);
  await transaction.query(
    `with reopened as (select distinct ${KEY_AROUND} as key from platform.automation_step s
       join ${AROUND} on a.inner_id = s.step_id where s.run_pid = $1 and s.status = 'PENDING')
     update platform.automation_step s set ${AGAIN} from reopened r
     where s.run_pid = $1 and s.key = r.key and s.status = 'SUCCEEDED'`,
    values,
  );
  // A failure inside a succeeded step was allowed (`onError: continue`).
  await transaction.query(
    `update platform.automation_step s set ${AGAIN}
     where s.run_pid = $1 and s.status in ('FAILED', 'CANCELLED') and not (s.status = 'FAILED' and s.step_id = any($4))
       and not exists (select 1 from ${AROUND} join platform.automation_step o on o.run_pid = $1 and o.key = ${KEY_AROUND}
         where a.inner_id = s.step_id and o.status = 'SUCCEEDED')`,
    [...values, mayFail],
  );
  const [row] = await transaction.query<{ settled: number }>(
    `with walked as (
       update platform.automation_step set settled = cardinality(iteration) > 0, next_item = 0
       where run_pid = $1 and (settled <> (cardinality(iteration) > 0) or (next_item > 0 and status = 'PENDING')))
     select count(*)::int as settled from platform.automation_step where run_pid = $1 and cardinality(iteration) > 0`,
    [runPid],
  );
  return row?.settled ?? 0;
}
