import { throwIfInvalid, type FieldErrors } from '../errors/application-error.ts';
import {
  BOOLEAN,
  integer as wholeNumber,
  list,
  MAP,
  nullable,
  object,
  oneOf,
  partial,
  textUpTo,
} from '../http/schema.ts';
import { MAX_FILTER_LENGTH, problemOfFilter } from './event-filter.ts';
import { MAX_EVENT_TYPE_LENGTH, problemOfEventType } from './event-pattern.ts';
import { problemOfHeaders, type Headers } from './subscription-headers.ts';
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

/** A request to make or change a subscription. What it does not name is undefined. */
export interface SubscriptionRequest {
  readonly settings: Partial<SubscriptionSettings>;
  /** Replaces all headers; null removes them. */
  readonly headers: Headers | null | undefined;
  /** Replaces the secret at once; null removes it. */
  readonly secret: string | null | undefined;
}

type Body = Readonly<Record<string, unknown>>;
type Problem = string | null;

/** What a setting is when nobody names it; settings without a default are required. */
export const DEFAULTS = {
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

const REQUIRED: readonly (keyof SubscriptionSettings)[] = ['name', 'targetUrl', 'eventType'];
const MAX_SECRET_LENGTH = 256;
const LENGTHS = { name: 200, description: 2_000, targetUrl: 2_048, modelCode: 48 } as const;
const RANGES = {
  maxRetries: [0, 20],
  timeoutMs: [500, 30_000],
  rateLimitPerSecond: [1, 1_000],
  overlapHours: [0, 168],
} as const;
const DELAYS = { least: 1, most: 20, fromMs: 100, toMs: 86_400_000 } as const;
const DEFAULT_OVERLAP_HOURS = 24;

const SECRET = textUpTo(MAX_SECRET_LENGTH);
const REQUIRED_SETTINGS = {
  name: textUpTo(LENGTHS.name),
  targetUrl: textUpTo(LENGTHS.targetUrl),
  eventType: textUpTo(MAX_EVENT_TYPE_LENGTH),
};
const OPTIONAL_SETTINGS = {
  description: nullable(textUpTo(LENGTHS.description)),
  modelCode: nullable(textUpTo(LENGTHS.modelCode)),
  filterExpression: nullable(textUpTo(MAX_FILTER_LENGTH)),
  maxRetries: nullable({ ...wholeNumber(...RANGES.maxRetries), default: DEFAULTS.maxRetries }),
  timeoutMs: nullable({ ...wholeNumber(...RANGES.timeoutMs), default: DEFAULTS.timeoutMs }),
  retryScheduleMs: nullable(
    list(wholeNumber(DELAYS.fromMs, DELAYS.toMs), { minItems: DELAYS.least, maxItems: DELAYS.most }),
  ),
  rateLimitPerSecond: nullable(wholeNumber(...RANGES.rateLimitPerSecond)),
  ordering: nullable(oneOf(ORDERINGS)),
  enabled: nullable(BOOLEAN),
  headers: nullable({ ...MAP, additionalProperties: { type: 'string' } }),
  secret: nullable(SECRET),
};
export const NEW_SUBSCRIPTION_BODY = object(REQUIRED_SETTINGS, OPTIONAL_SETTINGS);
export const SUBSCRIPTION_CHANGES_BODY = partial({ ...REQUIRED_SETTINGS, ...OPTIONAL_SETTINGS });
export const ROTATION_BODY = partial({
  overlapHours: { ...wholeNumber(...RANGES.overlapHours), default: DEFAULT_OVERLAP_HOURS },
  secret: SECRET,
});

const RULES: Record<keyof SubscriptionSettings, (value: unknown) => Problem> = {
  name: text(LENGTHS.name),
  description: text(LENGTHS.description),
  targetUrl: text(LENGTHS.targetUrl),
  eventType: (value) => (typeof value === 'string' ? problemOfEventType(value) : 'must be a text'),
  modelCode: text(LENGTHS.modelCode),
  filterExpression: (value) => (typeof value === 'string' ? problemOfFilter(value) : 'must be a text'),
  maxRetries: integer(...RANGES.maxRetries),
  timeoutMs: integer(...RANGES.timeoutMs),
  retryScheduleMs: (value) => {
    const { least, most, fromMs, toMs } = DELAYS;
    const fits = Array.isArray(value) && value.length >= least && value.length <= most;
    if (fits && !value.some((delay) => integer(fromMs, toMs)(delay) !== null)) return null;
    return `must be ${least} to ${most} whole numbers of milliseconds, each from ${fromMs} to ${toMs}`;
  },
  rateLimitPerSecond: integer(...RANGES.rateLimitPerSecond),
  ordering: (value) => (ORDERINGS.includes(value as Ordering) ? null : `must be one of ${ORDERINGS.join(', ')}`),
  enabled: (value) => (typeof value === 'boolean' ? null : 'must be true or false'),
};

/** @param errors collects everything that is wrong, by field; unknown fields are wrong, too */
export function parseSubscription(body: Body, errors: FieldErrors, isNew: boolean): SubscriptionRequest {
  const settings: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(body)) {
    if (field === 'headers' || field === 'secret') continue;
    if (!Object.hasOwn(RULES, field)) {
      errors[field] = 'is not a field of a subscription';
      continue;
    }
    const key = field as keyof SubscriptionSettings;
    if (value === null && Object.hasOwn(DEFAULTS, key)) {
      settings[key] = DEFAULTS[key as keyof typeof DEFAULTS];
      continue;
    }
    const problem = value === null ? 'is required' : RULES[key](value);
    if (problem !== null) errors[key] = problem;
    else settings[key] = value;
  }
  for (const field of isNew ? REQUIRED : []) {
    if (body[field] === undefined) errors[field] = 'is required';
  }
  const { headers, secret } = body;
  const headersProblem = headers === undefined || headers === null ? null : problemOfHeaders(headers);
  if (headersProblem !== null) errors.headers = headersProblem;
  const secretProblem = secret === undefined || secret === null ? null : problemOfSecret(secret);
  if (secretProblem !== null) errors.secret = secretProblem;
  return {
    settings: settings,
    headers: headers as Headers | null | undefined,
    secret: secret as string | null | undefined,
  };
}

/** The body of `rotate-secret`. @throws VALIDATION_ERROR */
export function parseRotation(body: Body): { overlapHours: number; secret: string | undefined } {
  const errors: FieldErrors = {};
  const { overlapHours = DEFAULT_OVERLAP_HOURS, secret, ...rest } = body;
  for (const field of Object.keys(rest)) errors[field] = 'is not a field of a rotation';
  const problem = integer(...RANGES.overlapHours)(overlapHours);
  if (problem !== null) errors.overlapHours = problem;
  const secretProblem = secret === undefined ? null : problemOfSecret(secret);
  if (secretProblem !== null) errors.secret = secretProblem;
  throwIfInvalid(errors);
  return { overlapHours: overlapHours as number, secret: secret as string | undefined };
}

function problemOfSecret(value: unknown): Problem {
  if (typeof value !== 'string' || value.trim() === '') return 'must be a text that is not empty';
  if (value.length > MAX_SECRET_LENGTH) return `must not be longer than ${MAX_SECRET_LENGTH} characters`;
  if (!value.isWellFormed()) return 'is not well-formed Unicode';
  // Verifiers of Standard Webhooks decode what follows the prefix.
  const isStandard = /^whsec_(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
  if (value.startsWith('whsec_') && (value === 'whsec_' || !isStandard.test(value))) {
    return 'must have base64 behind whsec_';
  }
  return null;
}

function text(maxLength: number): (value: unknown) => Problem {
  return (value) => {
    if (typeof value !== 'string' || value.trim() === '') return 'must be a text that is not empty';
    if (value.length > maxLength) return `must not be longer than ${maxLength} characters`;
    return value.includes('\0') || !value.isWellFormed() ? 'has a character that cannot be stored' : null;
  };
}

function integer(min: number, max: number): (value: unknown) => Problem {
  return (value) =>
    Number.isInteger(value) && (value as number) >= min && (value as number) <= max
      ? null
      : `must be a whole number from ${min} to ${max}`;
}
