import type { Database, Transaction } from '../../../foundation/database/pool.ts';
import { setTenant } from '../../../foundation/database/tenant.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import { recordWrites } from '../../../platform/events/changes/record-writes.ts';
import { RecordWriter } from '../writing/record-writer.ts';
import type { WriteAnnouncer } from '../write-announcer.ts';
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
export interface RecordTransactions {
  run<T>(actor: Actor, name: WriteName, work: (operations: RecordOperations) => Promise<T>): Promise<T>;
}

/** Each run is a transaction of its own. */
export class OwnTransactions implements RecordTransactions {
  readonly #database: Database;
  readonly #announcer: WriteAnnouncer;

  constructor(database: Database, announcer: WriteAnnouncer) {
    this.#database = database;
    this.#announcer = announcer;
  }

  async run<T>(actor: Actor, name: WriteName, work: (operations: RecordOperations) => Promise<T>): Promise<T> {
    const { result, models } = await this.#database.transaction((transaction) => write(transaction, actor, name, work));
    await this.#announcer.announce(actor, models);
    return result;
  }
}

/** The runs are parts of an open transaction. Its totals become stale when its events are relayed. */
export class WithinTransaction implements RecordTransactions {
  readonly #transaction: Transaction;

  constructor(transaction: Transaction) {
    this.#transaction = transaction;
  }

  async run<T>(actor: Actor, name: WriteName, work: (operations: RecordOperations) => Promise<T>): Promise<T> {
    return (await write(this.#transaction, actor, name, work)).result;
  }
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
