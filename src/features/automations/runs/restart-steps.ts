import type { SqlRunner } from '../../../foundation/database/pool.ts';
import { COMPENSATION, compensationKey, type Definition } from '../definition/definition.ts';
import { blocksOf } from '../steps/step-kinds.ts';

/** SQL: restarts the step `s`. Steps with blocks ($2) keep their decision: finished items stay finished. */
const RESTART = `status = 'PENDING', error = null, due_at = null, wait_for = null, finished_at = null,
  started_at = case when s.step_id = any($2) and s.control is not null then s.started_at end,
  control = case when s.step_id = any($2) then s.control end,
  attempt = case when s.step_id = any($2) then s.attempt else 0 end, published = cardinality(s.iteration) > 0`;

/** SQL: the pairs ($3) of a step and a step around it. */
const AROUND = 'json_to_recordset($3::json) a (inner_id text, outer_id text, depth int)';
/** SQL: the key of the outer step of a pair, for the iteration of the step `s`. */
const OUTER_KEY = `(a.outer_id || case when a.depth = 0 then ''
  else '[' || array_to_string(s.iteration[1:a.depth], ',') || ']' end)`;

/** SQL: joins the step `s` of the run $1 with its compensation `c`. */
const WITH_COMPENSATION = `from platform.automation_step c where s.run_pid = $1 and c.run_pid = $1
  and c.type = '${COMPENSATION}' and c.key = '${compensationKey('')}' || s.key`;

/**
 * Restarts the failed and undone steps of a failed run. Each for-each starts again at its first item, and
 * skips the finished ones. The caller holds the run's lock.
 * @returns the number of settled steps
 */
export async function restartSteps(transaction: SqlRunner, runPid: string, definition: Definition): Promise<number> {
  const steps = [...definition.steps.values()];
  const withBlocks = steps.filter(({ step }) => blocksOf(step).length > 0).map(({ step }) => step.id);
  const mayFail = steps.filter(({ step }) => step.onError === 'continue').map(({ step }) => step.id);
  const around = steps.flatMap(({ step, ancestors }) =>
    ancestors.map((id) => ({ inner_id: step.id, outer_id: id, depth: definition.step(id).loops.length })),
  );
  const pairs = JSON.stringify(around);
  await restartUndone(transaction, runPid, withBlocks);
  await restartAroundRestarted(transaction, runPid, withBlocks, pairs);
  await restartFailed(transaction, runPid, withBlocks, pairs, mayFail);
  return rewindLoops(transaction, runPid);
}

/** Restarts the steps whose compensation succeeded, and forgets all compensations. */
async function restartUndone(transaction: SqlRunner, runPid: string, withBlocks: readonly string[]): Promise<void> {
  await transaction.query(
    `update platform.automation_step s set ${RESTART}, round = s.round + 1 ${WITH_COMPENSATION} and c.status = 'SUCCEEDED'`,
    [runPid, withBlocks],
  );
  // Failed compensations are retried when the run fails again.
  await transaction.query(
    `update platform.automation_step s set undoable = true ${WITH_COMPENSATION} and c.status <> 'SUCCEEDED'`,
    [runPid],
  );
  const compensations = `run_pid = $1 and type = '${COMPENSATION}'`;
  await transaction.query(`delete from platform.automation_step where ${compensations}`, [runPid]);
}

/** Restarts the steps that succeeded around one that is to be done again. */
async function restartAroundRestarted(
  transaction: SqlRunner,
  runPid: string,
  withBlocks: readonly string[],
  pairs: string,
): Promise<void> {
  await transaction.query(
    `with reopened as (select distinct ${OUTER_KEY} as key from platform.automation_step s
       join ${AROUND} on a.inner_id = s.step_id where s.run_pid = $1 and s.status = 'PENDING')
     update platform.automation_step s set ${RESTART} from reopened r
     where s.run_pid = $1 and s.key = r.key and s.status = 'SUCCEEDED'`,
    [runPid, withBlocks, pairs],
  );
}

/** Restarts failed and cancelled steps, but not those whose failure the run was allowed to pass over. */
async function restartFailed(
  transaction: SqlRunner,
  runPid: string,
  withBlocks: readonly string[],
  pairs: string,
  mayFail: readonly string[],
): Promise<void> {
  await transaction.query(
    `update platform.automation_step s set ${RESTART}
     where s.run_pid = $1 and s.status in ('FAILED', 'CANCELLED') and not (s.status = 'FAILED' and s.step_id = any($4))
       and not exists (select 1 from ${AROUND}
         join platform.automation_step o on o.run_pid = $1 and o.key = ${OUTER_KEY}
         where a.inner_id = s.step_id and o.status = 'SUCCEEDED')`,
    [runPid, withBlocks, pairs, mayFail],
  );
}

/** Settles the steps of all items, and starts loops at their first item again. @returns the number settled */
async function rewindLoops(transaction: SqlRunner, runPid: string): Promise<number> {
  const [row] = await transaction.query<{ settled: number }>(
    `with rewound as (
       update platform.automation_step set settled = cardinality(iteration) > 0, next_item = 0
       where run_pid = $1 and (settled <> (cardinality(iteration) > 0) or (next_item > 0 and status = 'PENDING')))
     select count(*)::int as settled from platform.automation_step where run_pid = $1 and cardinality(iteration) > 0`,
    [runPid],
  );
  return row?.settled ?? 0;
}
