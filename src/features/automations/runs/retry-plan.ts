import { compensatedKey, COMPENSATION, stepKey, type Definition } from '../definition/definition.ts';
import { blocksOf } from '../steps/step-kinds.ts';
import type { StepRow } from './step-store.ts';

/** What has to change so that a failed run continues from where it failed. */
export interface RetryPlan {
  readonly changes: readonly StepRow[];
  /** The keys of compensations to delete: what they undid is done again. */
  readonly deleted: readonly string[];
}

/** Begins steps again that failed or were undone, and leaves the others as they are. */
export function planRetry(definition: Definition, rows: readonly StepRow[]): RetryPlan {
  const byKey = new Map(rows.map((row) => [row.key, row]));
  const compensations = new Map(
    rows.filter(({ type }) => type === COMPENSATION).map((row) => [compensatedKey(row.key), row]),
  );
  const changes = rows.flatMap((row): StepRow[] => {
    if (row.type === COMPENSATION || isWithinSuccess(definition, row, byKey)) return [];
    const isUndone = compensations.get(row.key)?.status === 'SUCCEEDED';
    if (row.status !== 'FAILED' && row.status !== 'CANCELLED' && !isUndone) return [];
    const { step } = definition.step(row.stepId);
    if (row.status === 'FAILED' && step.onError === 'continue') return [];
    const again = { ...row, error: null, dueAt: null, waitFor: null, startedAt: null, finishedAt: null };
    // A step with blocks keeps what it has decided, so items that are done stay done.
    if (blocksOf(step).length > 0 && row.control !== null) {
      return [{ ...again, status: 'RUNNING', startedAt: row.startedAt }];
    }
    return [{ ...again, status: 'PENDING', attempt: 0, round: row.round + (isUndone ? 1 : 0) }];
  });
  return { changes, deleted: [...compensations.values()].map(({ key }) => key) };
}

/** Whether a step around this one has succeeded: then this one is never looked at again. */
function isWithinSuccess(definition: Definition, row: StepRow, byKey: ReadonlyMap<string, StepRow>): boolean {
  return definition.step(row.stepId).ancestors.some((id) => {
    const { loops } = definition.step(id);
    return byKey.get(stepKey(id, row.iteration.slice(0, loops.length)))?.status === 'SUCCEEDED';
  });
}
