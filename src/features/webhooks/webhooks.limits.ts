const HOUR_MS = 3_600_000;

/** Spec: "Webhook subscription". `maxRetries` are retries after the first attempt. */
export const RETRIES = { default: 8, max: 20 } as const;
/** Wall clock of one attempt, the response's body included. */
export const ATTEMPT_TIMEOUT_MS = { default: 10_000, min: 500, max: 30_000 } as const;
/** A subscription's own retry schedule: the number of delays, and how long each may be. */
export const RETRY_DELAYS = { least: 1, most: 20, fromMs: 100, toMs: 24 * HOUR_MS } as const;
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
 */
export const SLOTS = 8;
/**
 * A slot outlives its attempt's deadline by this: for the workflow to begin, and for the outcome to be
 * written.
 */
export const LEASE_MS = 20_000;
/** Calls to Temporal under way at once. */
export const CALLS = 50;

/** First attempts of deliveries that share a workflow. */
export const GROUP = {
  /**
   * A group waits for its attempts for this long. One that takes longer goes on without it, and the
   * endpoint's next deliveries have workflows of their own.
   */
  waitMs: 500,
  /** Of a group, while other tenants wait. */
  maxOfOneTenant: 16,
  /** A delivery that has waited for longer gives its slot back. */
  maxWaitMs: 10_000,
} as const;

/** Workers look for expired slots and overdue retries this often. */
export const SWEEP_EVERY_MS = 1_000;
/** A retry that is this late has lost its workflow. */
export const OVERDUE_RETRY_MS = 60_000;
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

/** The newest recoveries of a subscription that are listed. */
export const MAX_LISTED_RECOVERIES = 100;
/** The newest events that a test looks at: what a filter lets through is usually among them. */
export const TEST_CANDIDATES = 200;
/** How far back the metrics of a subscription may look: as far as the log can be expected to reach. */
export const MAX_METRICS_HOURS = 90 * 24;
