import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { SealedTable } from '../../foundation/secrets/sealed-store.ts';

/**
 * Binding of a channel to a tenant, in one environment. Its assistant reads with these roles. It is not
 * configuration: tenants and secrets are not promoted.
 */
export const ChannelBindingEntity = defineEntity({
  name: 'ImChannelBinding',
  tableName: 'im_channel_binding',
  properties: {
    id: p.bigint('string').primary().autoincrement(),
    pid: p.string().length(32).unique(),
    environment: p.string().length(16),
    channelCode: p.string().length(64),
    tenantId: p.bigint('string'),
    roles: p.array<string>().columnType('text[]'),
    /** Sealed. */
    secret: p.text(),
    /** Receives the replies; null if they are only streamed. */
    replyUrl: p.text().nullable(),
    /** The webhook subscription that delivers them. */
    subscriptionPid: p.string().length(32).nullable(),
    createdBy: p.string().length(32),
    createdByName: p.string().length(200),
    /** The pid of the user who answers for what the channel reads. docs/decisions/0033 */
    ownedBy: p.string().length(32),
    createdAt: p.datetime(3).defaultRaw('now()'),
    updatedAt: p.datetime(3).defaultRaw('now()'),
  },
});

export type ChannelBinding = InferEntity<typeof ChannelBindingEntity>;

/** What the sealed secret is bound to. */
export function contextOf({ pid }: Pick<ChannelBinding, 'pid'>): string {
  return `im:${pid}:secret`;
}

/** What people know the secret by. */
export function nameOf({ environment, channelCode }: Pick<ChannelBinding, 'environment' | 'channelCode'>): string {
  return `im:${environment}:${channelCode}`;
}

/** The secrets of bound channels. */
export const CHANNEL_SECRETS: SealedTable<ChannelBinding> = {
  name: 'im-channels',
  entity: ChannelBindingEntity,
  keys: ['pid'],
  change: (row, reseal) => ({ secret: reseal(row.secret, contextOf(row), nameOf(row)) }),
};
