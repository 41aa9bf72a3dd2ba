import type { PlatformOrm } from '../../../foundation/database/orm.ts';
import { ApplicationError, tenantSuspended } from '../../../foundation/errors/application-error.ts';
import { isKeyLive } from '../../../platform/auth/api-keys/api-keys.ts';
import { suspensionOf } from '../../../platform/auth/accounts/vouching.ts';
import { actorOf, type Actor } from '../../../platform/auth/requests/actor.ts';
import type { SnapshotCache } from '../../../platform/metadata/snapshot/snapshot-cache.ts';
import type { LockedImport } from '../import-store.ts';

/**
 * The actor of an import: its user with present rights, not those at the time of the request.
 * @throws TENANT_FORBIDDEN, UNAUTHORIZED: the import may not go on
 */
export async function actorOfImport(orm: PlatformOrm, snapshots: SnapshotCache, found: LockedImport): Promise<Actor> {
  if (found.isSuspended) throw tenantSuspended();
  const metadata = await snapshots.current(found.environment);
  const { keyOwnedBy, keyRoles, userRoles } = found;
  if (keyOwnedBy === null || keyRoles === null) {
    if (userRoles === null) throw left();
    return actorOf({ ...found, roles: userRoles }, metadata);
  }
  const { codes } = metadata.permissionsOf(keyRoles);
  const isLive = await isKeyLive(orm, found.userPid, keyOwnedBy);
  if (!isLive || suspensionOf(codes, found.ownerRoles, metadata) !== null) throw left();
  return { ...actorOf({ ...found, roles: keyRoles }, metadata), keyOwnedBy };
}

function left(): ApplicationError {
  const message = 'Its user is no active member of the tenant any more, or its key was revoked or suspended';
  return new ApplicationError('UNAUTHORIZED', { message });
}
