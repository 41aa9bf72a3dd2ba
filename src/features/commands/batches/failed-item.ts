import type { SqlRunner } from '../../../foundation/database/pool.ts';
import { conflict, type ApplicationError } from '../../../foundation/errors/application-error.ts';
import { toStoredError } from '../../../foundation/errors/failure.ts';
import type { ExecutionRow } from '../executions/execution-store.ts';
import { atIndex } from './batch-request.ts';
import { failBatch } from './batch-store.ts';

/** The item at which an atomic batch failed; `cause` is its failure. */
export class FailedItem extends Error {
  readonly item: ExecutionRow;

  constructor(item: ExecutionRow, cause: unknown) {
    super('an item of a batch failed', { cause });
    this.item = item;
  }
}

/** Ends the executions of an atomic batch. @returns the failure of the batch */
export async function endAtomicBatch(
  runner: SqlRunner,
  batchPid: string,
  { item }: FailedItem,
  error: ApplicationError,
): Promise<ApplicationError> {
  const ofBatch = atIndex(error, item.batchIndex ?? 0);
  const others = conflict('BATCH', 'Undone, because another item of the batch failed');
  const errors = { batch: toStoredError(ofBatch), item: toStoredError(error), others: toStoredError(others) };
  await failBatch(runner, { batchPid, itemPid: item.pid }, errors);
  return ofBatch;
}
