import { LockMode } from '@mikro-orm/core';
import type { PlatformEntityManager, PlatformOrm } from '../../../foundation/database/orm.ts';
import type { RedisStore } from '../../../foundation/redis/redis-store.ts';
import { MembershipEntity } from './membership.entity.ts';
import { RowCache } from './row-cache.ts';
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

/**
 * Users' profiles by pid. A change of a user or its memberships locks the user's row and removes the copy.
 */
export type Profiles = RowCache<Profile>;

export function createProfiles(orm: PlatformOrm, store: RedisStore, waitMs?: number): Profiles {
  const read = async (em: PlatformEntityManager, pid: string): Promise<Profile | null> => {
    const user = await em.findOne(UserEntity, { pid }, { lockMode: LockMode.PESSIMISTIC_READ });
    if (!user) return null;
    const memberships = await em.find(MembershipEntity, { user: user.id });
    return {
      userId: user.id,
      username: user.username,
      active: user.status === 'active',
      memberships: Object.fromEntries(memberships.map(({ tenant, roles }) => [tenant.id, roles])),
    };
  };
  return new RowCache(orm, store, 'user', read, waitMs);
}

/** Whether tenants are active, by id. */
export type TenantStates = RowCache<{ readonly active: boolean }>;

export function createTenantStates(orm: PlatformOrm, store: RedisStore, waitMs?: number): TenantStates {
  const read = async (em: PlatformEntityManager, id: string) => {
    const tenant = await em.findOne(TenantEntity, { id }, { lockMode: LockMode.PESSIMISTIC_READ });
    return tenant && { active: tenant.status === 'active' };
  };
  return new RowCache(orm, store, 'tenant', read, waitMs);
}
