import type { Actor } from '../auth/actor.ts';
import type { Snapshot } from '../metadata/snapshot.ts';
import type { RunRow } from './run-store.ts';

/** As whom a run acts: its roles are those of its beginning, what they may do is what the environment says now. */
export function actorOf(
  run: Pick<RunRow, 'user_id' | 'user_pid' | 'username' | 'tenant_id' | 'roles'>,
  metadata: Snapshot,
): Actor {
  const { user_id: userId, user_pid: userPid, username, tenant_id: tenantId, roles } = run;
  return { userId, userPid, username, tenantId, roles, permissions: metadata.permissionsOf(roles), metadata };
}
