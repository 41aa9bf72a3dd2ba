/** Retention rule of a feature. */
export interface Retention {
  /** Deletes a batch of expired rows. @returns false when none is left @throws SERVICE_UNAVAILABLE */
  purgeBatch(): Promise<boolean>;
}

/** Runs the retention rules of all features. One that fails does not stop the others. */
export class Purge implements Retention {
  readonly #retentions: readonly Retention[];

  constructor(...retentions: readonly Retention[]) {
    this.#retentions = retentions;
  }

  /** Deletes a batch of each rule. @throws the first failure, after all rules have run */
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
