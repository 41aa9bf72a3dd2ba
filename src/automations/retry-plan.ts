import { stepKey, UNDO, type Definition } from './definition.ts';
import type { StepRow } from './step-store.ts';

/** What has to change so that a failed run goes on from where it failed. */
export interface RetryPlan {
  readonly changes: readonly StepRow[];
  /** The keys of compensations that are forgotten: what they undid is done again. */
  readonly forgotten: readonly string[];
}

/** Steps that failed are begun again, and so are those that were undone; what stands is left alone. */
export function planRetry(definition: Definition, rows: readonly StepRow[]): RetryPlan {
  const byKey = new Map(rows.map((row) => [row.key, row]));
  const undone = new Map(rows.filter(({ type }) => type === UNDO).map((row) => [row.key.slice('undo:'.length), row]));
  const changes = rows.flatMap((row): StepRow[] => {
    if (row.type === UNDO || isWithinWhatStands(definition, row, byKey)) return [];
    const isUndone = undone.get(row.key)?.status === 'SUCCEEDED';
    if (row.status !== 'FAILED' && row.status !== 'CANCELLED' && !isUndone) return [];
    const { step } = definition.step(row.step_id);
    if (row.status === 'FAILED' && step.onError === 'continue') return [];
    const again = { ...row, error: null, due_at: null, wait_for: null, started_at: null, finished_at: null };
    // A for-each and a branch keep what they have decided: the items that are done are done.
    if ((step.type === 'forEach' || step.type === 'branch') && row.control !== null) {
      return [{ ...again, status: 'RUNNING', started_at: row.started_at }];
    }
    return [{ ...again, status: 'PENDING', attempt: 0, round: row.round + (isUndone ? 1 : 0) }];
  });
  return { changes, forgotten: [...undone.values()].map(({ key }) => key) };
}

/** Whether a step around this one has ended well, whatever this one did: nobody will look at it again. */
function isWithinWhatStands(definition: Definition, row: StepRow, byKey: ReadonlyMap<string, StepRow>): boolean {
  return definition.step(row.step_id).around.some((id) => {
    const { loops } = definition.step(id);
    return byKey.get(stepKey(id, row.iteration.slice(0, loops.length)))?.status === 'SUCCEEDED';
  });
}
