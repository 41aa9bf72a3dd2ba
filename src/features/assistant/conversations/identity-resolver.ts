import type { Identity } from '../../../platform/auth/requests/actor.ts';
import { MembershipEntity } from '../../../platform/auth/accounts/membership.entity.ts';
import { UserEntity } from '../../../platform/auth/accounts/user.entity.ts';
import type { PlatformOrm } from '../../../foundation/database/orm.ts';
import type { Conversation } from './conversation.entity.ts';

/** Finds the user an answer is made for, with the roles they have now. */
export interface IdentityResolver {
  /** Null where the user is gone or may not act. */
  resolve(conversation: Conversation): Promise<Identity | null>;
}

/** Resolves the owners of users' own conversations. */
export function userIdentityResolver(orm: PlatformOrm): IdentityResolver {
  return {
    async resolve({ userPid, tenantId }) {
      const em = orm.em.fork();
      const user = await em.findOne(UserEntity, { pid: userPid, status: 'active' });
      const tenant = { id: tenantId, status: 'active' } as const;
      const membership = user && (await em.findOne(MembershipEntity, { user: user.id, tenant }));
      if (!membership) return null;
      const { id: userId, username } = user;
      return { userId, userPid, username, tenantId, roles: membership.roles };
    },
  };
}
