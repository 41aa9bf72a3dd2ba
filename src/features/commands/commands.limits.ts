/** For so long an idempotency key answers with its first execution. Spec: "Idempotency window". */
export const IDEMPOTENCY_WINDOW_HOURS = 24;
export const MAX_KEY_LENGTH = 200;

/** Workers look for stuck executions this often. */
export const SWEEP_EVERY_MS = 1_000;
export const OVERDUE = {
  /** Younger executions are still with the request that accepted them, which gives Temporal 3 s. */
  startMs: 3_500,
  /** After this long with a closed workflow an execution will not end by itself any more. */
  endMs: 60_000,
};

/**
 * A worker that dies leaves its commands for this long. Must be well above the time limit of a group's
 * statements: a worker that is only slow asks for more time when 80 % of it are over.
 */
export const WORKFLOW_TASK_TIMEOUT_MS = 2_500;

/** The longest `wait` of `Prefer` that is honoured: proxies give up after a minute or so. */
export const MAX_PREFERRED_WAIT_MS = 25_000;
