import { DAY_MS, MINUTE_MS } from '../../foundation/durations.ts';

/** Lifetime of an access token. Spec: "Authentication". */
export const ACCESS_TOKEN_SECONDS = 3_600;
/** A session that is not refreshed ends after this. */
export const REFRESH_LIFETIME_MS = 7 * DAY_MS;
/** A session ends after this, however often it is refreshed. */
export const SESSION_LIFETIME_MS = 30 * DAY_MS;
/** Tabs that refresh at the same time send the same token: a second use within this time is no theft. */
export const REUSE_GRACE_MS = 10_000;
/** Tokens that one token makes within its grace: as many as tabs that refresh at the same time. */
export const MAX_GRACE_TOKENS = 20;
/** Live access tokens of one session; the oldest beyond them end. */
export const MAX_LIVE_TOKENS = 20;

/**
 * Lifetime of a password reset: long enough for a slow mail server, too short to be found in an old mailbox.
 */
export const RESET_LIFETIME_MS = 30 * MINUTE_MS;
/** Unused resets of one user. More are not sent, so that no mailbox is flooded. */
export const MAX_WAITING_RESETS = 5;

/** In characters. Length is what makes a password strong; the upper bound keeps hashing cheap. */
export const MIN_PASSWORD_LENGTH = 12;
export const MAX_PASSWORD_LENGTH = 128;

/** Precision of `lastUsedAt` of a key: it is written once in this time. */
export const KEY_USE_INTERVAL_MS = MINUTE_MS;

/** How long an unknown key is refused without asking Postgres. */
export const UNKNOWN_KEY_MS = MINUTE_MS;

/** Bodies of log-in, refresh and passwords. */
export const MAX_AUTH_BODY_BYTES = 8 * 1024;

/** Budgets are per minute: a window begins with the first request that counts in it. */
export const RATE_WINDOW_MS = MINUTE_MS;

/**
 * Refused API keys and signatures that a node takes in a second, from all addresses: each costs it a look-up,
 * and many addresses together must not keep others from logging in.
 */
export const MAX_REFUSALS_PER_SECOND = 100;

/** Look-ups of API keys at once: unknown ones leave connections to log-ins, however many come together. */
export const KEY_LOOKUPS_AT_ONCE = 2;

/** Cached rows expire by themselves, in case a write to Redis arrives long after its sender gave it up. */
export const CACHED_ROW_SECONDS = 600;

/** Members that one look-up gives: a person who sees more types more. */
export const LOOKED_UP_USERS = 20;
