import { isTransient } from '../../../foundation/database/failures.ts';
import type { Database } from '../../../foundation/database/pool.ts';
import type { Logger } from '../../../foundation/logging/logger.ts';
import { PollingLoop } from '../../../foundation/jobs/polling-loop.ts';
import type { TemporalGateway, WorkflowEnd } from '../../../foundation/temporal/temporal-gateway.ts';
import { RUN_AUTOMATION, runWorkflowId } from '../../../../workflows/contracts.ts';
import type { RunAdvancer } from './advance/run-advancer.ts';
import { hasOpenRuns, markForSignal, openRuns, type SignalTarget } from './rows/run-store.ts';
import { ORPHANS_EVERY_MS, ORPHANS_OVERLAP_MS, ORPHANS_PER_READ } from '../automations.limits.ts';
import type { RunSignaller } from './run-signaller.ts';

/** The ends of a workflow that do not end its run. */
const ORPHANING_ENDS = ['Terminated', 'Canceled', 'Failed', 'TimedOut'] as const;

/**
 * Finds open runs whose workflow has ended, in every worker. A workflow that an operator terminated
 * terminates its run, one that was cancelled cancels it. Any other end is a fault, and the run gets a new
 * workflow.
 */
export class OrphanedRunReconciler {
  readonly #database: Database;
  readonly #temporal: TemporalGateway;
  readonly #advancer: RunAdvancer;
  readonly #signaller: RunSignaller;
  readonly #logger: Logger;
  readonly #loop = new PollingLoop(ORPHANS_EVERY_MS, () => this.reconcile());
  /** Workflows that closed before are not read again; null: all that Temporal still lists are read. */
  #since: Date | null = null;

  constructor(
    database: Database,
    temporal: TemporalGateway,
    advancer: RunAdvancer,
    signaller: RunSignaller,
    logger: Logger,
  ) {
    this.#database = database;
    this.#temporal = temporal;
    this.#advancer = advancer;
    this.#signaller = signaller;
    this.#logger = logger;
  }

  start(): void {
    this.#loop.start();
  }

  stop(): void {
    this.#loop.stop();
  }

  /** One round. Never throws: a fault is left to the next round. */
  async reconcile(): Promise<void> {
    try {
      const next = new Date(Date.now() - ORPHANS_OVERLAP_MS);
      // Without open runs the query to Temporal is saved.
      const closed = (await hasOpenRuns(this.#database))
        ? await this.#temporal.closedSince(RUN_AUTOMATION, ORPHANING_ENDS, this.#since)
        : new Set<string>();
      const prefix = runWorkflowId('').length;
      const pids = [...closed].map((workflowId) => workflowId.slice(prefix));
      for (let from = 0; from < pids.length; from += ORPHANS_PER_READ) {
        for (const run of await openRuns(this.#database, pids.slice(from, from + ORPHANS_PER_READ)))
          await this.#reconcileOne(run);
      }
      this.#since = next;
    } catch (error) {
      this.#logger.debug({ err: error }, 'orphaned runs are looked for later');
    }
  }

  /**
   * @throws SERVICE_UNAVAILABLE, which the other runs would meet as well; any other fault concerns this run
   * alone
   */
  async #reconcileOne({ pid: runPid }: SignalTarget): Promise<void> {
    try {
      // The run may have got another workflow meanwhile.
      const end = await this.#temporal.endOf(runWorkflowId(runPid));
      if (!end) return;
      this.#logger.warn({ runPid, ...end }, 'the workflow of a run ended without it');
      await this.#signaller.signal(await this.#decide(runPid, end));
    } catch (error) {
      if (isTransient(error)) throw error;
      this.#logger.warn({ err: error, runPid }, 'an orphaned run could not be reconciled');
    }
  }

  /** The runs to signal: their new workflow also publishes their state. */
  #decide(pid: string, { status, reason }: WorkflowEnd): Promise<SignalTarget[]> {
    if (status === 'TERMINATED') return this.#advancer.terminate(pid, reason);
    if (status === 'CANCELLED') return this.#advancer.cancel(pid);
    return markForSignal(this.#database, [pid]);
  }
}
