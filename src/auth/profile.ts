import { LockMode } from '@mikro-orm/core';
import type { PlatformOrm } from '../database/orm.ts';
import type { SharedStore } from '../redis/redis.ts';
import { MembershipEntity } from './membership.entity.ts';
import { RowCopies } from './row-copies.ts';
import { TenantEntity } from './tenant.entity.ts';
import { UserEntity } from './user.entity.ts';

/** What a request must know about its user. */
export interface Profile {
  readonly userId: string;
  readonly username: string;
  readonly active: boolean;
  /** Tenant id -> role codes. */
  readonly memberships: Readonly<Record<string, readonly string[]>>;
}

/** Users' profiles by pid. Whoever changes a user or its memberships locks the user's row and removes the copy. */
export type Profiles = RowCopies<Profile>;

export function createProfiles(orm: PlatformOrm, store: SharedStore): Profiles {
  return new RowCopies(orm, store, 'user', async (em, pid) => {
    const user = await em.findOne(UserEntity, { pid }, { lockMode: LockMode.PESSIMISTIC_READ });
    if (!user) return null;
    const memberships = await em.find(MembershipEntity, { user: user.id });
    return {
      userId: user.id,
      username: user.username,
      active: user.status === 'active',
      memberships: Object.fromEntries(memberships.map(({ tenant, roles }) => [tenant.id, roles])),
    };
  });
}

/** Whether tenants are active, by id. */
export type TenantStates = RowCopies<{ readonly active: boolean }>;

export function createTenantStates(orm: PlatformOrm, store: SharedStore): TenantStates {
  return new RowCopies(orm, store, 'tenant', async (em, id) => {
    const tenant = await em.findOne(TenantEntity, { id }, { lockMode: LockMode.PESSIMISTIC_READ });
    return tenant && { active: tenant.status === 'active' };
  });
}
