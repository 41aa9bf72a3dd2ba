import { defineEntity, p } from '@mikro-orm/core';
import type { EventOrigins } from '../../metadata/resources/resource-type.ts';
import type { ValueOrigin } from '../../../foundation/expressions/value-origin.ts';

/** A run requested by a step of a command. It starts when the command's event is relayed. */
export interface RunStart {
  readonly stepId: string;
  readonly runPid: string;
  readonly automationCode: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The fields that the input comes from. */
  readonly origin: ValueOrigin;
}

/**
 * The outbox: a domain event, written in the transaction of its command. `dispatchedAt` is null until its
 * consumers have seen it. Spec: "Events", flow 2 and 3.
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
    executionPid: p.string().length(32).nullable(),
    /** The step of the command that has emitted it; empty for the command's own event. */
    stepId: p.string().length(48).default(''),
    /** The command's rows of the change log; `record.*` events are derived from them on demand. */
    changeIds: p.array<string>().columnType('bigint[]').defaultRaw(`'{}'`),
    /** The record that it is about. */
    recordPid: p.string().length(32).nullable(),
    /** The delivery payload, as the text that every attempt sends and signs. */
    body: p.text(),
    /** The fields that the body comes from; null where the configuration says it. */
    origins: p.json<EventOrigins>().columnType('json').nullable(),
    /** The runs of automations that the command has asked for. */
    runStarts: p.json<RunStart[]>().columnType('json').nullable(),
    traceId: p.string().length(32),
    createdAt: p.datetime(3).defaultRaw('now()'),
    dispatchedAt: p.datetime(3).nullable(),
    /** How often its consumers failed for a reason of its own, and when they are called again. */
    dispatchFailures: p.integer().default(0),
    dispatchAfter: p.datetime(3).nullable(),
  },
});
