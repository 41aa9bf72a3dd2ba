import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { UTC } from '../../../foundation/time/time-zones.ts';
import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';

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
    /** IANA name: where the tenant's days begin. */
    timeZone: p.string().length(64).default(UTC),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
});

export type Tenant = InferEntity<typeof TenantEntity>;

/** SQL condition: the tenant is suspended. @param id the expression that names it */
export function isSuspendedTenant(id: string): string {
  return `exists (select 1 from platform.tenant t where t.id = ${id} and t.status = 'suspended')`;
}

/** Whether a tenant is active: messages and replies, which no request checks, stop in a suspended one. */
export async function isActiveTenant(em: PlatformEntityManager, id: string): Promise<boolean> {
  return (await em.count(TenantEntity, { id, status: 'active' })) > 0;
}

/** The time zones of tenants that have another one than UTC, by their ids. */
export async function timeZonesOfTenants(em: PlatformEntityManager): Promise<ReadonlyMap<string, string>> {
  const tenants = await em.find(TenantEntity, { timeZone: { $ne: UTC } }, { fields: ['id', 'timeZone'] });
  return new Map(tenants.map(({ id, timeZone }) => [id, timeZone]));
}
