import type { PlatformEntityManager, PlatformOrm } from '../../../foundation/database/orm.ts';
import { problemOfStorable } from '../../../foundation/validation/formats.ts';
import { MembershipEntity } from './membership.entity.ts';

/** The pid of the active user of a tenant who has this pid or e-mail; null where there is none. */
export type FindMember = (tenantId: string, pidOrEmail: string) => Promise<string | null>;

export function memberFinder(orm: PlatformOrm): FindMember {
  return async (tenantId, pidOrEmail) => {
    if (problemOfStorable(pidOrEmail) !== null) return null;
    const isNamed = [{ pid: pidOrEmail }, { email: pidOrEmail.toLowerCase() }];
    const wanted = { tenant: tenantId, user: { status: 'active', $or: isNamed } } as const;
    const membership = await orm.em.fork().findOne(MembershipEntity, wanted, { populate: ['user'] });
    return membership?.user.pid ?? null;
  };
}

/** The roles of active users in a tenant, by the users' pids; who is no active member is missing. */
export async function rolesOfMembers(
  em: PlatformEntityManager,
  tenantId: string,
  pids: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const wanted = { tenant: tenantId, user: { status: 'active', pid: { $in: [...new Set(pids)] } } } as const;
  const found = await em.find(MembershipEntity, wanted, { populate: ['user'] });
  return new Map(found.map(({ user, roles }) => [user.pid, roles]));
}
