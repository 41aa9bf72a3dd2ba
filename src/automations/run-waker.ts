import { WorkflowIdReusePolicy } from '@temporalio/common';
import pLimit from 'p-limit';
import type { Database } from '../database/pool.ts';
import type { Logger } from '../logging/logger.ts';
import { Rounds } from '../temporal/rounds.ts';
import type { StartOptions, TemporalGateway } from '../temporal/temporal-gateway.ts';
import { RUN_AUTOMATION, RUN_CHANGED, runWorkflowId, type RunAutomationInput } from '../../workflows/contracts.ts';
import { takeOverdue, type Wakeable } from './run-store.ts';

const SWEEP_EVERY_MS = 1_000;
/** Whoever has changed a run wakes it by itself, and gives Temporal 3 s for it. */
const OVERDUE_MS = 3_500;
const BATCH = 100;
/** Calls to Temporal under way at once. */
const CALLS = 50;

/**
 * Has the workflows of runs look at their rows: starts those that there are not yet. A run that nobody could wake (a
 * process has died, Temporal was away) is found by the sweep of any worker.
 */
export class RunWaker {
  readonly #database: Database;
  readonly #temporal: TemporalGateway;
  readonly #logger: Logger;
  readonly #limit = pLimit(CALLS);
  readonly #rounds = new Rounds(SWEEP_EVERY_MS, () => this.sweep());

  constructor(database: Database, temporal: TemporalGateway, logger: Logger) {
    this.#database = database;
    this.#temporal = temporal;
    this.#logger = logger;
  }

  start(): void {
    this.#rounds.start();
  }

  stop(): void {
    this.#rounds.stop();
  }

  /** Never throws: who cannot be woken now is found by the sweep. */
  async wake(runs: readonly Wakeable[]): Promise<void> {
    await Promise.all(runs.map((run) => this.#limit(() => this.#wakeOne(run))));
  }

  async sweep(): Promise<void> {
    try {
      await this.wake(await takeOverdue(this.#database, OVERDUE_MS, BATCH));
    } catch (error) {
      this.#logger.debug({ err: error }, 'a sweep of runs was cut short');
    }
  }

  async #wakeOne(run: Wakeable): Promise<void> {
    try {
      // Only a start hands its first task to this process; only a new run surely has no workflow.
      if (run.status === 'PENDING') await this.#temporal.startOrSignal(RUN_AUTOMATION, startOf(run), RUN_CHANGED);
      else await this.#temporal.signalOrStart(RUN_AUTOMATION, startOf(run), RUN_CHANGED);
    } catch (error) {
      const { pid: runPid, trace_id: traceId } = run;
      this.#logger.warn({ err: error, runPid, traceId }, 'a run could not be woken; it is tried again');
    }
  }
}

function startOf({ pid, tenant_id: tenantId, environment, automation_code: code, ...run }: Wakeable): StartOptions {
  const input: RunAutomationInput = { runPid: pid };
  return {
    workflowId: runWorkflowId(pid),
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    args: [input],
    memo: { traceId: run.trace_id },
    attributes: { tenantId, environment, commandCode: `automation:${code}`, status: run.status },
  };
}
