import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { ulid } from 'ulid';
import type { Logger } from '../logging/logger.ts';
import { keyPrefixOf, type RedisStore } from './redis-store.ts';
import { TAIL_BLOCK_MS, TAIL_DEAD_AFTER_MS, TAIL_RETRY_MS, WAKE_KEY_SECONDS } from '../foundation.limits.ts';

/** Entry of a Redis stream: its id, and its fields and values in turn. */
export type RawEntry = readonly [id: string, fields: readonly string[]];

/** Receives new entries of a stream, in order. Must not block. */
export type TailListener = (entries: readonly RawEntry[]) => void;

interface FollowedStream {
  /** Id of the last entry given to the listeners, or the start. */
  last: string;
  readonly listeners: Set<TailListener>;
}

const MAX_ENTRIES_PER_READ = 100;

/**
 * Follows the ends of any number of Redis streams over one blocking connection. When the set of followed
 * streams changes, an entry in a stream of this node wakes the read. `CLIENT UNBLOCK` would be lost if it
 * came before the read.
 */
export class StreamTail {
  readonly #redis: Redis;
  readonly #keyPrefix: string;
  readonly #store: RedisStore;
  readonly #logger: Logger;
  readonly #followed = new Map<string, FollowedStream>();
  readonly #wakeKey = `keelson:stream-wake:${ulid()}`;
  #wakeLast = '0-0';
  #running = false;
  #blocked = false;
  #closing = false;

  /** @param store wakes this node's blocked read */
  constructor(url: string, store: RedisStore, logger: Logger) {
    this.#store = store;
    this.#keyPrefix = keyPrefixOf(url);
    this.#logger = logger;
    // The client sends an interrupted read again unchanged: later changes have left an entry in the wake-up
    // stream.
    this.#redis = new Redis(url, {
      lazyConnect: true,
      maxRetriesPerRequest: null,
      commandTimeout: TAIL_DEAD_AFTER_MS,
      retryStrategy: (attempt) => Math.min(attempt * 100, 1_000),
    });
    this.#redis.on('error', (error: Error) => logger.debug({ err: error }, 'redis connection error'));
  }

  /** Last id given to the listeners of a stream; null if it is not followed. */
  lastIdOf(key: string): string | null {
    return this.#followed.get(key)?.last ?? null;
  }

  /**
   * Gives the listener the entries after `from`, or after `lastIdOf` if the stream is followed already.
   * @returns a function that ends it
   */
  follow(key: string, from: string, listener: TailListener): () => void {
    let tailed = this.#followed.get(key);
    if (!tailed) {
      tailed = { last: from, listeners: new Set() };
      this.#followed.set(key, tailed);
      this.#wake();
    }
    tailed.listeners.add(listener);
    return () => {
      tailed.listeners.delete(listener);
      // The present read still names it; its reply finds no listener, and the next read omits it.
      if (tailed.listeners.size === 0 && this.#followed.get(key) === tailed) this.#followed.delete(key);
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
      // If Redis is away, the blocked read has ended as well, or ends within TAIL_BLOCK_MS.
      this.#store
        .pipeline([
          ['xadd', this.#wakeKey, 'MAXLEN', 1, '*', 'wake', 1],
          ['expire', this.#wakeKey, WAKE_KEY_SECONDS],
        ])
        .catch(() => undefined);
    }
  }

  async #run(): Promise<void> {
    while (this.#followed.size > 0 && !this.#closing) {
      try {
        const found = await this.#read();
        // A pause gathers the entries of many producers: the cost of a read grows with its number of streams.
        if (found > 0) await sleep(Math.max(2, this.#followed.size / 50));
      } catch (error) {
        if (this.#closing) break;
        this.#logger.debug({ err: error }, 'the streams could not be read; trying again');
        if ((error as Error).message === 'Command timed out') this.#redis.disconnect(true);
        await sleep(TAIL_RETRY_MS);
      }
    }
    this.#running = false;
  }

  async #read(): Promise<number> {
    const keys = [...this.#followed.keys()];
    const ids = [...this.#followed.values()].map(({ last }) => last);
    this.#blocked = true;
    const options = ['COUNT', MAX_ENTRIES_PER_READ, 'BLOCK', TAIL_BLOCK_MS, 'STREAMS'];
    const reply = (await this.#redis
      .call('xread', ...options, this.#wakeKey, ...keys, this.#wakeLast, ...ids)
      .finally(() => (this.#blocked = false))) as [string, RawEntry[]][] | null;
    let found = 0;
    for (const [name, entries] of reply ?? []) {
      const key = name.slice(this.#keyPrefix.length);
      const newest = entries.at(-1)?.[0];
      if (newest === undefined) continue;
      if (key === this.#wakeKey) this.#wakeLast = newest;
      else found += this.#dispatch(key, entries, newest);
    }
    return found;
  }

  #dispatch(key: string, entries: readonly RawEntry[], newest: string): number {
    const tailed = this.#followed.get(key);
    if (!tailed) return 0;
    tailed.last = newest;
    for (const listener of [...tailed.listeners]) listener(entries);
    return entries.length;
  }
}
