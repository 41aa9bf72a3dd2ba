import { ApplicationError } from '../errors/application-error.ts';
import { MEMORY_WAIT_MS, MAX_MEMORY_WAITING, UNWAITED_BYTES } from '../foundation.limits.ts';

/** Who holds bytes of a budget. */
export interface Holder {
  bytes: number;
}

interface Waiting {
  readonly holder: Holder;
  readonly resolve: () => void;
}

/**
 * Bytes of results that a process may hold at a time. They are taken as they arrive. When all are taken, one
 * holder may go on beyond them, and the others wait: so that what is begun also ends, and never two wait for
 * each other.
 */
export class MemoryBudget {
  readonly #size: number;
  #used = 0;
  /** The one that goes on beyond the size. */
  #beyond: Holder | null = null;
  readonly #waiting = new Set<Waiting>();

  constructor(size: number) {
    this.#size = size;
  }

  get used(): number {
    return this.#used;
  }

  /** Counts bytes that are there. @returns false where the holder has to wait before it reads more */
  take(holder: Holder, bytes: number): boolean {
    this.#used += bytes;
    holder.bytes += bytes;
    if (holder.bytes <= UNWAITED_BYTES || this.#used <= this.#size || this.#beyond === holder) return true;
    if (this.#beyond !== null || this.#waiting.size > 0) return false;
    this.#beyond = holder;
    return true;
  }

  /** @param isOver whether the holder needs nothing more */
  give(holder: Holder, bytes: number, isOver: boolean): void {
    this.#used -= bytes;
    holder.bytes -= bytes;
    if (isOver) this.#leave(holder);
    for (const waiting of this.#waiting) {
      if (this.#used > this.#size) {
        if (this.#beyond !== null) return;
        this.#beyond = waiting.holder;
      }
      this.#waiting.delete(waiting);
      waiting.resolve();
    }
  }

  #leave(holder: Holder): void {
    if (this.#beyond === holder) this.#beyond = null;
    for (const waiting of this.#waiting) {
      if (waiting.holder !== holder) continue;
      this.#waiting.delete(waiting);
      waiting.resolve();
    }
  }

  /** Resolves when the holder may read on, or has left. @throws SERVICE_UNAVAILABLE */
  async wait(holder: Holder): Promise<void> {
    // Each one that waits keeps a connection from others.
    if (this.#waiting.size >= MAX_MEMORY_WAITING) throw noMemory();
    await new Promise<void>((resolve, reject) => {
      const waiting: Waiting = { holder, resolve: () => (clearTimeout(deadline), resolve()) };
      const deadline = setTimeout(() => {
        this.#waiting.delete(waiting);
        reject(noMemory());
      }, MEMORY_WAIT_MS);
      this.#waiting.add(waiting);
    });
  }
}

function noMemory(): ApplicationError {
  return new ApplicationError('SERVICE_UNAVAILABLE', {
    message: 'Too many large answers are under way: try again, or ask for less',
    data: { dependency: 'memory' },
    retryAfterSeconds: 2,
  });
}
