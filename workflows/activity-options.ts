import type { LocalActivityOptions } from '@temporalio/workflow';

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
