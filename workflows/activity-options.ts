import type { ActivityOptions, LocalActivityOptions } from '@temporalio/workflow';

/**
 * One transaction in the worker's own process, without a task queue. Faults (the database is away) are
 * retried for a day; errors of the catalogue mark themselves as final.
 */
export const TRANSACTION: LocalActivityOptions = {
  startToCloseTimeout: '30 seconds',
  scheduleToCloseTimeout: '1 day',
  localRetryThreshold: '10 seconds',
  retry: { initialInterval: '100 milliseconds', backoffCoefficient: 2, maximumInterval: '10 seconds' },
};

/** The transactions of a group of commands. */
export const GROUP: LocalActivityOptions = { ...TRANSACTION, startToCloseTimeout: '1 minute' };

/** The items of a batch. */
export const BATCH: LocalActivityOptions = { ...TRANSACTION, startToCloseTimeout: '5 minutes' };

/** A command that its group has put off: its retries within the group, for some seconds. */
export const PUT_OFF: LocalActivityOptions = {
  startToCloseTimeout: '5 seconds',
  retry: { initialInterval: '100 milliseconds', backoffCoefficient: 2, maximumAttempts: 5 },
};

/** Like TRANSACTION, for changes of configuration, which may wait for table locks. */
export const CONFIGURATION: LocalActivityOptions = { ...TRANSACTION, startToCloseTimeout: '2 minutes' };

/**
 * A call to an external server. It may be slow, so it must not occupy the workflow tasks of commands. The
 * worker that has the workflow usually gets it without a queue. Heartbeats detect a dead worker.
 */
export const OUTBOUND: ActivityOptions = {
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '200 milliseconds', backoffCoefficient: 2, maximumInterval: '10 seconds' },
};

/**
 * A reply of an assistant, which may take minutes. Heartbeats detect a dead worker; the next one resumes the
 * reply.
 */
export const GENERATION: ActivityOptions = {
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '5 seconds',
  retry: {
    initialInterval: '200 milliseconds',
    backoffCoefficient: 2,
    maximumInterval: '5 seconds',
    maximumAttempts: 8,
  },
};

/** An e-mail that a user waits for, for an hour at most. */
export const MAIL: ActivityOptions = {
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: '10 seconds',
  scheduleToCloseTimeout: '1 hour',
  retry: { initialInterval: '2 seconds', backoffCoefficient: 2, maximumInterval: '2 minutes' },
};

/**
 * An index of a large table. Heartbeats show how far it is, and detect a dead worker; the next one goes on.
 */
export const BUILD: ActivityOptions = {
  startToCloseTimeout: '2 days',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '2 seconds', backoffCoefficient: 2, maximumInterval: '5 minutes' },
};

/**
 * An import, which may take an hour. Heartbeats show how far it is, and detect a dead worker; the next one
 * goes on.
 */
export const IMPORT: ActivityOptions = {
  startToCloseTimeout: '1 day',
  heartbeatTimeout: '8 seconds',
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '30 seconds' },
};
