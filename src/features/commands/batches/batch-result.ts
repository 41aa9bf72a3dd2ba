import { conflict } from '../../../foundation/errors/application-error.ts';
import { localizedError, toStoredError, type StoredError } from '../../../foundation/errors/failure.ts';
import { isUnfinished, type ExecutionRow } from '../executions/execution-store.ts';
import type { BatchPlan } from './batch-plan.ts';

/** The outcome of an item. `code` is "0", `IDEMPOTENT_REPLAY` or the code of its failure. */
type ItemResult = ReturnType<typeof resultOfItem>;

export interface BatchOutcome {
  readonly succeeded: number;
  readonly failed: number;
  /** By index. */
  readonly results: readonly ItemResult[];
}

/**
 * The outcome of a batch.
 * @param items its executions
 * @param earlier the executions that used the keys of other items
 */
export function resultOfBatch(
  { payload }: ExecutionRow,
  items: readonly ExecutionRow[],
  earlier: readonly ExecutionRow[],
): BatchOutcome {
  // The plan of an old batch has been forgotten, as all payloads are.
  const { refused = [], replays = [] } = payload as Partial<BatchPlan>;
  const byPid = new Map(earlier.map((execution) => [execution.pid, execution]));
  const results = [
    ...items.map((item) => resultOfItem(item.batchIndex ?? 0, item)),
    ...replays.map(({ index, pid, mismatch }) => {
      const result = resultOfItem(index, byPid.get(pid) ?? null);
      return { ...result, ...(result.code === '0' && { code: 'IDEMPOTENT_REPLAY' }), ...(mismatch && { mismatch }) };
    }),
    ...refused.map(({ index, error }) => failed(index, error, null)),
  ].sort((one, other) => one.index - other.index);
  const bad = results.filter(({ code }) => code !== '0' && code !== 'IDEMPOTENT_REPLAY').length;
  return { succeeded: results.length - bad, failed: bad, results };
}

function resultOfItem(index: number, execution: ExecutionRow | null) {
  if (execution?.status === 'SUCCEEDED') {
    return { index, code: '0', data: execution.result, executionPid: execution.pid };
  }
  const error =
    execution && isUnfinished(execution)
      ? conflict('IN_PROGRESS', 'It has not ended yet')
      : conflict('CANCELLED', 'The execution was cancelled');
  return failed(index, execution?.error ?? toStoredError(error), execution?.pid ?? null);
}

function failed(index: number, error: StoredError, executionPid: string | null) {
  const { code = '', message, data = null } = localizedError(error) ?? {};
  return { index, code: code as string, message, data: data as unknown, executionPid };
}
