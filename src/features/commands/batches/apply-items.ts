import { isTransient } from '../../../foundation/database/failures.ts';
import type { Transaction } from '../../../foundation/database/pool.ts';
import { conflict } from '../../../foundation/errors/application-error.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import { isUnfinished } from '../executions/execution-store.ts';
import { finish } from '../executions/finished-command.ts';
import { commandIn, performCommand } from '../performing/perform-command.ts';
import { finishBatch, lockItems } from './batch-store.ts';
import { MAX_TRANSACTION_MS } from './batches.limits.ts';
import { FailedItem } from './failed-item.ts';

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
      const effect = await performCommand(transaction, actor, commandIn(item));
      await finish(transaction, item.pid, effect, null);
      for (const { modelCode } of effect.changes) models.add(modelCode);
    } catch (error) {
      throw isTransient(error) ? error : new FailedItem(item, error);
    }
  }
  await transaction.conclude(finishBatch(transaction, batchPid));
  return models;
}
