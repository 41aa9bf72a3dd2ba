import type { PlatformEntityManager, PlatformOrm } from '../../../foundation/database/orm.ts';
import { unavailable } from '../../../foundation/errors/application-error.ts';
import type { RedisCommand, RedisStore } from '../../../foundation/redis/redis-store.ts';
import pLimit, { type LimitFunction } from 'p-limit';
import { DATABASE_WAIT_MS } from '../../../foundation/foundation.limits.ts';
import { CACHED_ROW_SECONDS } from '../auth.limits.ts';

/**
 * Copies in the shared store of what rows in Postgres say, so that a request need not ask Postgres; never
 * older than the last change that was answered. Two rules make it so:
 *
 * 1. a reader that fills in a copy holds a share lock on its row until the copy is there;
 * 2. a writer removes the copy while it holds the row locked, before it commits.
 *
 * So a copy is either removed by the change, or made after it. A loss of the shared store only costs time.
 */
export class RowCache<T> {
  readonly #orm: PlatformOrm;
  readonly #store: RedisStore;
  readonly #kind: string;
  readonly #read: (em: PlatformEntityManager, id: string) => Promise<T | null>;
  readonly #waitMs: number;
  readonly #limit: LimitFunction;

  /**
   * @param read reads the row with a share lock (rule 1); null where there is none
   * @param waitMs a request waits no longer for a Postgres that is silent
   * @param readsAtOnce each takes a connection
   */
  constructor(
    orm: PlatformOrm,
    store: RedisStore,
    kind: string,
    read: (em: PlatformEntityManager, id: string) => Promise<T | null>,
    waitMs = DATABASE_WAIT_MS,
    readsAtOnce = Infinity,
  ) {
    this.#waitMs = waitMs;
    this.#limit = pLimit(readsAtOnce);
    this.#orm = orm;
    this.#store = store;
    this.#kind = kind;
    this.#read = read;
  }

  /** The command that reads a copy, for the request's one Redis round trip; `resolve` reads its reply. */
  readCommand(id: string): RedisCommand {
    return ['get', this.#key(id)];
  }

  /**
   * What the row says: from the copy where there is one, else from Postgres; null where there is no row.
   * @throws SERVICE_UNAVAILABLE
   */
  async resolve(id: string, reply: unknown): Promise<T | null> {
    if (typeof reply === 'string') return JSON.parse(reply) as T;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(unavailable('postgres')), this.#waitMs);
    });
    return Promise.race([this.#limit(() => this.#fill(id)), late]).finally(() => clearTimeout(timer));
  }

  /**
   * Removes copies. Call it in the transaction of the change, with the row locked (rule 2). @throws
   * SERVICE_UNAVAILABLE
   */
  async remove(...ids: string[]): Promise<void> {
    if (ids.length > 0) await this.#store.pipeline([['del', ...ids.map((id) => this.#key(id))]]);
  }

  async #fill(id: string): Promise<T | null> {
    return this.#orm.em.fork().transactional(async (em) => {
      const value = await this.#read(em, id);
      if (value) await this.#store.pipeline([['set', this.#key(id), JSON.stringify(value), 'EX', CACHED_ROW_SECONDS]]);
      return value;
    });
  }

  #key(id: string): string {
    return keyOfCopy(this.#kind, id);
  }
}

/** The key of the copy of a row in the shared store. */
export function keyOfCopy(kind: string, id: string): string {
  return `keelson:${kind}:${id}`;
}
