import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { TenantEntity } from './tenant.entity.ts';

/** A person who can log in. Users span tenants and environments; what they may do is decided per tenant. */
export const UserEntity = defineEntity({
  name: 'User',
  tableName: 'user',
  properties: {
    id: p.bigint('string').primary().autoincrement(),
    pid: p.string().length(32).unique(),
    /** Lower case, so that its unique index ignores case. */
    email: p.string().length(320).unique(),
    username: p.string().length(200),
    /** A PHC string: algorithm, parameters, salt and hash. */
    passwordHash: p.text().hidden(),
    status: p.enum(['active', 'disabled']).default('active'),
    defaultTenant: () => p.manyToOne(TenantEntity),
    /** Ids of tenants that the user has left; a trigger writes it. */
    formerTenants: p.array().columnType('bigint[]').defaultRaw("'{}'"),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
});

export type User = InferEntity<typeof UserEntity>;
