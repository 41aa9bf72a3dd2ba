import { Redis } from 'ioredis';
import { unavailable } from '../errors/application-error.ts';
import type { Logger } from '../logging/logger.ts';

/** One Redis command as name and arguments, to be sent together with others. */
export type RedisCommand = readonly [name: string, ...args: (string | number)[]];

interface Batch {
  readonly commands: (string | number)[][];
  /** Of all its commands, in their order. */
  readonly replies: Promise<[Error | null, unknown][]>;
}

/** The shared store: sessions, counters, cached totals and wake-up calls. Never the only copy of anything. */
export class SharedStore {
  readonly #redis: Redis;
  readonly #subscriber: Redis;
  #closing = false;
  /** What the next write takes along. */
  #batch: Batch | null = null;
  /** Round trips made by requests so far; tests count with it. */
  roundTrips = 0;

  constructor(url: string, logger: Logger) {
    // Fail at once while disconnected (the caller answers 503) instead of queueing requests in memory.
    const options = { enableOfflineQueue: false, maxRetriesPerRequest: 0, commandTimeout: 2_000, lazyConnect: true };
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

  /**
   * Sends all commands in one round trip and gives their replies in order.
   * @throws SERVICE_UNAVAILABLE when Redis does not answer
   */
  async together(commands: readonly RedisCommand[]): Promise<unknown[]> {
    this.roundTrips += 1;
    const batch = (this.#batch ??= this.#openBatch());
    const from = batch.commands.length;
    for (const command of commands) batch.commands.push([...command]);
    try {
      const replies = await batch.replies;
      return replies.slice(from, from + commands.length).map(([error, reply]) => {
        if (error) throw error;
        return reply;
      });
    } catch (error) {
      throw unavailable('redis', error);
    }
  }

  /** What the requests of one turn of the event loop ask leaves in one write, which costs more than the commands in it. */
  #openBatch(): Batch {
    const commands: (string | number)[][] = [];
    const replies = new Promise((resolve) => setImmediate(resolve)).then(async () => {
      this.#batch = null;
      return (await this.#redis.pipeline(commands).exec()) ?? [];
    });
    return { commands, replies };
  }

  /** Listens to a channel for as long as the process lives; survives reconnects. */
  async subscribe(channel: string, listener: (message: string) => void): Promise<void> {
    this.#subscriber.on('message', (from: string, message: string) => {
      if (from === channel) listener(message);
    });
    await this.#subscriber.subscribe(channel);
  }

  async close(): Promise<void> {
    this.#closing = true;
    this.#redis.disconnect();
    this.#subscriber.disconnect();
    await Promise.resolve();
  }
}
