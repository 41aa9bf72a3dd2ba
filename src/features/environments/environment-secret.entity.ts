import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { SealedTable } from '../../foundation/secrets/sealed-store.ts';

/** A named secret of an environment. No endpoint answers it; no export or promotion holds it. */
export const EnvironmentSecretEntity = defineEntity({
  name: 'EnvironmentSecret',
  tableName: 'environment_secret',
  primaryKeys: ['environment', 'name'],
  properties: {
    environment: p.string().length(16).primary(),
    name: p.string().length(64).primary(),
    /** AES-256-GCM under `SECRETS_KEY`, bound to environment and name. */
    sealed: p.text(),
    updatedBy: p.string().length(32),
    updatedAt: p.datetime(3),
  },
});

export type EnvironmentSecret = InferEntity<typeof EnvironmentSecretEntity>;

/** What the secret's sealed value is bound to. */
export function contextOf({ environment, name }: Pick<EnvironmentSecret, 'environment' | 'name'>): string {
  return `environment:${environment}:${name}`;
}

/** The values of environments' secrets. */
export const ENVIRONMENT_SECRETS: SealedTable<EnvironmentSecret> = {
  name: 'environment-secrets',
  entity: EnvironmentSecretEntity,
  keys: ['environment', 'name'],
  change: (row, reseal) => ({ sealed: reseal(row.sealed, contextOf(row)) }),
};
