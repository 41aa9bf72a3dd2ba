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
  /** Rows that have not been read yet. */
  readonly left: number;
  /** Where the next call goes on; null: nothing is left. */
  readonly cursor: string | null;
}

export interface ResealingParts {
  readonly orm: PlatformOrm;
  readonly stores: readonly SealedStore[];
  readonly installationId: string;
}

/**
 * Seals some batches of stored secrets under the first key of `SECRETS_KEY`, so that the other keys can be
 * removed. To begin again is harmless.
 * @param cursor null: from the beginning
 * @throws VALIDATION_ERROR for a cursor of no store
 */
export async function resealSome(parts: ResealingParts, actor: Actor, cursor: string | null): Promise<Progress> {
  const { stores } = parts;
  const end = Date.now() + RESEAL_MS;
  let [index, after] = positionOf(stores, cursor);
  let resealed = 0;
  const unreadable: string[] = [];
  for (let batches = 0; batches < MAX_RESEALED_BATCHES && Date.now() < end; batches += 1) {
    const store = stores[index];
    if (!store) break;
    const batch = await resealBatch(parts, actor, store, after);
    resealed += batch.resealed;
    unreadable.push(...batch.unreadable);
    [index, after] = batch.last === null ? [index + 1, ''] : [index, batch.last];
  }
  const next = stores[index];
  const left = await countFrom(parts, index, after);
  return { resealed, unreadable, left, cursor: next && left > 0 ? `${next.name}:${after}` : null };
}

/** The store and the row behind which to go on. */
function positionOf(stores: readonly SealedStore[], cursor: string | null): [index: number, after: string] {
  if (cursor === null) return [0, ''];
  const [name, after = ''] = cursor.split(':');
  const index = stores.findIndex((store) => store.name === name);
  if (index < 0) throw validationError({ cursor: 'must be the one of an earlier answer' });
  return [index, after];
}

function resealBatch(
  { orm, installationId }: ResealingParts,
  actor: Actor,
  store: SealedStore,
  after: string,
): Promise<ResealedBatch> {
  return orm.em.fork().transactional(async (em) => {
    const batch = await store.resealBatch(em, after, RESEAL_BATCH);
    if (batch.resealed > 0) {
      await appendAudit(em, {
        actor,
        action: 'secrets.reseal',
        targetType: 'installation',
        targetPid: installationId,
        environment: null,
        after: { store: store.name, resealed: batch.resealed },
      });
    }
    return batch;
  });
}

async function countFrom({ orm, stores }: ResealingParts, index: number, after: string): Promise<number> {
  const em = orm.em.fork();
  let count = 0;
  for (const [at, store] of stores.slice(index).entries()) {
    count += await store.countAfter(em, at === 0 ? after : '');
  }
  return count;
}
