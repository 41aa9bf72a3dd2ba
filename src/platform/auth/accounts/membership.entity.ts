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
  },
});

export type Membership = InferEntity<typeof MembershipEntity>;

/** SQL expression: the roles of an active user in a tenant; null where the user is no active member. */
export function rolesOfMember(tenantId: string, userPid: string): string {
  return `(select m.roles from platform."user" u join platform.membership m on m.user_id = u.id
    where u.pid = ${userPid} and u.status = 'active' and m.tenant_id = ${tenantId})`;
}
