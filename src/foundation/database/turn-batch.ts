import { isTransient } from './failures.ts';

/** Most items of one batch. */
const MAX_SIZE = 100;

interface Waiting<In, Out> {
  readonly item: In;
  readonly resolve: (value: Out) => void;
  readonly reject: (error: unknown) => void;
}

/** Does together what one turn of the event loop asks for: one statement for all instead of one each. */
export class TurnBatch<In, Out> {
  readonly #work: (items: readonly In[]) => Promise<readonly Out[]>;
  readonly #atOnce: number;
  #waiting: Waiting<In, Out>[] = [];
  #underWay = 0;

  /**
   * @param work answers in the order of its items
   * @param atOnce batches under way at once: what is asked for meanwhile makes the next one
   */
  constructor(work: (items: readonly In[]) => Promise<readonly Out[]>, atOnce = Infinity) {
    this.#work = work;
    this.#atOnce = atOnce;
  }

  /** Rejects with what `work` throws for this item alone, or with a transient fault of the batch. */
  do(item: In): Promise<Out> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) setImmediate(() => this.#begin());
      this.#waiting.push({ item, resolve, reject });
    });
  }

  #begin(): void {
    while (this.#waiting.length > 0 && this.#underWay < this.#atOnce) {
      this.#underWay += 1;
      void this.#workOn(this.#waiting.splice(0, MAX_SIZE)).finally(() => {
        this.#underWay -= 1;
        this.#begin();
      });
    }
  }

  async #workOn(batch: readonly Waiting<In, Out>[]): Promise<void> {
    try {
      const values = await this.#work(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(values[index] as Out);
    } catch (error) {
      // One of them may be to blame, but not for a fault of the database.
      const isOfAll = batch.length === 1 || isTransient(error);
      for (const waiting of batch) {
        if (isOfAll) waiting.reject(error);
        else void this.#workOn([waiting]);
      }
    }
  }
}
