import { MINUTE_MS } from '../../foundation/durations.ts';

/** How long an idempotency key answers with its first execution. Spec: "Idempotency window". */
export const IDEMPOTENCY_WINDOW_HOURS = 24;
export const MAX_KEY_LENGTH = 200;

/** Workers look for stuck executions this often. */
export const SWEEP_EVERY_MS = 1_000;
export const OVERDUE = {
  /** Younger ones are still with their request: 3 s for Temporal, and 1 s to hear whether it lives. */
  startMs: 4_500,
  /** Those of a process that is dead are started after this long. */
  abandonedMs: 1_000,
  /** After this long with a closed workflow an execution will not end by itself any more. */
  endMs: MINUTE_MS,
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

/** Relations that a command may declare, and related records that one payload may hold. */
export const MAX_RELATIONS = 10;
export const MAX_RELATED_RECORDS = 100;

/** The most changes that one `record:revert` undoes. */
export const MAX_REVERTED_CHANGES = 1_000;

/** The longest `wait` of `Prefer` that is honoured: proxies give up after a minute or so. */
export const MAX_PREFERRED_WAIT_MS = 25_000;

/** The most rows shown of a trace, oldest first. */
export const LINEAGE = { executions: 200, events: 500, changes: 1_000, deliveries: 1_000, runs: 200 } as const;
/** Interval of reading the row between wake-up calls: a call can get lost, the row cannot. */
export const OUTCOME_LOOK_EVERY_MS = 1_000;
export const NOTIFIER_RETRY_MS = 250;
/** Interval of reading the row between wake-up calls: a call can get lost, the row cannot. */
export const STREAM_LOOK_EVERY_MS = 5_000;
/** Interval of asking Redis, once for all watchers of a node, which models were written. */
export const STAMPS_LOOK_EVERY_MS = 500;
/** Watched records that one statement reads. */
export const RECORDS_PER_LOOK = 1_000;
export const SWEEP_BATCH = 100;

/** Items of a batch. */
export const MAX_ITEMS = 500;
/** Room for 500 payloads of 4 KiB. Parsing and checking a larger body would hold the event loop. */
export const MAX_BATCH_BYTES = 2 * 1024 * 1024;

/** Bytes of the results that a batch answers with; those of further items stand in their executions. */
export const MAX_BATCH_RESULT_BYTES = 8 * 1024 * 1024;
/** Bytes of the events of a dry run, which holds them several times. */
export const MAX_DRY_RUN_BYTES = 8 * 1024 * 1024;
/** The longest that the dry run of a batch may hold its locks. */
export const MAX_DRY_RUN_MS = 10_000;

/** Share of the pool that batches use, whatever their number: single commands have the rest. */
export const BATCH_POOL_SHARE = 0.5;

/** The longest that the transaction of an atomic batch may hold its locks. */
export const MAX_TRANSACTION_MS = MINUTE_MS;

/** An accepted command that has not begun by then is refused; younger ones are left alone by the sweeper. */
export const WAITING = { maxMs: 3_000 } as const;

/** How a process without a worker starts commands. */
export const LANE = {
  /** Commands of a group: larger ones would keep the next tenant waiting for too long. */
  maxOfGroup: 64,
  /** Commands of one tenant in a group, while others wait. */
  maxOfOneTenant: 16,
  /** A command that takes longer is no longer counted as work of this node. */
  longMs: 2_000,
};

/** How a process with a worker carries out the commands that it accepts. */
export const BEGUN = {
  /** After so many, a connection is for the commands of other nodes, too. */
  turnsInARow: 16,
  /** Ends that are kept for workflows which have not asked yet; beyond these they read the rows. */
  keptEnds: 5_000,
} as const;

/** Workflows of commands that are carried out already. */
export const STARTS = {
  /** Commands that arrive in this time share one, so few start; no caller waits for them. */
  everyMs: 250,
  /** Of commands that have a workflow of their own. */
  singlesAtOnce: 8,
  retryMs: 500,
  /** Commands without a workflow, while Temporal is away. Above that, commands are refused. */
  maxWaiting: 20_000,
} as const;

/** Share of the pool that commands of groups use; the rest is for requests. */
export const POOL_SHARE = 0.6;

/**
 * The time limit of a statement within a group. What needs longer is put off, and goes on alone with the
 * time limit of the connection.
 */
export const GROUP_STATEMENT_TIMEOUT_MS = 2_000;
/** The same while other commands wait for its connection. */
export const BUSY_STATEMENT_TIMEOUT_MS = 400;

/** Share of the pool for commands that were put off: those that take long leave room to the others. */
export const LONG_POOL_SHARE = 0.2;

export const MAX_EXAMPLES = 50;
export const MAX_GIVEN = 20;

/** Time limit of all examples of a command together; the rest is skipped. */
export const EXAMPLES_MS = 5_000;
