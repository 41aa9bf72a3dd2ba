import { ApplicationError } from '../errors/application-error.ts';
import { text } from '../i18n/text.ts';
import type { RedisStore } from '../redis/redis-store.ts';
import { KEPT_STARTS_SECONDS } from '../foundation.limits.ts';

/** Starts without an end after which work is put aside. */
export const MAX_STARTS = 3;

/**
 * Counts starts of work that had no end: what kills the process that works on it must not go on to the next
 * one for ever. Redis has the count, because it survives the process and the rollback of its transaction.
 * Where a repeat can be told, work is counted from its second start on, so that the first costs nothing.
 */
export class RepeatedStarts {
  readonly #store: RedisStore;
  readonly #kind: string;
  readonly #uncounted: number;

  /** @param isFirstCounted whether the first start is counted as well */
  constructor(store: RedisStore, kind: string, isFirstCounted = false) {
    this.#store = store;
    this.#kind = kind;
    this.#uncounted = isFirstCounted ? 0 : 1;
  }

  /**
   * Counts a start.
   * @returns whether the work was begun three times before, and must not be begun again
   * @throws SERVICE_UNAVAILABLE
   */
  async isExhausted(id: string): Promise<boolean> {
    const [starts] = await this.count([id]);
    return Number(starts) > MAX_STARTS;
  }

  /** Whether any of these was begun again before. @throws SERVICE_UNAVAILABLE */
  async hasRepeated(ids: readonly string[]): Promise<boolean> {
    if (ids.length === 0) return false;
    const [count] = await this.#store.pipeline([['exists', ...ids.map((id) => this.#key(id))]]);
    return Number(count) > 0;
  }

  /** Counts starts. @returns the number of starts of each, this one and the first included */
  async count(ids: readonly string[]): Promise<number[]> {
    const replies = await this.#store.pipeline(
      ids.flatMap((id) => [['incr', this.#key(id)] as const, ['expire', this.#key(id), KEPT_STARTS_SECONDS] as const]),
    );
    return ids.map((_id, index) => Number(replies[2 * index]) + this.#uncounted);
  }

  /**
   * Forgets the starts of work that has ended, also by a fault. Should that fail, they are forgotten in time.
   */
  async forget(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.#store.pipeline([['del', ...ids.map((id) => this.#key(id))]]).catch(() => null);
  }

  #key(id: string): string {
    return `starts:${this.#kind}:${id}`;
  }
}

/** The failure of work that is put aside. */
export function endlessError(traceId: string): ApplicationError {
  const message = text('It was begun {count} times without an end', { count: MAX_STARTS });
  return new ApplicationError('INTERNAL_ERROR', { message, data: { traceId } });
}
