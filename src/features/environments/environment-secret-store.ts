import { LockMode } from '@mikro-orm/core';
import type { PlatformEntityManager } from '../../foundation/database/orm.ts';
import { resealRows, type ResealedBatch, type SealedStore } from '../../foundation/secrets/sealed-store.ts';
import type { SecretBox } from '../../foundation/secrets/secret-box.ts';
import { contextOf, EnvironmentSecretEntity } from './environment-secret.entity.ts';

/** The sealed values of environments' secrets, by `<environment>/<name>`. */
export class EnvironmentSecretStore implements SealedStore {
  readonly name = 'environment-secrets';
  readonly #box: SecretBox;

  constructor(box: SecretBox) {
    this.#box = box;
  }

  async resealBatch(em: PlatformEntityManager, after: string, limit: number): Promise<ResealedBatch> {
    const rows = await em.find(EnvironmentSecretEntity, following(after), {
      orderBy: { environment: 'asc', name: 'asc' },
      limit,
      lockMode: LockMode.PESSIMISTIC_WRITE,
    });
    return resealRows(
      this.#box,
      rows,
      limit,
      ({ environment, name }) => `${environment}/${name}`,
      (row, reseal) => ({ sealed: reseal(row.sealed, contextOf(row)) }),
    );
  }

  countAfter(em: PlatformEntityManager, after: string): Promise<number> {
    return em.count(EnvironmentSecretEntity, following(after));
  }
}

function following(after: string) {
  const [environment = '', name = ''] = after.split('/');
  return { $or: [{ environment: { $gt: environment } }, { environment, name: { $gt: name } }] };
}
