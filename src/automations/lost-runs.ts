import { isTransient } from '../database/failures.ts';
import type { Database } from '../database/pool.ts';
import type { Logger } from '../logging/logger.ts';
import { Rounds } from '../temporal/rounds.ts';
import type { TemporalGateway, WorkflowEnd } from '../temporal/temporal-gateway.ts';
import { RUN_AUTOMATION, runWorkflowId } from '../../workflows/contracts.ts';
import type { RunAdvancer } from './run-advancer.ts';
import { hasOpenRuns, markWoken, openRuns, type Wakeable } from './run-store.ts';
import type { RunWaker } from './run-waker.ts';

const LOOK_EVERY_MS = 5_000;
/** A look goes back so far behind the one before: clocks differ, and Temporal lists what has ended a moment later. */
const OVERLAP_MS = 300_000;
const PAGE = 500;

/** How a workflow can end without its run. */
const LOST = ['Terminated', 'Canceled', 'Failed', 'TimedOut'] as const;

/**
 * Notices the runs whose workflow has ended without them, in every worker. An operator who terminates one in Temporal wants it
 * to be over as it stands; who cancels it there wants it wound up. Any other end was not meant, and the run goes on.
 */
export class LostRuns {
  readonly #database: Database;
  readonly #temporal: TemporalGateway;
  readonly #advancer: RunAdvancer;
  readonly #waker: RunWaker;
  readonly #logger: Logger;
  readonly #rounds = new Rounds(LOOK_EVERY_MS, () => this.look());
  /** Null: everything that Temporal still knows is looked at. */
  #since: Date | null = null;

  constructor(database: Database, temporal: TemporalGateway, advancer: RunAdvancer, waker: RunWaker, logger: Logger) {
    this.#database = database;
    this.#temporal = temporal;
    this.#advancer = advancer;
    this.#waker = waker;
    this.#logger = logger;
  }

  start(): void {
    this.#rounds.start();
  }

  stop(): void {
    this.#rounds.stop();
  }

  /** One round. Never throws: what is not found now is found by the next round. */
  async look(): Promise<void> {
    try {
      const next = new Date(Date.now() - OVERLAP_MS);
      // Temporal is not bothered where there is nothing to lose.
      const closed = (await hasOpenRuns(this.#database))
        ? await this.#temporal.closedSince(RUN_AUTOMATION, LOST, this.#since)
        : new Set<string>();
      const prefix = runWorkflowId('').length;
      const pids = [...closed].map((workflowId) => workflowId.slice(prefix));
      for (let from = 0; from < pids.length; from += PAGE) {
        for (const run of await openRuns(this.#database, pids.slice(from, from + PAGE))) await this.#lookAfter(run);
      }
      this.#since = next;
    } catch (error) {
      this.#logger.debug({ err: error }, 'runs without a workflow are looked for later');
    }
  }

  /** @throws SERVICE_UNAVAILABLE: the others could not be helped either. Anything else concerns this run alone. */
  async #lookAfter({ pid: runPid }: Wakeable): Promise<void> {
    try {
      // An act of somebody may have given it another workflow meanwhile.
      const end = await this.#temporal.endOf(runWorkflowId(runPid));
      if (!end) return;
      this.#logger.warn({ runPid, ...end }, 'the workflow of a run ended without it');
      await this.#waker.wake(await this.#decide(runPid, end));
    } catch (error) {
      if (isTransient(error)) throw error;
      this.#logger.warn({ err: error, runPid }, 'a run without a workflow could not be looked after');
    }
  }

  /** What is woken is told what has become of it: the run's stream as well. */
  #decide(pid: string, { status, reason }: WorkflowEnd): Promise<Wakeable[]> {
    if (status === 'TERMINATED') return this.#advancer.endAsItStands(pid, reason);
    if (status === 'CANCELLED') return this.#advancer.windUp(pid);
    return markWoken(this.#database, [pid]);
  }
}
