/** Steps of one automation, and how deep they may be nested. */
export const MAX_STEPS = 200;
export const MAX_STEP_DEPTH = 8;
/** Runs that cause runs: a longer chain is cut, because it is a loop. */
export const MAX_CHAIN_DEPTH = 5;
/** Items of a for-each. */
export const MAX_ITEMS = 10_000;
/** Items of all for-each steps of a run: they may be nested. */
export const MAX_RUN_ITEMS = 50_000;
/** Items of a run that are under way at once, whatever the `concurrency` of nested for-each steps. */
export const MAX_ITEMS_UNDER_WAY = 100;
/** Items that one advance of a run begins. */
export const MAX_ITEMS_PER_ADVANCE = 500;
/** Items of a retried run whose rows are read together. */
export const ITEMS_PER_READ = 50;
/** JSON of inputs, events and outputs that a worker keeps parsed, because all items read the same. */
export const RUN_DATA_CACHE_BYTES = 8 * 1024 * 1024;
/** Steps that are shown with their run; the others have pages. */
export const MAX_SHOWN_STEPS = 500;
/** The output of a step is stored with it. */
export const MAX_OUTPUT_BYTES = 1024 * 1024;
/** Longer outputs are not shown with their run, nor outputs beyond this total. */
export const MAX_SHOWN_OUTPUT_BYTES = 64 * 1024;
export const MAX_SHOWN_OUTPUTS_BYTES = 1024 * 1024;
/** The part of an HTTP response that a step reads. */
export const MAX_RESPONSE_BYTES = 256 * 1024;
/** Records that a query step reads where its author sets no limit. */
export const DEFAULT_QUERY_LIMIT = 100;

/** The longest attempt, and the longest delay before the first retry. */
export const MAX_ATTEMPT_SECONDS = 3_600;
/**
 * Delays of a step's retries where its author names attempts alone: 1 s, 2 s, 4 s and so on up to a minute.
 */
export const RETRY_DEFAULTS = { initialSeconds: 1, factor: 2, maxSeconds: 60 } as const;
/** Compensations are tried more often than steps: nothing else undoes the step. */
export const COMPENSATION_RETRY = { maxAttempts: 5, initialSeconds: 1 } as const;
export const COMPENSATION_TIMEOUT_MS = 60_000;

/** The longest wait, for a time, an event or a person; also the longest interval of a schedule. */
export const MAX_WAIT_SECONDS = 365 * 86_400;
/** How long a step waits for an event or a person where its author sets no limit. */
export const DEFAULT_WAIT_SECONDS = 30 * 86_400;

/** Waiting steps that one transaction shows an event to; pairs of step and event that it evaluates. */
export const MAX_WAITING_STEPS = 100;
export const MAX_WAITING_QUESTIONS = 2_000;
/** Texts of an event, and their length, by which waiting steps are found without evaluating their filters. */
export const MAX_CORRELATED_VALUES = 2_000;
export const MAX_CORRELATED_LENGTH = 500;

/** Interval at which workers look for runs whose workflow was not signalled. */
export const SWEEP_EVERY_MS = 1_000;
/** Younger runs are still with the process that changed them, which gives Temporal 3 s. */
export const OVERDUE_MS = 3_500;
