import type { PlatformOrm } from '../../foundation/database/orm.ts';
import { validationError } from '../../foundation/errors/application-error.ts';
import type { ResealedBatch, SealedStore } from '../../foundation/secrets/sealed-store.ts';
import { appendAudit } from '../../platform/audit/audit-log.ts';
import type { Actor } from '../../platform/auth/requests/actor.ts';
import { MAX_RESEALED_BATCHES, RESEAL_BATCH, RESEAL_MS } from './administration.limits.ts';

/** How far the stored secrets have been sealed under the first key. */
interface Progress {
  /** Rows that were sealed under another key before. */
  readonly resealed: number;
  /** Names of the secrets that no key opens. */
  readonly unreadable: readonly string[];
  /** Rows that have not been looked at yet. */
  readonly left: number;
  /** Where to go on; null: nothing is left. */
  readonly cursor: string | null;
}

/** Seals what is stored under the first key of `SECRETS_KEY`, so that the others can be taken away. */
export class Resealing {
  readonly #orm: PlatformOrm;
  readonly #stores: readonly SealedStore[];
  readonly #installationId: string;

  constructor(orm: PlatformOrm, stores: readonly SealedStore[], installationId: string) {
    this.#orm = orm;
    this.#stores = stores;
    this.#installationId = installationId;
  }

  /**
   * Works through some batches of rows. To begin again is harmless.
   * @param cursor null: from the beginning
   * @throws VALIDATION_ERROR for a cursor of no store
   */
  async work(actor: Actor, cursor: string | null): Promise<Progress> {
    const end = Date.now() + RESEAL_MS;
    let [index, after] = this.#placeOf(cursor);
    let resealed = 0;
    const unreadable: string[] = [];
    for (let batches = 0; batches < MAX_RESEALED_BATCHES && Date.now() < end; batches += 1) {
      const store = this.#stores[index];
      if (!store) break;
      const batch = await this.#reseal(actor, store, after);
      resealed += batch.resealed;
      unreadable.push(...batch.unreadable);
      [index, after] = batch.last === null ? [index + 1, ''] : [index, batch.last];
    }
    const next = this.#stores[index];
    const left = await this.#countFrom(index, after);
    return { resealed, unreadable, left, cursor: next && left > 0 ? `${next.name}:${after}` : null };
  }

  #placeOf(cursor: string | null): [index: number, after: string] {
    if (cursor === null) return [0, ''];
    const [name, after = ''] = cursor.split(':');
    const index = this.#stores.findIndex((store) => store.name === name);
    if (index < 0) throw validationError({ cursor: 'must be the one of an earlier answer' });
    return [index, after];
  }

  #reseal(actor: Actor, store: SealedStore, after: string): Promise<ResealedBatch> {
    return this.#orm.em.fork().transactional(async (em) => {
      const batch = await store.resealBatch(em, after, RESEAL_BATCH);
      if (batch.resealed > 0) {
        await appendAudit(em, {
          actor,
          action: 'secrets.reseal',
          targetType: 'installation',
          targetPid: this.#installationId,
          environment: null,
          after: { store: store.name, resealed: batch.resealed },
        });
      }
      return batch;
    });
  }

  async #countFrom(index: number, after: string): Promise<number> {
    const em = this.#orm.em.fork();
    let count = 0;
    for (const [at, store] of this.#stores.slice(index).entries()) {
      count += await store.countAfter(em, at === 0 ? after : '');
    }
    return count;
  }
}
