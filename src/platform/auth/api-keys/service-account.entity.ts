import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { TenantEntity } from '../accounts/tenant.entity.ts';

/**
 * A program that acts in one tenant. It has no password and no roles: each of its keys says what it may do.
 */
export const ServiceAccountEntity = defineEntity({
  name: 'ServiceAccount',
  tableName: 'service_account',
  properties: {
    /** From the same sequence as users' ids. */
    id: p.bigint('string').primary().autoincrement(),
    pid: p.string().length(32).unique(),
    tenant: () => p.manyToOne(TenantEntity),
    name: p.string().length(200),
    createdBy: p.string().length(32),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  uniques: [{ properties: ['tenant', 'name'] }],
});

export type ServiceAccount = InferEntity<typeof ServiceAccountEntity>;

/** A key of a service account. A key that was revoked has no row. */
export const ApiKeyEntity = defineEntity({
  name: 'ApiKey',
  tableName: 'api_key',
  properties: {
    /** The part of the key that may be shown. */
    prefix: p.string().length(40).primary(),
    pid: p.string().length(32).unique(),
    serviceAccount: () => p.manyToOne(ServiceAccountEntity),
    /** SHA-256 of the secret part. */
    hash: p.string().length(64).hidden(),
    /** Permission codes. */
    scopes: p.array().columnType('text[]'),
    /** Who made it, and so has seen its secret. */
    createdBy: p.string().length(32),
    /** The user whose rights it needs: its maker, or the person who has adopted it. */
    ownedBy: p.string().length(32),
    createdAt: p.datetime(3).defaultRaw('now()'),
    expiresAt: p.datetime(3).nullable(),
    lastUsedAt: p.datetime(3).nullable(),
  },
});

export type ApiKey = InferEntity<typeof ApiKeyEntity>;
