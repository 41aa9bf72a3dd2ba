import { LockMode } from '@mikro-orm/core';
import { appendAudit } from '../../../platform/audit/audit-log.ts';
import { CHANNEL_REPLY } from '../../../platform/events/audience/channel-replies.ts';
import { leftBehindFinder, type FindLeftBehind } from '../../../platform/auth/left-behind.ts';
import { ownerOf, type Actor } from '../../../platform/auth/requests/actor.ts';
import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import { WEBHOOK_MANAGE } from '../../../platform/metadata/permissions/permission-codes.ts';
import type { SnapshotCache } from '../../../platform/metadata/snapshot/snapshot-cache.ts';
import { settingsOf } from './present-subscription.ts';
import { authoriseInterest, refuseOfChannel } from './subscription-rules.ts';
import { SubscriptionEntity, type Subscription } from '../subscription.entity.ts';

/** Whom a subscription reads as, and whose rights it needs for that. */
export function ownerFields(actor: Actor) {
  const { roles, userPid, username } = actor;
  return { roles: [...roles], createdBy: userPid, createdByName: username, ownedBy: ownerOf(actor) };
}

/**
 * Has a subscription read as the actor, and need the actor's rights, from now on.
 * @throws FORBIDDEN for a subscription to what the actor may not read, CONFLICT (CHANNEL)
 */
export async function adopt(em: PlatformEntityManager, actor: Actor, subscription: Subscription): Promise<void> {
  refuseOfChannel(subscription);
  authoriseInterest(actor, settingsOf(subscription));
  const { pid: targetPid, environment, ownedBy: owner, roles } = subscription;
  em.assign(subscription, { ...ownerFields(actor), updatedAt: new Date() });
  const after = { owner: subscription.ownedBy, roles: subscription.roles };
  const target = { targetType: 'webhook', targetPid, environment } as const;
  await appendAudit(em, { actor, action: 'webhook.adopt', ...target, before: { owner, roles }, after });
}

/** Finds the paused subscriptions that a person leaves behind. */
export function subscriptionsLeftBehind(snapshots: SnapshotCache): FindLeftBehind {
  return leftBehindFinder<Subscription>(snapshots, {
    kind: 'webhook',
    managedWith: WEBHOOK_MANAGE,
    find(em, ownedBy, tenantId) {
      const lockMode = LockMode.PESSIMISTIC_WRITE;
      // Those of channels are left behind, and adopted, with their channels.
      const where = { ownedBy, tenantId, deletedAt: null, eventType: { $ne: CHANNEL_REPLY } };
      return em.find(SubscriptionEntity, where, { lockMode, orderBy: { id: 'asc' } });
    },
    nameOf: ({ name }) => name,
    adopt,
  });
}
