import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/**
 * A customer of the platform. Its id is the `tenant_id` of every record; it is the same in every environment.
 */
export const TenantEntity = defineEntity({
  name: 'Tenant',
  tableName: 'tenant',
  properties: {
    id: p.bigint('string').primary().autoincrement(),
    pid: p.string().length(32).unique(),
    name: p.string().length(200).unique(),
    /** All requests of a suspended tenant are refused. */
    status: p.enum(['active', 'suspended']).default('active'),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
});

export type Tenant = InferEntity<typeof TenantEntity>;
