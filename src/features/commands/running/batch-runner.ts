import { isTransient } from '../../../foundation/database/failures.ts';
import type { Database } from '../../../foundation/database/pool.ts';
import { notFound, unavailable } from '../../../foundation/errors/application-error.ts';
import type { RepeatedStarts } from '../../../foundation/jobs/repeated-starts.ts';
import type { CommandRunner } from './command-runner.ts';
import { isUnfinished } from '../executions/execution-store.ts';
import { GROUP_STATEMENT_TIMEOUT_MS, BATCH_POOL_SHARE } from '../commands.limits.ts';
import type { BatchPlan } from '../request/batch-request.ts';
import { findBatch, finishBatch, type ExecutionOfBatch } from '../executions/batch-store.ts';
import { FairQueue } from '../starting/fair-queue.ts';

/** Limits the work in progress. While more waits, tenants take turns. */
export class FairSlots {
  #free: number;
  readonly #waiting = new FairQueue<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  async run<T>(tenantId: string, work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.add(tenantId, resolve));
    try {
      return await work();
    } finally {
      const [next] = this.#waiting.draw(1, 1);
      if (next) next();
      else this.#free += 1;
    }
  }
}

/** Applies accepted batches, beside the single commands of the process: with half of its connections. */
export class BatchRunner {
  readonly #database: Database;
  readonly #runner: CommandRunner;
  readonly #starts: RepeatedStarts;
  readonly #slots: FairSlots;

  constructor(database: Database, runner: CommandRunner, starts: RepeatedStarts, poolSize: number) {
    this.#database = database;
    this.#runner = runner;
    this.#starts = starts;
    this.#slots = new FairSlots(Math.max(1, Math.floor(poolSize * BATCH_POOL_SHARE)));
  }

  /**
   * Runs a batch to its end.
   * @param isRepeated whether a worker may have started it before
   * @throws the failure of an atomic batch; a transient fault, after which the rest is left
   */
  async run(batchPid: string, isRepeated: boolean): Promise<void> {
    const [batch, ...items] = await findBatch(this.#database, batchPid);
    if (!batch) throw notFound('There is no such execution');
    const { mode } = batch.payload as Partial<BatchPlan>;
    if (mode === 'atomic') {
      return this.#slots.run(batch.tenantId, () => this.#runner.run(batchPid, { isRepeated, isOfBatch: true }));
    }
    const isLeft = await this.#runEach(batch.tenantId, items.filter(isUnfinished), isRepeated);
    if (isLeft) throw unavailable('postgres');
    if (await finishBatch(this.#database, batchPid)) {
      await this.#runner.announceAgain(batch, { status: 'SUCCEEDED', result: null });
    }
  }

  /** @returns whether a transient fault has put off an item */
  async #runEach(tenantId: string, items: readonly ExecutionOfBatch[], isRepeated: boolean): Promise<boolean> {
    let isLeft = false;
    // Longer items are retried with the time limit of the connection.
    const limit = isRepeated ? {} : { statementTimeoutMs: GROUP_STATEMENT_TIMEOUT_MS };
    const options = { isRepeated, isOfBatch: true, ...limit };
    const apply = ({ pid }: ExecutionOfBatch): Promise<void> =>
      this.#slots.run(tenantId, async () => {
        // Any other error has ended the execution, whose row has it.
        await this.#runner.run(pid, options).catch((error: unknown) => (isLeft ||= isTransient(error)));
      });
    // An item that may have killed its worker runs alone, so that only it is counted as started.
    const isAlone = isRepeated && (await this.#starts.hasRepeated(items.map(({ pid }) => pid)));
    // The items of one record keep their order.
    const inOrder = isAlone ? [[...items]] : Map.groupBy(items, (item) => item.targetRecordId ?? item.pid).values();
    await Promise.all(
      Array.from(inOrder, async (chain) => {
        for (const item of chain) await apply(item);
      }),
    );
    return isLeft;
  }
}
