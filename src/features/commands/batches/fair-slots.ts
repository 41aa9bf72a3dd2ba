import { FairQueue } from '../../../foundation/temporal/fair-queue.ts';

/** Limits the work in progress. While more waits, tenants take turns. */
export class FairSlots {
  #free: number;
  readonly #waiting = new FairQueue<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  async run<T>(tenantId: string, work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.add(tenantId, resolve));
    try {
      return await work();
    } finally {
      const [next] = this.#waiting.draw(1, 1);
      if (next) next();
      else this.#free += 1;
    }
  }
}
