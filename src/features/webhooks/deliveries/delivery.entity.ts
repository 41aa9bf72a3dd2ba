import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

export const DELIVERY_STATUSES = ['PENDING', 'RETRYING', 'SUCCEEDED', 'FAILED', 'CANCELLED'] as const;
/**
 * PENDING: not tried yet. RETRYING: failed, and will be tried again. The others are ends, until it is resent.
 */
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export const TRIGGERS = ['event', 'retry', 'resend', 'recover'] as const;
/** What makes an attempt happen. */
export type Trigger = (typeof TRIGGERS)[number];

/** An event matched to a subscription. */
export const DeliveryEntity = defineEntity({
  name: 'WebhookDelivery',
  tableName: 'webhook_delivery',
  properties: {
    id: p.bigint('string').primary().autoincrement(),
    pid: p.string().length(32).unique(),
    environment: p.string().length(16),
    tenantId: p.bigint('string'),
    subscriptionPid: p.string().length(32),
    eventPid: p.string().length(32),
    /** Of the event in the outbox that it comes from: the order of events. */
    eventId: p.bigint('string'),
    eventType: p.string().length(100),
    modelCode: p.string().length(48),
    /**
     * What is sent where it differs from the event's body: fields that the subscription may not read are left
     * out.
     */
    body: p.text().nullable(),
    traceId: p.string().length(32),
    status: p.enum([...DELIVERY_STATUSES]).$type<DeliveryStatus>(),
    /** Why it FAILED or was CANCELLED, where the last attempt does not show it. */
    reason: p.text().nullable(),
    attemptCount: p.integer().default(0),
    /** Of the attempts since the event or the last resend, how many the endpoint has failed. */
    failedCount: p.integer().default(0),
    nextTrigger: p.enum([...TRIGGERS]).$type<Trigger>(),
    nextAttemptAt: p.datetime(3).nullable(),
    /** When the time for retries is over, whatever the endpoint's circuit did meanwhile. */
    expiresAt: p.datetime(3),
    /** Since when it has been waiting for one of the subscription's slots. */
    queuedAt: p.datetime(3).nullable(),
    /** Until when it holds one, unless it ends before. */
    slotUntil: p.datetime(3).nullable(),
    /** The record whose deliveries go out one after the other. */
    orderKey: p.string().length(32).nullable(),
    /** The recovery that sent it last. */
    recoveryPid: p.string().length(32).nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    finishedAt: p.datetime(3).nullable(),
  },
});

export type Delivery = InferEntity<typeof DeliveryEntity>;

/** One POST. */
export const AttemptEntity = defineEntity({
  name: 'WebhookAttempt',
  tableName: 'webhook_attempt',
  properties: {
    deliveryPid: p.string().length(32).primary(),
    number: p.integer().primary(),
    subscriptionPid: p.string().length(32),
    trigger: p.enum([...TRIGGERS]).$type<Trigger>(),
    startedAt: p.datetime(3),
    finishedAt: p.datetime(3).nullable(),
    durationMs: p.integer().nullable(),
    statusCode: p.integer().nullable(),
    /**
     * `dns`, `refused`, `tls`, `timeout`, `blocked`, `http`, or `unknown` when the worker died before the
     * answer.
     */
    errorClass: p.text().nullable(),
    errorMessage: p.text().nullable(),
    ip: p.string().length(64).nullable(),
    /** Masked like the subscription's own. */
    responseHeaders: p.json<Readonly<Record<string, string>>>().nullable(),
    responseBody: p.text().nullable(),
    responseTruncated: p.boolean().nullable(),
    nextAttemptAt: p.datetime(3).nullable(),
  },
});

export type Attempt = InferEntity<typeof AttemptEntity>;

export const RECOVERY_STATUSES = ['RUNNING', 'DONE', 'CANCELLED'] as const;

/** Sending a subscription's failed deliveries again. */
export const RecoveryEntity = defineEntity({
  name: 'WebhookRecovery',
  tableName: 'webhook_recovery',
  properties: {
    pid: p.string().length(32).primary(),
    subscriptionPid: p.string().length(32),
    environment: p.string().length(16),
    tenantId: p.bigint('string'),
    since: p.datetime(3),
    until: p.datetime(3),
    status: p.enum([...RECOVERY_STATUSES]),
    total: p.integer(),
    resent: p.integer().default(0),
    createdBy: p.string().length(32),
    createdAt: p.datetime(3).defaultRaw('now()'),
    finishedAt: p.datetime(3).nullable(),
  },
});

export type Recovery = InferEntity<typeof RecoveryEntity>;
