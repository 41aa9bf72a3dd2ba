import { defineEntity, p } from '@mikro-orm/core';

/**
 * The outbox: a domain event, written in the transaction of the command it tells of. `dispatchedAt` null means that
 * nobody has matched it with subscriptions yet. Spec: "Events", flow 2 and 3.
 */
export const EventEntity = defineEntity({
  name: 'Event',
  tableName: 'event',
  properties: {
    id: p.bigint('string').primary().autoincrement(),
    pid: p.string().length(32).unique(),
    environment: p.string().length(16),
    tenantId: p.bigint('string'),
    eventType: p.string().length(100),
    commandCode: p.string().length(100),
    modelCode: p.string().length(48),
    /** Null for events that no command made. */
    executionPid: p.string().length(32).nullable().unique(),
    /** The command's lines in the change log: `record.*` events are made of them where somebody listens. */
    changeIds: p.array<string>().columnType('bigint[]').defaultRaw(`'{}'`),
    /** The record it tells of. */
    recordPid: p.string().length(32).nullable(),
    /** The delivery payload as the text that every attempt will send and sign. */
    body: p.text(),
    traceId: p.string().length(32),
    createdAt: p.datetime(3).defaultRaw('now()'),
    dispatchedAt: p.datetime(3).nullable(),
    /** How often it could not be matched for a reason of its own, and when that is tried again. */
    dispatchFailures: p.integer().default(0),
    dispatchAfter: p.datetime(3).nullable(),
  },
});
