import { LockMode } from '@mikro-orm/core';
import { ApplicationError } from '../../foundation/errors/application-error.ts';
import type { PlatformEntityManager } from '../../foundation/database/orm.ts';
import { appendAudit } from '../../platform/audit/audit-log.ts';
import { leftBehindFinder, type FindLeftBehind } from '../../platform/auth/left-behind.ts';
import { ownerOf, type Actor } from '../../platform/auth/requests/actor.ts';
import { IM_MANAGE } from '../../platform/metadata/permissions/permission-codes.ts';
import type { SnapshotCache } from '../../platform/metadata/snapshot/snapshot-cache.ts';
import { SubscriptionEntity } from '../webhooks/subscription.entity.ts';
import { ChannelBindingEntity, type ChannelBinding } from './channel-binding.entity.ts';
import { mayGive } from './channel-bindings.service.ts';

/** Finds the suspended channels that a person leaves behind. */
export function channelsLeftBehind(snapshots: SnapshotCache): FindLeftBehind {
  return leftBehindFinder<ChannelBinding>(snapshots, {
    kind: 'im-channel',
    managedWith: IM_MANAGE,
    find(em, ownedBy, tenantId) {
      const lockMode = LockMode.PESSIMISTIC_WRITE;
      return em.find(ChannelBindingEntity, { ownedBy, tenantId }, { lockMode, orderBy: { id: 'asc' } });
    },
    nameOf: ({ channelCode }) => channelCode,
    adopt,
  });
}

/** @throws FORBIDDEN for a channel with a role that the actor may not give */
async function adopt(em: PlatformEntityManager, actor: Actor, binding: ChannelBinding): Promise<void> {
  if (!binding.roles.every((role) => mayGive(actor, role))) throw new ApplicationError('FORBIDDEN');
  const { pid: targetPid, environment, subscriptionPid, ownedBy: owner } = binding;
  const ownedBy = ownerOf(actor);
  em.assign(binding, { ownedBy, updatedAt: new Date() });
  if (subscriptionPid) await em.nativeUpdate(SubscriptionEntity, { pid: subscriptionPid }, { ownedBy });
  const target = { targetType: 'im_channel', targetPid, environment } as const;
  await appendAudit(em, { actor, action: 'im.adopt', ...target, before: { owner }, after: { owner: ownedBy } });
}
