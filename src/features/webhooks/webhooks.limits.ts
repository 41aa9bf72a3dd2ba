import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../foundation/durations.ts';

/** Spec: "Webhook subscription". `maxRetries` are retries after the first attempt. */
export const RETRIES = { default: 8, max: 20 } as const;
/** Wall clock of one attempt, the response's body included. */
export const ATTEMPT_TIMEOUT_MS = { default: 10_000, min: 500, max: 30_000 } as const;
/** A subscription's own retry schedule: the number of delays, and how long each may be. */
export const RETRY_DELAYS = { least: 1, most: 20, fromMs: 100, toMs: DAY_MS } as const;
/**
 * Delays are up to this share longer than scheduled, so that what failed together does not come back
 * together.
 */
export const RETRY_JITTER = 0.2;
/** A receiver's `Retry-After` counts up to this. */
export const MAX_RETRY_AFTER_MS = HOUR_MS;
/** All retries together get at least this long: time behind an open circuit is no attempt. */
export const MIN_RETRY_WINDOW_MS = HOUR_MS;

/**
 * Deliveries of one subscription in flight at once, on all nodes together: a bad endpoint holds up no other.
 * Each quick success adds one, up to `WEBHOOK_MAX_IN_FLIGHT`; the first slowness halves them.
 */
export const SLOTS = { first: 8, least: 2 } as const;
/** An endpoint that answers within this time can take more. */
export const QUICK_MS = 250;
/** One that takes longer, or does not answer, gets fewer. */
export const SLOW_MS = 1_000;
/** First attempts under way in a process: further deliveries wait in the queue, without slots. */
export const FIRST_ATTEMPTS = 1_000;
/**
 * A slot outlives its attempt's deadline by this: for the workflow to begin, and for the outcome to be
 * written.
 */
export const LEASE_MS = 20_000;
/** Calls to Temporal under way at once. */
export const CALLS = 50;

/** A workflow that waits for its turn is told of it; should that get lost, it looks by itself. */
export const LOOK_EVERY_MS = 5 * MINUTE_MS;
/**
 * An outcome is written as soon as Postgres takes it: forgotten, the receiver would get the event twice. The
 * pauses grow by this much; all tries together take 20 s, for which the slot is held.
 */
export const OUTCOME_TRIES = 13;
export const OUTCOME_TRY_MS = 250;
/** Statements that write outcomes: what ends meanwhile shares the next one. */
export const OUTCOME_STATEMENTS = 2;

/** Free slots are given away this much later, for all that ask meanwhile. */
export const DISPATCH_LATER_MS = 5;
/** Deliveries that one transaction of a recovery sends again. */
export const RECOVERY_BATCH = 100;
/** Recoveries without a workflow are looked for every so many sweeps. */
export const RECOVERIES_EVERY = 5;
/** Rows that one statement of the retention deletes. */
export const RETENTION_BATCH = 1_000;

/** Workers look for expired slots and overdue retries this often. */
export const SWEEP_EVERY_MS = 1_000;
/** Deliveries of each kind that a sweep looks at; of those that wait, of each subscription. */
export const SWEEP_BATCH = 100;
/** A retry that is this late has lost its workflow. */
export const OVERDUE_RETRY_MS = MINUTE_MS;
/** A recovery without a workflow after this time has lost the node that began it. */
export const UNSTARTED_RECOVERY_MS = 10_000;

/** The pause of an open circuit doubles from `WEBHOOK_CIRCUIT_COOL_DOWN_MS` up to this many times as long. */
export const MAX_COOL_DOWN_FACTOR = 10;

/** Exhausted deliveries within this time count against a subscription (`WEBHOOK_AUTO_DISABLE_AFTER`). */
export const AUTO_DISABLE_WINDOW_HOURS = 24;

export const MAX_SUBSCRIPTIONS_PER_TENANT = 100;
export const MAX_RATE_LIMIT_PER_SECOND = 1_000;
export const MAX_HEADERS = 20;
export const MAX_HEADER_VALUE_BYTES = 4_096;
export const MAX_SECRET_LENGTH = 256;
/** How long a rotated secret still signs beside the new one. */
export const SECRET_OVERLAP_HOURS = { default: 24, max: 168 } as const;

/** Headers of a response that the log keeps. */
export const LOGGED_HEADERS = { most: 40, maxLength: 500 } as const;

/** Deliveries that one request sends again. */
export const MAX_RESENT = 100;
/** Events that a draft of a subscription is shown, of the newest that are looked at. */
export const MATCHES_SHOWN = 20;

/** The newest recoveries of a subscription that are listed. */
export const MAX_LISTED_RECOVERIES = 100;
/** The newest events that a test looks at: what a filter lets through is usually among them. */
export const TEST_CANDIDATES = 200;
/** How far back the metrics of a subscription may look: as far as the log can be expected to reach. */
export const MAX_METRICS_HOURS = 90 * 24;
