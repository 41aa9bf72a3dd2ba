import { WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import { WorkflowIdReusePolicy } from '@temporalio/common';
import pLimit from 'p-limit';
import type { Database } from '../database/pool.ts';
import type { Logger } from '../logging/logger.ts';
import type { TemporalGateway } from '../temporal/temporal-gateway.ts';
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
  #timer: NodeJS.Timeout | null = null;
  #stopped = false;

  constructor(database: Database, temporal: TemporalGateway, logger: Logger) {
    this.#database = database;
    this.#temporal = temporal;
    this.#logger = logger;
  }

  start(): void {
    const again = (): void => {
      if (!this.#stopped) this.#timer = setTimeout(() => void this.sweep().finally(again), SWEEP_EVERY_MS);
    };
    again();
  }

  stop(): void {
    this.#stopped = true;
    if (this.#timer) clearTimeout(this.#timer);
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
      if (run.status === 'PENDING') await this.#startOrSignal(run);
      else await this.#signalOrStart(run);
    } catch (error) {
      const { pid: runPid, trace_id: traceId } = run;
      this.#logger.warn({ err: error, runPid, traceId }, 'a run could not be woken; it is tried again');
    }
  }

  async #startOrSignal(run: Wakeable): Promise<void> {
    try {
      await this.#start(run);
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      await this.#signal(run);
    }
  }

  async #signalOrStart(run: Wakeable): Promise<void> {
    try {
      await this.#signal(run);
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
      await this.#start(run);
    }
  }

  async #start({ pid, tenant_id: tenantId, environment, automation_code: code, ...run }: Wakeable): Promise<void> {
    const input: RunAutomationInput = { runPid: pid };
    await this.#temporal.start(RUN_AUTOMATION, {
      workflowId: runWorkflowId(pid),
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      args: [input],
      memo: { traceId: run.trace_id },
      attributes: { tenantId, environment, commandCode: `automation:${code}`, status: run.status },
    });
  }

  #signal({ pid }: Wakeable): Promise<void> {
    return this.#temporal.signal(runWorkflowId(pid), RUN_CHANGED, null);
  }
}
