/** Retention rule of a feature. */
export interface Retention {
  /** The tables that it keeps from growing for ever, those that go with their rows included. */
  readonly tables: readonly string[];
  /** Deletes a batch of expired rows. @returns false when none is left @throws SERVICE_UNAVAILABLE */
  purgeBatch(): Promise<boolean>;
}

/**
 * Runs the retention rules of all features, a batch of each. One that fails does not stop the others: the
 * first failure is thrown after all have run.
 */
export function purgeOf(retentions: readonly Retention[]): Retention {
  return {
    tables: retentions.flatMap(({ tables }) => tables),
    async purgeBatch() {
      let isMore = false;
      const failures: unknown[] = [];
      for (const retention of retentions) {
        try {
          isMore = (await retention.purgeBatch()) || isMore;
        } catch (error) {
          failures.push(error);
        }
      }
      if (failures.length > 0) throw failures[0];
      return isMore;
    },
  };
}
