import type { Actor } from '../auth/actor.ts';
import type { Arriving, Gate } from '../auth/gate.ts';
import type { SnapshotCache } from '../metadata/snapshot-cache.ts';
import { Authority } from './authority.ts';

/** Admits a request to the administration of accounts. */
export type Admit = (request: Arriving, permission: string) => Promise<{ actor: Actor; authority: Authority }>;

/** @throws UNAUTHORIZED, TENANT_FORBIDDEN, FORBIDDEN with `data.permission` unless the actor has it in every environment */
export function admitTo(gate: Gate, snapshots: SnapshotCache): Admit {
  return async (request, permission) => {
    const { actor } = await gate.admit(request);
    const authority = await Authority.of(actor, snapshots);
    authority.require(permission);
    return { actor, authority };
  };
}
