import type { Database, Transaction } from '../../../foundation/database/pool.ts';
import { setTenant } from '../../../foundation/database/tenant.ts';
import type { Actor } from '../../auth/requests/actor.ts';
import { recordWrites } from '../../events/changes/record-writes.ts';
import { RecordWriter } from '../writing/record-writer.ts';
import type { WriteAnnouncer } from '../totals-cache.ts';
import { RecordOperations } from './record-operations.ts';

/** Names of what is written without a command: types of its events. */
export type WriteName =
  | 'record:create'
  | 'record:update'
  | 'record:delete'
  | 'record:save'
  | 'record:relate'
  | 'record:unrelate';

/**
 * Runs writes of records in a transaction, and leaves what follows from them: change log, events, stale
 * totals.
 */
export type RunWrites = <T>(
  actor: Actor,
  name: WriteName,
  work: (operations: RecordOperations) => Promise<T>,
) => Promise<T>;

/** Each run is a transaction of its own. */
export function ownTransactions(database: Database, announcer: WriteAnnouncer): RunWrites {
  return async (actor, name, work) => {
    const { result, models } = await database.transaction((transaction) => write(transaction, actor, name, work));
    await announcer.announce(actor, models);
    return result;
  };
}

/** The runs are parts of an open transaction. Its totals become stale when its events are relayed. */
export function withinTransaction(transaction: Transaction): RunWrites {
  return async (actor, name, work) => (await write(transaction, actor, name, work)).result;
}

async function write<T>(
  transaction: Transaction,
  actor: Actor,
  name: WriteName,
  work: (operations: RecordOperations) => Promise<T>,
): Promise<{ readonly result: T; readonly models: readonly string[] }> {
  const tenant = setTenant(transaction, actor.tenantId);
  tenant.catch(() => undefined);
  const writer = new RecordWriter(transaction, actor);
  const result = await work(new RecordOperations(writer, actor));
  await tenant;
  return { result, models: await recordWrites(transaction, actor, name, writer.changes) };
}
