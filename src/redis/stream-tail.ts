import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { ulid } from 'ulid';
import type { Logger } from '../logging/logger.ts';
import type { SharedStore } from './redis.ts';

/** An entry of a Redis stream as Redis gives it: its id, and its fields and values in turn. */
export type RawEntry = readonly [id: string, fields: readonly string[]];

/** Gets what is new in a stream, in order. It must not block. */
export type TailListener = (entries: readonly RawEntry[]) => void;

interface Tailed {
  /** The newest entry that was handed out, or where the tail began. */
  last: string;
  readonly listeners: Set<TailListener>;
}

/** So long a read waits for entries before it is sent again. */
const BLOCK_MS = 5_000;
/** A read without any answer for so long is on a dead connection. */
const DEAD_AFTER_MS = BLOCK_MS + 3_000;
const RETRY_MS = 250;
/** Entries of one stream per read. */
const COUNT = 100;
const WAKE_KEY_SECONDS = 60;

/**
 * Follows the ends of any number of Redis streams over one blocking connection. A change of what is followed wakes the
 * blocked read through a stream of this node's own: unlike CLIENT UNBLOCK that cannot come a moment too early.
 */
export class StreamTail {
  readonly #redis: Redis;
  readonly #store: SharedStore;
  readonly #logger: Logger;
  readonly #tailed = new Map<string, Tailed>();
  readonly #wakeKey = `keelson:stream-wake:${ulid()}`;
  #wakeLast = '0-0';
  #running = false;
  #blocked = false;
  #closing = false;

  /** @param store what wakes this node's blocked read */
  constructor(url: string, store: SharedStore, logger: Logger) {
    this.#store = store;
    this.#logger = logger;
    // A read that breaks off is sent again on the next connection, as it was: whatever changed since has left a wake-up call.
    this.#redis = new Redis(url, {
      lazyConnect: true,
      maxRetriesPerRequest: null,
      commandTimeout: DEAD_AFTER_MS,
      retryStrategy: (attempt) => Math.min(attempt * 100, 1_000),
    });
    this.#redis.on('error', (error: Error) => logger.debug({ err: error }, 'redis connection error'));
  }

  /** The id up to which a followed stream has been handed out; whoever is behind that reads the rest itself. */
  lastOf(key: string): string | null {
    return this.#tailed.get(key)?.last ?? null;
  }

  /**
   * Hands the listener what comes after `from`, or after the place where others already follow the stream (`lastOf`).
   * @returns what ends it
   */
  follow(key: string, from: string, listener: TailListener): () => void {
    let tailed = this.#tailed.get(key);
    if (!tailed) {
      tailed = { last: from, listeners: new Set() };
      this.#tailed.set(key, tailed);
      this.#wake();
    }
    tailed.listeners.add(listener);
    return () => {
      tailed.listeners.delete(listener);
      // The read that is under way names it still; its reply finds nobody, and the next read leaves it out.
      if (tailed.listeners.size === 0 && this.#tailed.get(key) === tailed) this.#tailed.delete(key);
    };
  }

  close(): void {
    this.#closing = true;
    this.#redis.disconnect();
  }

  #wake(): void {
    if (!this.#running) {
      this.#running = true;
      void this.#run();
    } else if (this.#blocked) {
      this.#blocked = false;
      // Where Redis does not answer, the blocked read has ended, too, or ends in BLOCK_MS.
      this.#store
        .together([
          ['xadd', this.#wakeKey, 'MAXLEN', 1, '*', 'wake', 1],
          ['expire', this.#wakeKey, WAKE_KEY_SECONDS],
        ])
        .catch(() => undefined);
    }
  }

  async #run(): Promise<void> {
    while (this.#tailed.size > 0 && !this.#closing) {
      try {
        const found = await this.#read();
        // A moment's wait gathers what many producers write: a read costs by the number of streams in it.
        if (found > 0) await sleep(Math.max(2, this.#tailed.size / 50));
      } catch (error) {
        if (this.#closing) break;
        this.#logger.debug({ err: error }, 'the streams could not be read; trying again');
        if ((error as Error).message === 'Command timed out') this.#redis.disconnect(true);
        await sleep(RETRY_MS);
      }
    }
    this.#running = false;
  }

  async #read(): Promise<number> {
    const keys = [...this.#tailed.keys()];
    const ids = [...this.#tailed.values()].map(({ last }) => last);
    this.#blocked = true;
    const options = ['COUNT', COUNT, 'BLOCK', BLOCK_MS, 'STREAMS'];
    const reply = (await this.#redis
      .call('xread', ...options, this.#wakeKey, ...keys, this.#wakeLast, ...ids)
      .finally(() => (this.#blocked = false))) as [string, RawEntry[]][] | null;
    let found = 0;
    for (const [key, entries] of reply ?? []) {
      const newest = entries.at(-1)?.[0];
      if (newest === undefined) continue;
      if (key === this.#wakeKey) this.#wakeLast = newest;
      else found += this.#handOut(key, entries, newest);
    }
    return found;
  }

  #handOut(key: string, entries: readonly RawEntry[], newest: string): number {
    const tailed = this.#tailed.get(key);
    if (!tailed) return 0;
    tailed.last = newest;
    for (const listener of [...tailed.listeners]) listener(entries);
    return entries.length;
  }
}
