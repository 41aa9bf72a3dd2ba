import { Redis } from 'ioredis';
import { unavailable } from '../errors/application-error.ts';
import { REDIS_WAIT_MS } from '../foundation.limits.ts';
import type { Logger } from '../logging/logger.ts';

/** Name and arguments of a Redis command. */
export type RedisCommand = readonly [name: string, ...args: (string | number)[]];

interface Batch {
  readonly commands: (string | number)[][];
  /** The MGET at the end of the commands, which takes the keys of further GETs. */
  gets: (string | number)[] | null;
  /** Replies to all commands, in their order. */
  readonly replies: Promise<Reply[]>;
}

type Reply = [error: Error | null, reply: unknown];

/** Where the reply to a command is: in its own reply, or among those of an MGET. */
interface Place {
  readonly index: number;
  readonly item: number | null;
}

/** What the client puts before every key. Replies and channels have it as it is. */
export function keyPrefixOf(url: string): string {
  return new URL(url).searchParams.get('keyPrefix') ?? '';
}

/** Shared store of access tokens, counters, caches and notifications. Never the only copy of durable data. */
export class RedisStore {
  readonly #redis: Redis;
  readonly #subscriber: Redis;
  readonly #keyPrefix: string;
  #closing = false;
  /** Commands of the next write. */
  #batch: Batch | null = null;

  /** @param waitMs how long a request waits for an answer */
  constructor(url: string, logger: Logger, waitMs = REDIS_WAIT_MS) {
    // Fails at once while disconnected, so that callers answer 503 instead of queueing in memory.
    const options = { enableOfflineQueue: false, maxRetriesPerRequest: 0, commandTimeout: waitMs, lazyConnect: true };
    this.#keyPrefix = keyPrefixOf(url);
    const retryStrategy = (attempt: number): number => Math.min(attempt * 100, 1_000);
    this.#redis = new Redis(url, { ...options, retryStrategy });
    this.#subscriber = new Redis(url, { retryStrategy, lazyConnect: true, maxRetriesPerRequest: null });
    for (const connection of [this.#redis, this.#subscriber]) {
      connection.on('error', (error: Error) => logger.debug({ err: error }, 'redis connection error'));
    }
    this.#redis.on('close', () => {
      if (!this.#closing) logger.warn('redis connection lost; reconnecting');
    });
    this.#redis.on('ready', () => logger.info('redis connected'));
  }

  /** @throws SERVICE_UNAVAILABLE when Redis does not answer */
  async connect(): Promise<void> {
    try {
      await Promise.all([this.#redis.connect(), this.#subscriber.connect()]);
    } catch (error) {
      throw unavailable('redis', error);
    }
  }

  /** Sends all commands in one round trip. @returns their replies in order @throws SERVICE_UNAVAILABLE */
  async pipeline(commands: readonly RedisCommand[]): Promise<unknown[]> {
    const batch = (this.#batch ??= this.#openBatch());
    const places = commands.map((command) => place(batch, command));
    try {
      const replies = await batch.replies;
      return places.map(({ index, item }) => {
        const [error, reply] = replies[index] ?? [null, null];
        if (error) throw error;
        return item === null ? reply : (reply as unknown[])[item];
      });
    } catch (error) {
      throw unavailable('redis', error);
    }
  }

  /**
   * Gathers the commands of one turn of the event loop, because a write costs more than the commands in it.
   * The client's own pipelines keep what they made until the next full garbage collection.
   */
  #openBatch(): Batch {
    const commands: (string | number)[][] = [];
    const replies = new Promise((resolve) => setImmediate(resolve)).then(() => {
      this.#batch = null;
      const { stream } = this.#redis;
      stream?.cork();
      process.nextTick(() => stream?.uncork());
      return Promise.all(commands.map(([name, ...args]) => this.#send(String(name), args)));
    });
    return { commands, gets: null, replies };
  }

  /** @returns the error or the reply: one command of a batch fails alone */
  #send(name: string, args: (string | number)[]): Promise<Reply> {
    return this.#redis.call(name, ...args).then(
      (reply): Reply => [null, reply],
      (error: unknown): Reply => [error as Error, null],
    );
  }

  /** The command that sends a message to the listeners of a channel. */
  publishCommand(channel: string, message: string): RedisCommand {
    return ['publish', this.#channelName(channel), message];
  }

  /** Listens to a channel until the process ends; survives reconnects. */
  async subscribe(channel: string, listener: (message: string) => void): Promise<void> {
    const name = this.#channelName(channel);
    this.#subscriber.on('message', (from: string, message: string) => {
      if (from === name) listener(message);
    });
    await this.#subscriber.subscribe(name);
  }

  /** The client adds its prefix to keys, and not to channels. */
  #channelName(channel: string): string {
    return this.#keyPrefix + channel;
  }

  async close(): Promise<void> {
    this.#closing = true;
    this.#redis.disconnect();
    this.#subscriber.disconnect();
    await Promise.resolve();
  }
}

/** Adds a command to a batch. GETs in a row are one MGET: the client's work is for commands, not for keys. */
function place(batch: Batch, command: RedisCommand): Place {
  const [name, ...keys] = command;
  if (name !== 'get') {
    batch.gets = null;
    return { index: batch.commands.push([...command]) - 1, item: null };
  }
  if (batch.gets === null) batch.commands.push((batch.gets = ['mget']));
  batch.gets.push(...keys);
  return { index: batch.commands.length - 1, item: batch.gets.length - 2 };
}
