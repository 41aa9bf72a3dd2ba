import type { Database, Transaction } from '../../../foundation/database/pool.ts';
import { isTransient } from '../../../foundation/database/failures.ts';
import type { Logger } from '../../../foundation/logging/logger.ts';
import { withLogContext } from '../../../foundation/logging/trace.ts';
import type { RedisStore } from '../../../foundation/redis/redis-store.ts';
import { RepeatedStarts } from '../../../foundation/jobs/repeated-starts.ts';
import { markDispatched, postpone, takeEvents, type OutboxEvent, type TakenEvent } from './outbox.ts';
import { FOREIGN_DELAY_MS, RELAY_BATCH, RELAY_PACE_MS, RELAY_POLL_MS } from '../events.limits.ts';

/** Reacts to events: webhooks, automations. */
export interface EventConsumer {
  /**
   * Stores what follows from the events, in the transaction that marks them as dispatched.
   * @returns what to do after the commit; it is lost with the process, so a sweep must find it again
   */
  consume(transaction: Transaction, events: readonly OutboxEvent[]): Promise<() => Promise<void>>;
}

/**
 * Passes stored events to their consumers, in every worker: when a command has committed, and once a second.
 * An event that a consumer fails on is postponed, and holds up no other. Spec: "Events", flow 3 and 4.
 */
export class EventRelay {
  readonly #database: Database;
  readonly #consumers: readonly EventConsumer[];
  readonly #logger: Logger;
  /**
   * Starts of batches, by event: one of a batch that did not end is to blame, so they are taken one by one.
   */
  readonly #batchStarts: RepeatedStarts;
  readonly #starts: RepeatedStarts;
  #backstop: NodeJS.Timeout | null = null;
  #delayed: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  #begunAt = 0;
  #isWokenAgain = false;
  #started = false;

  constructor(database: Database, consumers: readonly EventConsumer[], store: RedisStore, logger: Logger) {
    this.#database = database;
    this.#consumers = consumers;
    this.#batchStarts = new RepeatedStarts(store, 'events');
    this.#starts = new RepeatedStarts(store, 'event');
    this.#logger = logger;
  }

  start(): void {
    this.#started = true;
    this.#backstop = setInterval(() => this.#run(), RELAY_POLL_MS);
  }

  /** Resolves when the current batch is done. */
  async stop(): Promise<void> {
    this.#started = false;
    if (this.#backstop) clearInterval(this.#backstop);
    if (this.#delayed) clearTimeout(this.#delayed);
    await this.#running;
  }

  /** Called when there may be events. @param own whether this process has written them */
  wake(own: boolean): void {
    if (!this.#started) return;
    const restMs = this.#begunAt + RELAY_PACE_MS - Date.now();
    const delayMs = own ? restMs : Math.max(restMs, FOREIGN_DELAY_MS);
    if (delayMs <= 0) return this.#run();
    this.#delayed ??= setTimeout(() => {
      this.#delayed = null;
      this.#run();
    }, delayMs);
  }

  #run(): void {
    if (this.#running) {
      this.#isWokenAgain = true;
      return;
    }
    this.#begunAt = Date.now();
    this.#running = this.#drain().finally(() => {
      this.#running = null;
      const runAgain = this.#isWokenAgain && this.#started;
      this.#isWokenAgain = false;
      if (runAgain) this.#run();
    });
  }

  /** Never throws: a fault is left to the next round. */
  async #drain(): Promise<void> {
    try {
      while ((await this.relay()) === RELAY_BATCH && this.#started);
    } catch (error) {
      this.#logger.debug({ err: error }, 'the outbox was left for later');
    }
  }

  /**
   * Relays one batch.
   * @returns the number of events taken
   * @throws a transient fault: Postgres or Redis is away
   */
  async relay(): Promise<number> {
    try {
      return await this.#relay(RELAY_BATCH);
    } catch (error) {
      if (isTransient(error)) throw error;
      this.#logger.debug({ err: error }, 'a batch of events failed; they are taken one by one');
    }
    let count = 0;
    while (count < RELAY_BATCH && (await this.#relayOne())) count += 1;
    return count;
  }

  async #relay(limit: number, seen: TakenEvent[] = []): Promise<number> {
    try {
      const { count, follow } = await this.#database.transaction(async (transaction) => {
        const events = await takeEvents(transaction, limit);
        seen.push(...events);
        if (events.length === 0) return { count: 0, follow: [] };
        await this.#countStarts(limit, lateOf(events));
        const following: (() => Promise<void>)[] = [];
        for (const consumer of this.#consumers) following.push(await consumer.consume(transaction, events));
        const ids = events.map(({ id }) => id);
        await transaction.conclude(markDispatched(transaction, ids));
        return { count: events.length, follow: following };
      });
      // The batch is committed, so the next one need not wait for what follows.
      for (const step of follow) {
        step().catch((error: unknown) => this.#logger.warn({ err: error }, 'what follows an event was left for later'));
      }
      await this.#forgetStarts(lateOf(seen));
      return count;
    } catch (error) {
      if (!(error instanceof BegunBefore)) await this.#forgetStarts(lateOf(seen));
      throw error;
    }
  }

  /** @throws BegunBefore; SERVICE_UNAVAILABLE */
  async #countStarts(limit: number, late: readonly string[]): Promise<void> {
    const [first] = late;
    if (first === undefined) return;
    if (limit > 1) {
      if ((await this.#batchStarts.count(late)).some((starts) => starts > 2)) throw new BegunBefore();
    } else if (await this.#starts.isExhausted(first)) throw new BegunBefore();
  }

  async #forgetStarts(late: readonly string[]): Promise<void> {
    await Promise.all([this.#batchStarts.forget(late), this.#starts.forget(late)]);
  }

  /** False when there is no event left. An event that fails for a reason of its own is postponed. */
  async #relayOne(): Promise<boolean> {
    const seen: TakenEvent[] = [];
    try {
      return (await this.#relay(1, seen)) === 1;
    } catch (error) {
      const [event] = seen;
      if (isTransient(error) || !event) throw error;
      withLogContext(event, () =>
        this.#logger.error({ err: error, eventPid: event.pid }, 'an event cannot be matched; it is postponed'),
      );
      await postpone(this.#database, event.id);
      return true;
    }
  }
}

/** A batch was begun before and did not end, or one event three times. */
class BegunBefore extends Error {}

function lateOf(events: readonly TakenEvent[]): string[] {
  return events.filter(({ isLate }) => isLate).map(({ pid }) => pid);
}
