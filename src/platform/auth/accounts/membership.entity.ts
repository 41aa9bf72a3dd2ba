import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { TenantEntity } from './tenant.entity.ts';
import { UserEntity } from './user.entity.ts';

/**
 * A user's place in a tenant with its role codes: built-in roles, or PERMISSION resources of the environment
 * in use.
 */
export const MembershipEntity = defineEntity({
  name: 'Membership',
  tableName: 'membership',
  primaryKeys: ['user', 'tenant'],
  properties: {
    user: () => p.manyToOne(UserEntity).primary(),
    tenant: () => p.manyToOne(TenantEntity).primary(),
    roles: p.array().columnType('text[]'),
    /** Spec: "Login result", `tenantStatus`. */
    status: p.string().length(32).default('member'),
  },
});

export type Membership = InferEntity<typeof MembershipEntity>;
