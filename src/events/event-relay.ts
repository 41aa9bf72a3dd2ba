import type { Database, Transaction } from '../database/pool.ts';
import { isTransient } from '../database/failures.ts';
import type { Logger } from '../logging/logger.ts';
import { markDispatched, postpone, takeEvents, type OutboxEvent } from './outbox.ts';

/** Who wants to know of events. */
export interface EventConsumer {
  /**
   * Writes down, in the transaction that marks the events as done, what has to follow from them.
   * @returns what to do once that has committed; it may be lost with the process, so somebody must find it again
   */
  consume(transaction: Transaction, events: readonly OutboxEvent[]): Promise<() => Promise<void>>;
}

const BATCH = 100;
const BACKSTOP_MS = 1_000;
/** An event of another node is most likely in the hands of that node's relay already. */
const FOREIGN_DELAY_MS = 25;

/**
 * Hands stored events to their consumers, in every worker. It is woken when a command has committed and looks by itself
 * once a second. An event that its consumers choke on is put aside and stops nobody. Spec: "Events", flow 3 and 4.
 */
export class EventRelay {
  readonly #database: Database;
  readonly #consumers: readonly EventConsumer[];
  readonly #logger: Logger;
  #backstop: NodeJS.Timeout | null = null;
  #delayed: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  #again = false;
  #started = false;

  constructor(database: Database, consumers: readonly EventConsumer[], logger: Logger) {
    this.#database = database;
    this.#consumers = consumers;
    this.#logger = logger;
  }

  start(): void {
    this.#started = true;
    this.#backstop = setInterval(() => this.#run(), BACKSTOP_MS);
  }

  /** Resolves when the batch in hand is done. */
  async stop(): Promise<void> {
    this.#started = false;
    if (this.#backstop) clearInterval(this.#backstop);
    if (this.#delayed) clearTimeout(this.#delayed);
    await this.#running;
  }

  /** There may be something to do. @param own whether this process has written it */
  wake(own: boolean): void {
    if (!this.#started) return;
    if (own) return this.#run();
    this.#delayed ??= setTimeout(() => {
      this.#delayed = null;
      this.#run();
    }, FOREIGN_DELAY_MS);
  }

  #run(): void {
    if (this.#running) {
      this.#again = true;
      return;
    }
    this.#running = this.#drain().finally(() => {
      this.#running = null;
      const again = this.#again && this.#started;
      this.#again = false;
      if (again) this.#run();
    });
  }

  /** Never throws: what fails now is found again by the next round. */
  async #drain(): Promise<void> {
    try {
      while ((await this.relay()) === BATCH && this.#started);
    } catch (error) {
      this.#logger.debug({ err: error }, 'the outbox was left for later');
    }
  }

  /**
   * One batch. Gives the number of events taken.
   * @throws a passing fault: Postgres or Redis is away
   */
  async relay(): Promise<number> {
    try {
      return await this.#relay(BATCH);
    } catch (error) {
      if (isTransient(error)) throw error;
      this.#logger.debug({ err: error }, 'a batch of events failed; they are taken one by one');
    }
    let count = 0;
    while (count < BATCH && (await this.#relayOne())) count += 1;
    return count;
  }

  async #relay(limit: number, seen: OutboxEvent[] = []): Promise<number> {
    const { count, follow } = await this.#database.transaction(async (transaction) => {
      const events = await takeEvents(transaction, limit);
      seen.push(...events);
      if (events.length === 0) return { count: 0, follow: [] };
      const following: (() => Promise<void>)[] = [];
      for (const consumer of this.#consumers) following.push(await consumer.consume(transaction, events));
      const ids = events.map(({ id }) => id);
      await transaction.conclude(markDispatched(transaction, ids));
      return { count: events.length, follow: following };
    });
    // The batch is safe: whoever follows up must not hold up the next one.
    for (const step of follow) {
      step().catch((error: unknown) => this.#logger.warn({ err: error }, 'what follows an event was left for later'));
    }
    return count;
  }

  /** False when there is none left. An event that fails for a reason of its own is put aside. */
  async #relayOne(): Promise<boolean> {
    const seen: OutboxEvent[] = [];
    try {
      return (await this.#relay(1, seen)) === 1;
    } catch (error) {
      const [event] = seen;
      if (isTransient(error) || !event) throw error;
      const { id, pid, trace_id: traceId } = event;
      this.#logger.error({ err: error, eventPid: pid, traceId }, 'an event cannot be matched; it is put aside');
      await postpone(this.#database, id);
      return true;
    }
  }
}
