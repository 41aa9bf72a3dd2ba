import type { Actor } from '../auth/actor.ts';
import { MembershipEntity } from '../auth/membership.entity.ts';
import { UserEntity } from '../auth/user.entity.ts';
import type { PlatformOrm } from '../database/orm.ts';
import type { Snapshot } from '../metadata/snapshot.ts';
import type { Conversation } from './conversation.entity.ts';

/** Who an answer is made for, as of now: roles that were taken away since the question do not count any more. */
export type Identity = Pick<Actor, 'userId' | 'userPid' | 'username' | 'tenantId' | 'roles'>;

/** Knows who somebody's conversation belongs to. */
export interface Identities {
  /** Null: they are not there any more, or may not act. */
  of(conversation: Conversation): Promise<Identity | null>;
}

/** The users of conversations that people hold themselves. */
export class UserIdentities implements Identities {
  readonly #orm: PlatformOrm;

  constructor(orm: PlatformOrm) {
    this.#orm = orm;
  }

  async of({ userPid, tenantId }: Conversation): Promise<Identity | null> {
    const em = this.#orm.em.fork();
    const user = await em.findOne(UserEntity, { pid: userPid, status: 'active' });
    const tenant = { id: tenantId, status: 'active' } as const;
    const membership = user && (await em.findOne(MembershipEntity, { user: user.id, tenant }));
    if (!membership) return null;
    const { id: userId, username } = user;
    return { userId, userPid, username, tenantId, roles: membership.roles };
  }
}

export function actorOf(identity: Identity, metadata: Snapshot): Actor {
  return { ...identity, permissions: metadata.permissionsOf(identity.roles), metadata };
}
