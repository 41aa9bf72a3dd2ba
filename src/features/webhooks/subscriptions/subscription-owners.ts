import { LockMode } from '@mikro-orm/core';
import { appendAudit } from '../../../platform/audit/audit-log.ts';
import { rolesOfMembers } from '../../../platform/auth/accounts/member.ts';
import { suspensionOf, type LeftBehind, type Suspension } from '../../../platform/auth/accounts/vouching.ts';
import { ownerOf, type Actor } from '../../../platform/auth/requests/actor.ts';
import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import { ApplicationError } from '../../../foundation/errors/application-error.ts';
import { WEBHOOK_MANAGE } from '../../../platform/metadata/permissions/permission-codes.ts';
import type { SnapshotCache } from '../../../platform/metadata/snapshot/snapshot-cache.ts';
import type { Snapshot } from '../../../platform/metadata/snapshot/snapshot.ts';
import { settingsOf } from './present-subscription.ts';
import { authoriseInterest } from './subscription-rules.ts';
import { SubscriptionEntity, type Subscription } from './subscription.entity.ts';

/** Whom a subscription reads as, and whose rights it needs for that. */
export function ownerFields(actor: Actor) {
  const { roles, userPid, username } = actor;
  return { roles: [...roles], createdBy: userPid, createdByName: username, ownedBy: ownerOf(actor) };
}

/** Why a subscription is paused; null where its owner may grant what it reads with. */
export function pauseOf(
  { roles }: { readonly roles: readonly string[] },
  ownerRoles: readonly string[] | null,
  metadata: Snapshot,
): Suspension | null {
  return suspensionOf(metadata.permissionsOf(roles).codes, ownerRoles, metadata);
}

/** Why each of a tenant's subscriptions of one environment is paused. */
export async function pausesOf(
  em: PlatformEntityManager,
  tenantId: string,
  subscriptions: readonly Subscription[],
  metadata: Snapshot,
): Promise<ReadonlyMap<Subscription, Suspension | null>> {
  const pids = subscriptions.map(({ ownedBy }) => ownedBy);
  const owners = await rolesOfMembers(em, tenantId, pids);
  return new Map(subscriptions.map((one) => [one, pauseOf(one, owners.get(one.ownedBy) ?? null, metadata)]));
}

/**
 * Has a subscription read as the actor, and need the actor's rights, from now on.
 * @throws FORBIDDEN for a subscription to what the actor may not read
 */
export async function adopt(em: PlatformEntityManager, actor: Actor, subscription: Subscription): Promise<void> {
  authoriseInterest(actor, settingsOf(subscription));
  const { pid: targetPid, environment, ownedBy: owner, roles } = subscription;
  em.assign(subscription, { ...ownerFields(actor), updatedAt: new Date() });
  const after = { owner: subscription.ownedBy, roles: subscription.roles };
  const target = { targetType: 'webhook', targetPid, environment } as const;
  await appendAudit(em, { actor, action: 'webhook.adopt', ...target, before: { owner, roles }, after });
}

/** Finds the subscriptions that a person leaves behind. */
export class SubscriptionOwners {
  readonly #snapshots: SnapshotCache;

  constructor(snapshots: SnapshotCache) {
    this.#snapshots = snapshots;
  }

  /**
   * The paused subscriptions of a person in a tenant, in all environments.
   * @param adopter adopts those of the own tenant that the adopter may
   */
  async leftBehind(
    em: PlatformEntityManager,
    ownerPid: string,
    tenantId: string,
    adopter: Actor | null,
  ): Promise<LeftBehind[]> {
    const where = { ownedBy: ownerPid, tenantId, deletedAt: null };
    const lockMode = LockMode.PESSIMISTIC_WRITE;
    const found = await em.find(SubscriptionEntity, where, { lockMode, orderBy: { id: 'asc' } });
    const left: LeftBehind[] = [];
    for (const [environment, own] of Map.groupBy(found, (subscription) => subscription.environment)) {
      const metadata = await this.#snapshots.current(environment);
      for (const [subscription, pause] of await pausesOf(em, tenantId, own, metadata)) {
        if (pause === null) continue;
        const adopted = adopter?.tenantId === tenantId && (await tryToAdopt(em, adopter, subscription, metadata));
        const { pid, name } = subscription;
        left.push({ kind: 'webhook', pid, name, tenantId, environment, adopted });
      }
    }
    return left;
  }
}

async function tryToAdopt(
  em: PlatformEntityManager,
  actor: Actor,
  subscription: Subscription,
  metadata: Snapshot,
): Promise<boolean> {
  const there = { ...actor, metadata, permissions: metadata.permissionsOf(actor.roles) };
  if (!there.permissions.has(WEBHOOK_MANAGE)) return false;
  try {
    await adopt(em, there, subscription);
    return true;
  } catch (error) {
    if (error instanceof ApplicationError && error.code === 'FORBIDDEN') return false;
    throw error;
  }
}
