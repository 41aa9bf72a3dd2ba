import { defineEntity, p } from '@mikro-orm/core';

/**
 * An event whose type a step waited for when the relay saw it. The row goes when all such steps have seen it.
 */
export const AwaitedEventEntity = defineEntity({
  name: 'AwaitedEvent',
  tableName: 'awaited_event',
  properties: {
    eventId: p.bigint('string').primary(),
    eventPid: p.string().length(32),
    environment: p.string().length(16),
    tenantId: p.bigint('string'),
    /** Steps that began later do not see it. */
    seenAt: p.datetime(3).defaultRaw('now()'),
    /** The `ordinal` of the last waiting step that has seen it. */
    afterOrdinal: p.bigint('string').default('0'),
    failures: p.integer().default(0),
  },
});
