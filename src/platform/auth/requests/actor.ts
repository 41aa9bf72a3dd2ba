import type { Permissions } from '../../metadata/permissions/permissions.ts';
import type { Snapshot } from '../../metadata/snapshot/snapshot.ts';
import { forbidden } from '../../../foundation/errors/application-error.ts';

/** Who acts, for which tenant, in which environment. Services take it explicitly: workers have no request. */
export interface Actor {
  readonly userId: string;
  readonly userPid: string;
  readonly username: string;
  readonly tenantId: string;
  /** The IANA name of the tenant's time zone. */
  readonly timeZone: string;
  readonly roles: readonly string[];
  readonly permissions: Permissions;
  /** The environment's configuration as of the actor's request. */
  readonly metadata: Snapshot;
  /** For a program with an API key: the pid of the user who made the key. */
  readonly keyMadeBy?: string | null | undefined;
  /** For a program with an API key: the pid of the user whose rights the key needs. */
  readonly keyOwnedBy?: string | undefined;
}

/** A user of a tenant with their roles, as it can be stored. */
export type Identity = Pick<Actor, 'userId' | 'userPid' | 'username' | 'tenantId' | 'roles' | 'keyMadeBy'>;

/** The actor with a stored identity: the environment's present configuration says what the roles may do. */
export function actorOf(identity: Identity, metadata: Snapshot): Actor {
  const { userId, userPid, username, tenantId, roles, keyMadeBy } = identity;
  return {
    userId,
    userPid,
    username,
    tenantId,
    timeZone: metadata.timeZoneOf(tenantId),
    roles,
    permissions: metadata.permissionsOf(roles),
    metadata,
    keyMadeBy,
  };
}

/**
 * The pid of the acting person: where two people must agree, a program counts as the user who made its key.
 */
export function personOf({ userPid, keyMadeBy }: Pick<Identity, 'userPid' | 'keyMadeBy'>): string {
  return keyMadeBy ?? userPid;
}

/** The pid of the person who answers for what the actor makes. */
export function ownerOf({ userPid, keyOwnedBy }: Actor): string {
  return keyOwnedBy ?? userPid;
}

/** @throws FORBIDDEN with `data.permission` */
export function authorize(actor: Actor, permission: string): void {
  if (!actor.permissions.has(permission)) throw forbidden(permission);
}
