import { LockMode, type EntityName, type FilterQuery, type OrderDefinition } from '@mikro-orm/core';
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
type Reseal = SecretBox['reseal'];

/** What tells one table with sealed texts from another. */
export interface SealedTable<R extends object> {
  readonly name: string;
  readonly entity: EntityName<R>;
  /** Columns of a unique key, whose values have no slash. */
  readonly keys: readonly (keyof R & string)[];
  /** Gives the sealed fields of a row, sealed again. */
  readonly change: (row: R, reseal: Reseal) => Partial<R>;
}

export function sealedStore<R extends object>(
  box: SecretBox,
  { name, entity, keys, change }: SealedTable<R>,
): SealedStore {
  const keyOf = (row: R): string => keys.map((key) => String(row[key])).join('/');
  return {
    name,
    async resealBatch(em, after, limit) {
      const rows = await em.find(entity, following(keys, after), {
        orderBy: Object.fromEntries(keys.map((key) => [key, 'asc'])) as OrderDefinition<R>,
        limit,
        lockMode: LockMode.PESSIMISTIC_WRITE,
      });
      const last = rows.at(-1);
      const isLast = last === undefined || rows.length < limit;
      return { ...resealRows(box, rows, change), last: isLast ? null : keyOf(last) };
    },
    countAfter: (em, after) => em.count(entity, following(keys, after)),
  };
}

/** The rows behind a place in the order of the keys. */
function following<R extends object>(keys: readonly (keyof R & string)[], after: string): FilterQuery<NoInfer<R>> {
  const place = after.split('/');
  const behind = keys.map((key, index) => ({
    ...Object.fromEntries(keys.slice(0, index).map((before, at) => [before, place[at] ?? ''])),
    [key]: { $gt: place[index] ?? '' },
  }));
  return { $or: behind } as unknown as FilterQuery<NoInfer<R>>;
}

function resealRows<R extends object>(box: SecretBox, rows: readonly R[], change: SealedTable<R>['change']) {
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
  return { resealed, unreadable };
}
