import { isTransient } from '../../../foundation/database/failures.ts';
import type { Database } from '../../../foundation/database/pool.ts';
import { insertExecution, insertExecutions, type NewExecution } from './execution-store.ts';

interface Waiting {
  readonly execution: NewExecution;
  readonly resolve: (inserted: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** Stores accepted executions: those of one turn of the event loop by one statement. */
export class ExecutionIntake {
  readonly #database: Database;
  #waiting: Waiting[] = [];

  constructor(database: Database) {
    this.#database = database;
  }

  /** Claims the idempotency key and stores the input. False when another execution holds the key. */
  insert(execution: NewExecution): Promise<boolean> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) setImmediate(() => void this.#insertAll());
      this.#waiting.push({ execution, resolve, reject });
    });
  }

  async #insertAll(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    const executions = waiting.map(({ execution }) => execution);
    try {
      const inserted = await insertExecutions(this.#database, executions);
      for (const { execution, resolve } of waiting) resolve(inserted.has(execution.pid));
    } catch (error) {
      // One of them may be to blame, but not for a fault of the database.
      const isOfAll = waiting.length === 1 || isTransient(error);
      for (const { execution, resolve, reject } of waiting) {
        if (isOfAll) reject(error);
        else insertExecution(this.#database, execution).then(resolve, reject);
      }
    }
  }
}
