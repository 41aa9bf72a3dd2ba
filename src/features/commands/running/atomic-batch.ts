import { isTransient } from '../../../foundation/database/failures.ts';
import type { Transaction, SqlRunner } from '../../../foundation/database/pool.ts';
import { conflict, type ApplicationError } from '../../../foundation/errors/application-error.ts';
import { holdingMeanwhile } from '../../../foundation/memory/held-memory.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import { isUnfinished, type ExecutionRow } from '../executions/execution-store.ts';
import { finish } from '../executions/finished-command.ts';
import { commandIn, performCommand } from '../performing/perform-command.ts';
import { finishBatch, lockItems, failBatch } from '../executions/batch-store.ts';
import { MAX_TRANSACTION_MS } from '../commands.limits.ts';
import { toStoredError } from '../../../foundation/errors/failure.ts';
import { atIndex } from '../request/batch-request.ts';

/**
 * Applies the items of an atomic batch in their order, in a transaction that has locked the batch, and
 * commits.
 * @returns the codes of the models whose records changed
 * @throws FailedItem; a transient fault
 */
export async function applyItems(
  transaction: Transaction,
  actor: Actor,
  batchPid: string,
): Promise<ReadonlySet<string>> {
  const models = new Set<string>();
  const until = Date.now() + MAX_TRANSACTION_MS;
  for (const item of await lockItems(transaction, batchPid)) {
    try {
      if (!isUnfinished(item)) throw conflict('CANCELLED', 'The execution was cancelled before it ran');
      if (Date.now() > until) throw conflict('LIMIT', 'The batch takes too long for one transaction: send fewer items');
      // Of what an item has read and written, nothing is kept beside the codes.
      const written = await holdingMeanwhile(async () => {
        const effect = await performCommand(transaction, actor, commandIn(item, actor.metadata));
        await finish(transaction, item.pid, effect, null);
        return effect.changes.map(({ modelCode }) => modelCode);
      });
      for (const modelCode of written) models.add(modelCode);
    } catch (error) {
      throw isTransient(error) ? error : new FailedItem(item, error);
    }
  }
  await transaction.conclude(finishBatch(transaction, batchPid));
  return models;
}

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
