import { Type } from 'typebox';
import { problemOfStorable, textOf, writtenUpTo } from '../../../foundation/validation/formats.ts';
import {
  BOOLEAN,
  integer,
  list,
  nullable,
  object,
  oneOf,
  partial,
  withMessage,
  described,
  withDefault,
  type Static,
} from '../../../foundation/validation/schema.ts';
import { problemOfFilter } from '../../../platform/events/event-filter.ts';
import { problemOfEventType } from '../../../platform/events/event-pattern.ts';
import type { Headers } from './subscription-headers.ts';
import { ORDERINGS, type Ordering } from '../subscription.entity.ts';
import { type Message, text } from '../../../foundation/i18n/text.ts';
import {
  ATTEMPT_TIMEOUT_MS,
  MAX_RATE_LIMIT_PER_SECOND,
  MAX_SECRET_LENGTH,
  RETRIES,
  RETRY_DELAYS,
  SECRET_OVERLAP_HOURS,
} from '../webhooks.limits.ts';
import { MAX_EVENT_TYPE_LENGTH, MAX_FILTER_LENGTH } from '../../../platform/events/events.limits.ts';

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

/** A request to make or change a subscription. What it does not name is undefined. */
export interface SubscriptionRequest {
  readonly settings: Partial<SubscriptionSettings>;
  /** Replaces all headers; null removes them. */
  readonly headers?: Headers | null;
  /** Replaces the secret at once; null removes it. */
  readonly secret?: string | null;
}

/** Defaults of settings; settings without a default are required. */
const DEFAULTS = {
  description: null,
  modelCode: null,
  filterExpression: null,
  maxRetries: RETRIES.default,
  timeoutMs: ATTEMPT_TIMEOUT_MS.default,
  retryScheduleMs: null,
  rateLimitPerSecond: null,
  ordering: 'none',
  enabled: true,
} as const satisfies Partial<SubscriptionSettings>;

const DELAY_WORDS = text('must be {min} to {max} whole numbers of milliseconds, each from {from} to {to}', {
  min: RETRY_DELAYS.least,
  max: RETRY_DELAYS.most,
  from: RETRY_DELAYS.fromMs,
  to: RETRY_DELAYS.toMs,
});

const SECRET = textOf('webhook-secret', problemOfSecret, { minLength: 1, maxLength: MAX_SECRET_LENGTH });
const REQUIRED = {
  name: writtenUpTo(200),
  targetUrl: writtenUpTo(2_048),
  eventType: textOf('event-type', problemOfEventType, { minLength: 1, maxLength: MAX_EVENT_TYPE_LENGTH }),
};
const DEFAULTED = {
  description: nullable(writtenUpTo(2_000)),
  modelCode: nullable(writtenUpTo(48)),
  filterExpression: nullable(
    textOf('event-filter', (cel) => problemOfStorable(cel) ?? problemOfFilter(cel), { maxLength: MAX_FILTER_LENGTH }),
  ),
  maxRetries: nullable(integer(0, RETRIES.max)),
  timeoutMs: nullable(integer(ATTEMPT_TIMEOUT_MS.min, ATTEMPT_TIMEOUT_MS.max)),
  retryScheduleMs: nullable(
    withMessage(
      DELAY_WORDS,
      list(integer(RETRY_DELAYS.fromMs, RETRY_DELAYS.toMs), {
        minItems: RETRY_DELAYS.least,
        maxItems: RETRY_DELAYS.most,
      }),
    ),
  ),
  rateLimitPerSecond: nullable(integer(1, MAX_RATE_LIMIT_PER_SECOND)),
  ordering: nullable(oneOf(ORDERINGS)),
  enabled: nullable(BOOLEAN),
};
/** Values are judged by `problemOfHeaders`, which names the header. */
const HEADERS = Type.Unsafe<Headers>({ type: 'object', additionalProperties: true });
const CREDENTIALS = {
  headers: nullable(withMessage('must be an object of names and values', described('Texts, by name', HEADERS))),
  secret: nullable(SECRET),
};
const withDefaults = Object.fromEntries(
  Object.entries(DEFAULTED).map(([name, schema]) => [
    name,
    withDefault(DEFAULTS[name as keyof typeof DEFAULTS], schema),
  ]),
) as { [N in keyof typeof DEFAULTED]: (typeof DEFAULTED)[N] & { default: (typeof DEFAULTS)[N] } };
export const NEW_SUBSCRIPTION_BODY = object(REQUIRED, { ...withDefaults, ...CREDENTIALS });
/** What a subscription that is still being written listens for. */
export const DRAFT_BODY = object(
  { eventType: REQUIRED.eventType },
  { modelCode: DEFAULTED.modelCode, filterExpression: DEFAULTED.filterExpression },
);
export const SUBSCRIPTION_CHANGES_BODY = partial({ ...REQUIRED, ...DEFAULTED, ...CREDENTIALS });
export const ROTATION_BODY = partial({
  overlapHours: withDefault(SECRET_OVERLAP_HOURS.default, integer(0, SECRET_OVERLAP_HOURS.max)),
  secret: SECRET,
});

/** The body of `rotate-secret`. Without `secret` a new one is made. */
export type Rotation = Static<typeof ROTATION_BODY>;
/** The body of a request to make or change a subscription. Null stands for the default. */
type SubscriptionBody = Partial<Static<typeof SUBSCRIPTION_CHANGES_BODY>>;

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

function problemOfSecret(secret: string): Message | null {
  if (secret.trim() === '') return 'must be a text that is not empty';
  if (!secret.isWellFormed()) return 'is not well-formed Unicode';
  // Verifiers of Standard Webhooks decode what follows the prefix.
  const isStandard = /^whsec_(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
  if (secret.startsWith('whsec_') && (secret === 'whsec_' || !isStandard.test(secret))) {
    return 'must have base64 behind whsec_';
  }
  return null;
}

/** Whether a request changes more than `enabled`. */
export function isSaved({ settings, headers, secret }: SubscriptionRequest): boolean {
  const { enabled: _, ...others } = settings;
  return Object.keys(others).length > 0 || headers !== undefined || secret !== undefined;
}
