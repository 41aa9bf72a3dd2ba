/** What a feature forgets after a while. */
export interface Retention {
  /** Deletes a batch of what is older than it is kept. False when there is nothing left to delete. @throws SERVICE_UNAVAILABLE */
  purgeBatch(): Promise<boolean>;
}

/** What all features forget. One that cannot now does not keep the others from it. */
export class Purge implements Retention {
  readonly #retentions: readonly Retention[];

  constructor(...retentions: readonly Retention[]) {
    this.#retentions = retentions;
  }

  /** A batch of each. @throws what the first one threw that failed, after all had their turn */
  async purgeBatch(): Promise<boolean> {
    let isMore = false;
    const failures: unknown[] = [];
    for (const retention of this.#retentions) {
      try {
        isMore = (await retention.purgeBatch()) || isMore;
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    return isMore;
  }
}
