import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { SLOTS } from './webhooks.limits.ts';

/**
 * A signing secret at rest: sealed under the subscription's pid. The newest stands first; older ones sign
 * until `expiresAt`.
 */
export interface StoredSecret {
  readonly sealed: string;
  readonly createdAt: string;
  /** ISO 8601; null for the newest. */
  readonly expiresAt: string | null;
}

export const ORDERINGS = ['none', 'record'] as const;
export type Ordering = (typeof ORDERINGS)[number];

/**
 * Spec: "Webhook subscription". It belongs to a tenant in an environment, and reads with the roles of its
 * owner, who saved it last.
 */
export const SubscriptionEntity = defineEntity({
  name: 'WebhookSubscription',
  tableName: 'webhook_subscription',
  properties: {
    id: p.bigint('string').primary().autoincrement(),
    pid: p.string().length(32).unique(),
    environment: p.string().length(16),
    tenantId: p.bigint('string'),
    name: p.string().length(200),
    description: p.string().length(2000).nullable(),
    targetUrl: p.text(),
    eventType: p.string().length(100),
    modelCode: p.string().length(48).nullable(),
    filterExpression: p.text().nullable(),
    secrets: p.json<StoredSecret[]>().columnType('json'),
    /** Extra request headers as sealed JSON: their values may be credentials. */
    headers: p.text().nullable(),
    maxRetries: p.integer(),
    timeoutMs: p.integer(),
    retryScheduleMs: p.array<number>().columnType('integer[]').nullable(),
    rateLimitPerSecond: p.integer().nullable(),
    ordering: p.enum([...ORDERINGS]).$type<Ordering>(),
    enabled: p.boolean(),
    /** Why it is disabled, where that was not a person's doing. */
    disabledReason: p.text().nullable(),
    roles: p.array<string>().columnType('text[]'),
    createdBy: p.string().length(32),
    createdByName: p.string().length(200),
    /**
     * The user whose rights it needs: who saved or adopted it last, or owns the API key of the program that
     * did.
     */
    ownedBy: p.string().length(32),
    createdAt: p.datetime(3).defaultRaw('now()'),
    updatedAt: p.datetime(3).defaultRaw('now()'),
    deletedAt: p.datetime(3).nullable(),
  },
});

export type Subscription = InferEntity<typeof SubscriptionEntity>;

/**
 * What is known of a subscription's endpoint: its failures in a row, its open circuit, its rate limit's
 * tokens.
 */
export const EndpointEntity = defineEntity({
  name: 'WebhookEndpoint',
  tableName: 'webhook_endpoint',
  properties: {
    subscriptionPid: p.string().length(32).primary(),
    failures: p.integer().default(0),
    openUntil: p.datetime(3).nullable(),
    coolDownMs: p.integer().default(0),
    tokens: p.double().default(0),
    refilledAt: p.datetime(3).defaultRaw('now()'),
    slots: p.integer().default(SLOTS.first),
  },
});

export type EndpointState = InferEntity<typeof EndpointEntity>;
