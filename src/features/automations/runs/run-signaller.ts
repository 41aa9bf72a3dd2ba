import { WorkflowIdReusePolicy } from '@temporalio/common';
import pLimit from 'p-limit';
import type { Database } from '../../../foundation/database/pool.ts';
import type { Logger } from '../../../foundation/logging/logger.ts';
import { withLogContext } from '../../../foundation/logging/trace.ts';
import { PollingLoop } from '../../../foundation/jobs/polling-loop.ts';
import type { StartOptions, TemporalGateway } from '../../../foundation/temporal/temporal-gateway.ts';
import {
  RUN_AUTOMATION,
  RUN_CHANGED,
  runWorkflowId,
  type RunAutomationInput,
} from '../../../../workflows/contracts.ts';
import { takeOverdue, type SignalTarget } from './rows/run-store.ts';
import { MAX_CONCURRENT_SIGNALS, OVERDUE_MS, RUNS_PER_SWEEP, SWEEP_EVERY_MS } from '../automations.limits.ts';

/**
 * Signals the workflows of runs to look at their rows, and starts them where they are missing. A run that
 * could not be signalled (a process died, Temporal was away) is found by the sweep of any worker.
 */
export class RunSignaller {
  readonly #database: Database;
  readonly #temporal: TemporalGateway;
  readonly #logger: Logger;
  readonly #limit = pLimit(MAX_CONCURRENT_SIGNALS);
  readonly #sweeps = new PollingLoop(SWEEP_EVERY_MS, () => this.sweep());

  constructor(database: Database, temporal: TemporalGateway, logger: Logger) {
    this.#database = database;
    this.#temporal = temporal;
    this.#logger = logger;
  }

  start(): void {
    this.#sweeps.start();
  }

  stop(): void {
    this.#sweeps.stop();
  }

  /** Never throws: a run that cannot be signalled is left to the sweep. */
  async signal(runs: readonly SignalTarget[]): Promise<void> {
    await Promise.all(runs.map((run) => this.#limit(() => this.#signalOne(run))));
  }

  async sweep(): Promise<void> {
    try {
      await this.signal(await takeOverdue(this.#database, OVERDUE_MS, RUNS_PER_SWEEP));
    } catch (error) {
      this.#logger.debug({ err: error }, 'a sweep of runs was cut short');
    }
  }

  async #signalOne(run: SignalTarget): Promise<void> {
    try {
      // Only a start can run its first task in this process, and only a new run surely has no workflow.
      if (run.status === 'PENDING') await this.#temporal.startOrSignal(RUN_AUTOMATION, startOf(run), RUN_CHANGED);
      else await this.#temporal.signalOrStart(RUN_AUTOMATION, startOf(run), RUN_CHANGED);
    } catch (error) {
      withLogContext(run, () =>
        this.#logger.warn({ err: error, runPid: run.pid }, 'a run could not be signalled; it is tried again'),
      );
    }
  }
}

function startOf({ pid, tenantId, environment, automationCode: code, ...run }: SignalTarget): StartOptions {
  const input: RunAutomationInput = { runPid: pid };
  return {
    workflowId: runWorkflowId(pid),
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    args: [input],
    memo: { traceId: run.traceId },
    attributes: { tenantId, environment, commandCode: `automation:${code}`, status: run.status },
  };
}
