/** How long an idempotency key answers with its first execution. Spec: "Idempotency window". */
export const IDEMPOTENCY_WINDOW_HOURS = 24;
export const MAX_KEY_LENGTH = 200;

/** Workers look for stuck executions this often. */
export const SWEEP_EVERY_MS = 1_000;
export const OVERDUE = {
  /** Younger executions are still with the request that accepted them, which gives Temporal 3 s. */
  startMs: 3_500,
  /** Those of a process that is dead are started after this long. */
  abandonedMs: 1_000,
  /** After this long with a closed workflow an execution will not end by itself any more. */
  endMs: 60_000,
};

/** A process that has given no sign of life for `expiryMs` is taken for dead. A wrong guess does no harm. */
export const PRESENCE = { renewEveryMs: 500, expiryMs: 1_500 } as const;

/** Starts of a sweep under way at once. */
export const SWEEP_STARTS = 8;

/**
 * A worker that dies leaves its commands for this long. Must be well above the time limit of a group's
 * statements: a worker that is only slow asks for more time when 80 % of it are over.
 */
export const WORKFLOW_TASK_TIMEOUT_MS = 2_500;

/** The greatest version that a request may name. */
export const MAX_VERSION = 2 ** 31 - 1;

/** Relations that a command may declare, and related records that one payload may hold. */
export const MAX_RELATIONS = 10;
export const MAX_RELATED_RECORDS = 100;

/** The most changes that one `record:revert` undoes. */
export const MAX_REVERTED_CHANGES = 1_000;

/** The longest `wait` of `Prefer` that is honoured: proxies give up after a minute or so. */
export const MAX_PREFERRED_WAIT_MS = 25_000;

/** The most rows shown of a trace, oldest first. */
export const LINEAGE = { executions: 200, events: 500, changes: 1_000, deliveries: 1_000, runs: 200 } as const;
