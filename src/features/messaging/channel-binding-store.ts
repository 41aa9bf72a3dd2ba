import { LockMode } from '@mikro-orm/core';
import type { PlatformEntityManager } from '../../foundation/database/orm.ts';
import { resealRows, type ResealedBatch, type SealedStore } from '../../foundation/secrets/sealed-store.ts';
import type { SecretBox } from '../../foundation/secrets/secret-box.ts';
import { ChannelBindingEntity, contextOf, nameOf } from './channel-binding.entity.ts';

/** The sealed secrets of bound channels, by the pids of the bindings. */
export class ChannelBindingStore implements SealedStore {
  readonly name = 'im-channels';
  readonly #box: SecretBox;

  constructor(box: SecretBox) {
    this.#box = box;
  }

  async resealBatch(em: PlatformEntityManager, after: string, limit: number): Promise<ResealedBatch> {
    const rows = await em.find(
      ChannelBindingEntity,
      { pid: { $gt: after } },
      { orderBy: { pid: 'asc' }, limit, lockMode: LockMode.PESSIMISTIC_WRITE },
    );
    return resealRows(
      this.#box,
      rows,
      limit,
      ({ pid }) => pid,
      (row, reseal) => ({ secret: reseal(row.secret, contextOf(row), nameOf(row)) }),
    );
  }

  countAfter(em: PlatformEntityManager, after: string): Promise<number> {
    return em.count(ChannelBindingEntity, { pid: { $gt: after } });
  }
}
