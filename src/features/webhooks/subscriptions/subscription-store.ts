import { LockMode } from '@mikro-orm/core';
import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import { resealRows, type ResealedBatch, type SealedStore } from '../../../foundation/secrets/sealed-store.ts';
import type { SecretBox } from '../../../foundation/secrets/secret-box.ts';
import { resealCredentials } from './subscription-secrets.ts';
import { SubscriptionEntity } from './subscription.entity.ts';

/** The sealed secrets and headers of subscriptions, also of deleted ones, by pid. */
export class SubscriptionStore implements SealedStore {
  readonly name = 'webhooks';
  readonly #box: SecretBox;

  constructor(box: SecretBox) {
    this.#box = box;
  }

  async resealBatch(em: PlatformEntityManager, after: string, limit: number): Promise<ResealedBatch> {
    const rows = await em.find(
      SubscriptionEntity,
      { pid: { $gt: after } },
      { orderBy: { pid: 'asc' }, limit, lockMode: LockMode.PESSIMISTIC_WRITE },
    );
    return resealRows(this.#box, rows, limit, ({ pid }) => pid, resealCredentials);
  }

  countAfter(em: PlatformEntityManager, after: string): Promise<number> {
    return em.count(SubscriptionEntity, { pid: { $gt: after } });
  }
}
