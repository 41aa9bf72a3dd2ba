import { problemOfStorable, textOf, writtenUpTo } from '../http/formats.ts';
import { BOOLEAN, integer, list, MAP, nullable, object, oneOf, partial, saying, type Schema } from '../http/schema.ts';
import { MAX_FILTER_LENGTH, problemOfFilter } from '../events/event-filter.ts';
import { MAX_EVENT_TYPE_LENGTH, problemOfEventType } from '../events/event-pattern.ts';
import type { Headers } from './subscription-headers.ts';
import { ORDERINGS, type Ordering } from './subscription.entity.ts';

/** What a person decides about a subscription. Spec: "Webhook subscription", and what Keelson adds. */
export interface SubscriptionSettings {
  name: string;
  description: string | null;
  targetUrl: string;
  eventType: string;
  modelCode: string | null;
  filterExpression: string | null;
  maxRetries: number;
  timeoutMs: number;
  retryScheduleMs: number[] | null;
  rateLimitPerSecond: number | null;
  ordering: Ordering;
  enabled: boolean;
}

interface Credentials {
  /** Replaces all headers; null removes them. */
  readonly headers?: Headers | null;
  /** Replaces the secret at once; null removes it. */
  readonly secret?: string | null;
}

/** The body of a request to make or change a subscription. Null stands for the default. */
export type SubscriptionBody = {
  readonly [K in keyof SubscriptionSettings]?: SubscriptionSettings[K] | null;
} & Credentials;

/** A request to make or change a subscription. What it does not name is undefined. */
export interface SubscriptionRequest extends Credentials {
  readonly settings: Partial<SubscriptionSettings>;
}

/** What a setting is when nobody names it; settings without a default are required. */
const DEFAULTS = {
  description: null,
  modelCode: null,
  filterExpression: null,
  maxRetries: 8,
  timeoutMs: 10_000,
  retryScheduleMs: null,
  rateLimitPerSecond: null,
  ordering: 'none',
  enabled: true,
} as const satisfies Partial<SubscriptionSettings>;

const MAX_SECRET_LENGTH = 256;
const DELAYS = { least: 1, most: 20, fromMs: 100, toMs: 86_400_000 } as const;
const DELAY_WORDS = `must be ${DELAYS.least} to ${DELAYS.most} whole numbers of milliseconds, each from ${DELAYS.fromMs} to ${DELAYS.toMs}`;

const SECRET = textOf('webhook-secret', problemOfSecret, { minLength: 1, maxLength: MAX_SECRET_LENGTH });
const REQUIRED = {
  name: writtenUpTo(200),
  targetUrl: writtenUpTo(2_048),
  eventType: textOf('event-type', problemOfEventType, { minLength: 1, maxLength: MAX_EVENT_TYPE_LENGTH }),
};
const DEFAULTED: Readonly<Record<keyof typeof DEFAULTS, Schema>> = {
  description: nullable(writtenUpTo(2_000)),
  modelCode: nullable(writtenUpTo(48)),
  filterExpression: nullable(
    textOf('event-filter', (cel) => problemOfStorable(cel) ?? problemOfFilter(cel), { maxLength: MAX_FILTER_LENGTH }),
  ),
  maxRetries: nullable(integer(0, 20)),
  timeoutMs: nullable(integer(500, 30_000)),
  retryScheduleMs: nullable(
    saying(DELAY_WORDS, list(integer(DELAYS.fromMs, DELAYS.toMs), { minItems: DELAYS.least, maxItems: DELAYS.most })),
  ),
  rateLimitPerSecond: nullable(integer(1, 1_000)),
  ordering: nullable(oneOf(ORDERINGS)),
  enabled: nullable(BOOLEAN),
};
const CREDENTIALS = {
  // `problemOfHeaders` says more about them, and names the header.
  headers: nullable(saying('must be an object of names and values', { ...MAP, description: 'Texts, by name' })),
  secret: nullable(SECRET),
};
const withDefaults = Object.entries(DEFAULTED).map(([name, schema]): [string, Schema] => [
  name,
  { ...schema, default: DEFAULTS[name as keyof typeof DEFAULTS] },
]);
export const NEW_SUBSCRIPTION_BODY = object(REQUIRED, { ...Object.fromEntries(withDefaults), ...CREDENTIALS });
export const SUBSCRIPTION_CHANGES_BODY = partial({ ...REQUIRED, ...DEFAULTED, ...CREDENTIALS });
export const ROTATION_BODY = partial({ overlapHours: { ...integer(0, 168), default: 24 }, secret: SECRET });

/** The body of `rotate-secret`. */
export interface Rotation {
  readonly overlapHours: number;
  /** Without one the secret is a new one. */
  readonly secret?: string;
}

export function requestOf({ headers, secret, ...given }: SubscriptionBody): SubscriptionRequest {
  const settings = Object.entries(given).map(([name, value]) => [
    name,
    value ?? DEFAULTS[name as keyof typeof DEFAULTS],
  ]);
  return {
    settings: Object.fromEntries(settings) as Partial<SubscriptionSettings>,
    ...(headers !== undefined && { headers }),
    ...(secret !== undefined && { secret }),
  };
}

function problemOfSecret(secret: string): string | null {
  if (secret.trim() === '') return 'must be a text that is not empty';
  if (!secret.isWellFormed()) return 'is not well-formed Unicode';
  // Verifiers of Standard Webhooks decode what follows the prefix.
  const isStandard = /^whsec_(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
  if (secret.startsWith('whsec_') && (secret === 'whsec_' || !isStandard.test(secret))) {
    return 'must have base64 behind whsec_';
  }
  return null;
}
