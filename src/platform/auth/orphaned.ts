import type { PlatformEntityManager } from '../../foundation/database/orm.ts';
import { ApplicationError } from '../../foundation/errors/application-error.ts';
import type { SnapshotCache } from '../metadata/snapshot/snapshot-cache.ts';
import type { Snapshot } from '../metadata/snapshot/snapshot.ts';
import type { Actor } from './requests/actor.ts';
import { rolesOfMembers } from './accounts/member.ts';
import { suspensionOf, type Suspension } from './accounts/vouching.ts';

export const ORPHANED_KINDS = ['service-account', 'webhook', 'im-channel'] as const;

/** What stopped working because its owner may no longer grant it. */
export interface Orphaned {
  readonly kind: (typeof ORPHANED_KINDS)[number];
  readonly pid: string;
  readonly name: string;
  readonly tenantId: string;
  /** Null: all environments. */
  readonly environment: string | null;
  /** Whether another person has adopted it in the same call. */
  readonly adopted: boolean;
}

/**
 * Finds what of one kind a person's leaving orphans in a tenant, in all environments.
 * @param adopter adopts those of the own tenant that the adopter may
 */
export type FindOrphaned = (
  em: PlatformEntityManager,
  ownerPid: string,
  tenantId: string,
  adopter: Actor | null,
) => Promise<Orphaned[]>;

/** What reads with the roles that its owner has given it. */
interface Owned {
  readonly pid: string;
  readonly environment: string;
  readonly roles: readonly string[];
  readonly ownedBy: string;
}

/** Why it is suspended; null where its owner may grant what it reads with. */
export function suspensionOfOwned(
  { roles }: Pick<Owned, 'roles'>,
  ownerRoles: readonly string[] | null,
  metadata: Snapshot,
): Suspension | null {
  return suspensionOf(metadata.permissionsOf(roles).codes, ownerRoles, metadata);
}

/** Why each of what a tenant has in one environment is suspended. */
export async function suspensionsOf<T extends Owned>(
  em: PlatformEntityManager,
  tenantId: string,
  owned: readonly T[],
  metadata: Snapshot,
): Promise<ReadonlyMap<T, Suspension | null>> {
  const pids = owned.map(({ ownedBy }) => ownedBy);
  const owners = await rolesOfMembers(em, tenantId, pids);
  return new Map(owned.map((one) => [one, suspensionOfOwned(one, owners.get(one.ownedBy) ?? null, metadata)]));
}

/** How one kind is found, named and adopted. */
interface OwnedKind<T extends Owned> {
  readonly kind: Orphaned['kind'];
  find(em: PlatformEntityManager, ownerPid: string, tenantId: string): Promise<readonly T[]>;
  nameOf(one: T): string;
  readonly managedWith: string;
  /** @throws FORBIDDEN for what the actor may not grant */
  adopt(em: PlatformEntityManager, actor: Actor, one: T): Promise<void>;
}

export function orphanedFinder<T extends Owned>(snapshots: SnapshotCache, kind: OwnedKind<T>): FindOrphaned {
  return async (em, ownerPid, tenantId, adopter) => {
    const found = await kind.find(em, ownerPid, tenantId);
    const orphaned: Orphaned[] = [];
    for (const [environment, own] of Map.groupBy(found, (one) => one.environment)) {
      const metadata = await snapshots.current(environment);
      for (const [one, suspension] of await suspensionsOf(em, tenantId, own, metadata)) {
        if (suspension === null) continue;
        const adopted = adopter?.tenantId === tenantId && (await tryToAdopt(em, kind, adopter, one, metadata));
        orphaned.push({ kind: kind.kind, pid: one.pid, name: kind.nameOf(one), tenantId, environment, adopted });
      }
    }
    return orphaned;
  };
}

async function tryToAdopt<T extends Owned>(
  em: PlatformEntityManager,
  kind: OwnedKind<T>,
  actor: Actor,
  one: T,
  metadata: Snapshot,
): Promise<boolean> {
  const there = { ...actor, metadata, permissions: metadata.permissionsOf(actor.roles) };
  if (!there.permissions.has(kind.managedWith)) return false;
  try {
    await kind.adopt(em, there, one);
    return true;
  } catch (error) {
    if (error instanceof ApplicationError && error.code === 'FORBIDDEN') return false;
    throw error;
  }
}
