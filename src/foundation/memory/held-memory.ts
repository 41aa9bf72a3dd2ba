import { AsyncLocalStorage } from 'node:async_hooks';
import { getHeapStatistics } from 'node:v8';
import { MAX_HELD_BYTES, SHARE_OF_HEAP } from '../foundation.limits.ts';
import { MemoryBudget } from './memory-budget.ts';

/** One for the process, whatever runs in it. */
const budget = new MemoryBudget(getHeapStatistics().heap_size_limit * SHARE_OF_HEAP);
const store = new AsyncLocalStorage<HeldMemory | null>();

/** What one piece of work holds of what it has read: a request until it is answered, or a transaction. */
export class HeldMemory {
  /** Kept by the budget. */
  bytes = 0;
  #isEnded = false;
  /** Those of `bytes` that do not count to what one may hold. */
  #apart = 0;

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Whether the work holds more than one may: less has to be read. */
  get isExceeded(): boolean {
    return this.bytes - this.#apart > MAX_HELD_BYTES;
  }

  /** Counts bytes that have been read. @returns false where more of them have to be waited for */
  take(bytes: number): boolean {
    // A request that has been cut off waits for nothing any more.
    return this.#isEnded || budget.take(this, bytes);
  }

  /**
   * The same for the platform's own rows: they have limits of their own, and one of them may be all
   * configuration.
   */
  takeApart(bytes: number): boolean {
    this.#apart += bytes;
    return this.take(bytes);
  }

  /** Resolves when more may be read. @throws SERVICE_UNAVAILABLE */
  wait(): Promise<void> {
    return budget.wait(this);
  }

  give(bytes: number): void {
    budget.give(this, Math.min(bytes, this.bytes), false);
  }

  /** Only so many bytes are left, and no more will be read. */
  shrinkTo(bytes: number): void {
    budget.give(this, this.bytes - bytes, true);
  }

  /** Nothing is left. What is read from now on is counted for itself. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    budget.give(this, this.bytes, true);
  }
}

/** Runs `work`, and all that follows from it, as a piece of work that holds memory until `held` ends. */
export function holding<T>(held: HeldMemory | null, work: () => T): T {
  return store.run(held, work);
}

/** As `holding`, until `work` is done. */
export async function holdingMeanwhile<T>(work: () => Promise<T>): Promise<T> {
  const held = new HeldMemory();
  try {
    return await holding(held, work);
  } finally {
    held.end();
  }
}

/** What the present piece of work holds; null outside of one. */
export function heldMemory(): HeldMemory | null {
  const held = store.getStore() ?? null;
  return held?.isEnded === true ? null : held;
}

/**
 * Counts bytes that the present piece of work has read elsewhere than in Postgres. @throws
 * SERVICE_UNAVAILABLE
 */
export async function holdMore(bytes: number): Promise<void> {
  const held = heldMemory();
  if (held && !held.take(bytes)) await held.wait();
}
