import type { ActivityOptions, LocalActivityOptions } from '@temporalio/workflow';

/**
 * One transaction in this worker's own process: no task queue between the workflow and its work. Faults (the database
 * is away) are retried for a day; failures with a code of the error catalogue are final and say so themselves.
 */
export const TRANSACTION: LocalActivityOptions = {
  startToCloseTimeout: '30 seconds',
  scheduleToCloseTimeout: '1 day',
  localRetryThreshold: '10 seconds',
  retry: { initialInterval: '100 milliseconds', backoffCoefficient: 2, maximumInterval: '10 seconds' },
};

/** As TRANSACTION, for changes of configuration: they may have to wait for tables, and move more. */
export const CONFIGURATION: LocalActivityOptions = { ...TRANSACTION, startToCloseTimeout: '2 minutes' };

/** A call that is known to take a moment only, tried once without a task of its own. What it cannot do is done by OUTBOUND. */
export const QUICK: LocalActivityOptions = { startToCloseTimeout: '30 seconds', retry: { maximumAttempts: 1 } };

/**
 * A call to somebody else's server. It may take its time, so it must not hold up the workflow tasks of commands; the
 * worker that has the workflow usually gets it without a queue. A worker that dies is missed after a few heartbeats.
 */
export const OUTBOUND: ActivityOptions = {
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '200 milliseconds', backoffCoefficient: 2, maximumInterval: '10 seconds' },
};

/**
 * An answer of an assistant: minutes of somebody else's tokens. A worker that dies is missed after a few heartbeats, and the
 * next one goes on where it stopped; what fails that often has failed.
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

/** An e-mail that somebody waits for: after an hour nobody does any more. */
export const MAIL: ActivityOptions = {
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: '10 seconds',
  scheduleToCloseTimeout: '1 hour',
  retry: { initialInterval: '2 seconds', backoffCoefficient: 2, maximumInterval: '2 minutes' },
};
