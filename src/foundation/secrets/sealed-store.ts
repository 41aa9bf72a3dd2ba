import type { PlatformEntityManager } from '../database/orm.ts';
import { SecretUnreadableError, type SecretBox } from './secret-box.ts';

/** What came of a batch of rows that were to be sealed under the first key of `SECRETS_KEY`. */
export interface ResealedBatch {
  /** Rows that were sealed under another key before. */
  readonly resealed: number;
  /** Names of the secrets that no key opens. They stay as they are. */
  readonly unreadable: readonly string[];
  /** Where the next batch begins; null after the last row. */
  readonly last: string | null;
}

/** A table with sealed texts. */
export interface SealedStore {
  /** Lower-case letters and dashes. */
  readonly name: string;
  /**
   * Seals the rows after `after` again, in the order of their keys, and locks them until the end of the
   * transaction. Rows that are sealed under the first key stay as they are.
   */
  resealBatch(em: PlatformEntityManager, after: string, limit: number): Promise<ResealedBatch>;
  countAfter(em: PlatformEntityManager, after: string): Promise<number>;
}

/** Seals a text again; one that cannot be opened stays as it is, and keeps no other. */
export type Reseal = SecretBox['reseal'];

/** @param change gives the sealed fields of a row, sealed again */
export function resealRows<R extends object>(
  box: SecretBox,
  rows: readonly R[],
  limit: number,
  keyOf: (row: R) => string,
  change: (row: R, reseal: Reseal) => Partial<R>,
): ResealedBatch {
  let resealed = 0;
  const unreadable: string[] = [];
  for (const row of rows) {
    let isNew = false;
    const fields = change(row, (sealed, ...named) => {
      try {
        const again = box.reseal(sealed, ...named);
        isNew ||= again !== sealed;
        return again;
      } catch (error) {
        if (!(error instanceof SecretUnreadableError)) throw error;
        unreadable.push(error.secret);
        return sealed;
      }
    });
    if (!isNew) continue;
    Object.assign(row, fields);
    resealed += 1;
  }
  const last = rows.at(-1);
  return { resealed, unreadable, last: last === undefined || rows.length < limit ? null : keyOf(last) };
}
