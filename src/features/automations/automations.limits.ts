import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../foundation/durations.ts';

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
/** What a cached run takes beside its input and event. */
export const CACHED_RUN_BYTES = 1_000;
/** Steps that are shown with their run; the others have pages. */
export const MAX_SHOWN_STEPS = 500;
/** The output of a step is stored with it. */
export const MAX_OUTPUT_BYTES = 1024 * 1024;
/** Longer outputs are not shown with their run, nor outputs beyond this total. */
export const MAX_SHOWN_OUTPUT_BYTES = 64 * 1024;
export const MAX_SHOWN_OUTPUTS_BYTES = 1024 * 1024;
/** The part of an HTTP response that a step reads. */
export const MAX_RESPONSE_BYTES = 256 * 1024;
/** The part of a refused response's body that the error quotes. */
export const MAX_QUOTED_BODY = 500;
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
export const COMPENSATION_TIMEOUT_MS = MINUTE_MS;

/** The longest wait, for a time, an event or a person; also the longest interval of a schedule. */
export const MAX_WAIT_SECONDS = 365 * 86_400;
/** How long a step waits for an event or a person where its author sets no limit. */
export const DEFAULT_WAIT_SECONDS = 30 * 86_400;

/** Waiting steps, and pairs of step and event, that one transaction evaluates. */
export const MAX_WAITING_STEPS = 100;
export const MAX_WAITING_PAIRS = 2_000;
/** Texts of an event, and their length, by which waiting steps are found without evaluating their filters. */
export const MAX_CORRELATED_VALUES = 2_000;
export const MAX_CORRELATED_LENGTH = 500;

/** The longest that a run's workflow sleeps, in case a signal got lost. */
export const MAX_RUN_SLEEP_MS = HOUR_MS;
/** How often the run of a suspended tenant checks whether the tenant is active again. */
export const SUSPENDED_RUN_CHECK_MS = MINUTE_MS;
/** How often a step asks for the end of a command that an earlier attempt has begun. */
export const COMMAND_POLL_MS = 500;

/** How often workers look for runs to signal and for awaited events. */
export const SWEEP_EVERY_MS = 1_000;
/** A run that was not signalled for so long is overdue: the process that changed it gives Temporal 3 s. */
export const OVERDUE_MS = 3_500;
export const RUNS_PER_SWEEP = 100;
export const MAX_CONCURRENT_SIGNALS = 50;
/** How often workers look for open runs whose workflow has ended. */
export const ORPHANS_EVERY_MS = 5_000;
/** Each such round looks back so far behind the last one: clocks differ, and Temporal lists ends late. */
export const ORPHANS_OVERLAP_MS = 300_000;
export const ORPHANS_PER_READ = 500;
/** How often workers compare the version of each environment with the schedules in Temporal. */
export const SCHEDULES_EVERY_MS = 1_000;
/** How far the clock of this machine may be behind the one that wakes the schedules. */
export const CLOCK_SKEW_MS = MINUTE_MS;
/** A due time that no worker has taken for so long starts nothing. */
export const LATEST_FIRE_MS = 7 * DAY_MS;
/** Failures after which an awaited event is given up: it would hold up those behind it. */
export const MAX_AWAITED_EVENT_FAILURES = 3;
/** Steps that are written to a run's stream at a time. */
export const STEPS_PER_PUBLISH = 200;
/** What one statement of the retention deletes; a run with more steps is deleted alone. */
export const RETENTION_BATCH = { runs: 1_000, steps: 10_000 };
