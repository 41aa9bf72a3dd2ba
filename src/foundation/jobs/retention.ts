/** Retention rule of a feature. */
export interface Retention {
  /** The tables that it keeps from growing for ever, those that go with their rows included. */
  readonly tables: readonly string[];
  /** Deletes a batch of expired rows. @returns false when none is left @throws SERVICE_UNAVAILABLE */
  purgeBatch(): Promise<boolean>;
}

/** Runs the retention rules of all features. One that fails does not stop the others. */
export class Purge implements Retention {
  readonly tables: readonly string[];
  readonly #retentions: readonly Retention[];

  constructor(...retentions: readonly Retention[]) {
    this.#retentions = retentions;
    this.tables = retentions.flatMap(({ tables }) => tables);
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
