import type { PlatformOrm } from '../../foundation/database/orm.ts';
import type { Actor } from './requests/actor.ts';
import { statusOf } from './sessions/login-result.ts';
import { MembershipEntity, type Membership } from './accounts/membership.entity.ts';
import { UserEntity } from './accounts/user.entity.ts';

/** What callers are told about themselves. */
export class MeService {
  readonly #orm: PlatformOrm;

  constructor(orm: PlatformOrm) {
    this.#orm = orm;
  }

  /**
   * The caller, the tenants to choose from, and what the caller may do in the one in use. A program has no
   * e-mail.
   */
  async describe({ userId, userPid, username, tenantId, roles, metadata, keyMadeBy }: Actor) {
    const em = this.#orm.em.fork();
    const permissions = metadata.permissionsOf(roles).codes;
    const common = { userId, userPid, username, tenantId, environment: metadata.environment };
    // A key's rights are its permissions; the roles that carry them are internal.
    if (typeof keyMadeBy === 'string') return { ...common, email: null, roles: [], permissions, tenants: [] };
    const user = await em.findOneOrFail(UserEntity, { id: userId });
    const options = { populate: ['tenant'], orderBy: { tenant: 'asc' } } as const;
    const memberships = (await em.find(MembershipEntity, { user: userId }, options)) as Membership[];
    const tenants = memberships.map((membership) => ({
      tenantId: membership.tenant.id,
      name: membership.tenant.name,
      tenantStatus: statusOf(membership),
      roles: membership.roles,
    }));
    return { ...common, email: user.email, roles, permissions, tenants };
  }
}
