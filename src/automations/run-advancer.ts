import type { Database, Transaction } from '../database/pool.ts';
import { ApplicationError, conflict } from '../errors/application-error.ts';
import { toStoredError } from '../errors/failure.ts';
import type { Logger } from '../logging/logger.ts';
import { withTrace } from '../logging/trace.ts';
import type { Counter, Metrics } from '../metrics/metrics.ts';
import type { RunState } from '../../workflows/contracts.ts';
import type { RunStatus, StepStatus } from './automation-run.entity.ts';
import type { Definition } from './definition.ts';
import type { Definitions } from './definitions.ts';
import { RunContext } from './run-context.ts';
import { findRun, lockRun, markWoken, saveRun, type LockedRun, type RunRow, type Wakeable } from './run-store.ts';
import type { RunStream } from './run-stream.ts';
import { RunWalk } from './run-walk.ts';
import { outputsOf, saveSteps, stepsOfRun } from './step-store.ts';

/** A run that waits is told when there is something to do; should that get lost, it looks by itself. */
const LOOK_EVERY_MS = 3_600_000;
const ENDS: ReadonlySet<RunStatus> = new Set(['SUCCEEDED', 'FAILED', 'CANCELLED']);
const STEP_ENDS: ReadonlySet<StepStatus> = new Set(['SUCCEEDED', 'FAILED', 'SKIPPED', 'CANCELLED']);

/** How long a run of a suspended tenant may go on to rest after the tenant is active again. */
const PAUSE_MS = 60_000;

const NOTHING: RunState = { status: 'CANCELLED', ended: true, steps: [], waitMs: LOOK_EVERY_MS };

/** What the workflow of a run hears for which there is nothing to do; null where there is. */
function restOf(run: LockedRun): RunState | null {
  if (isOver(run)) return { ...NOTHING, status: run.status };
  // One that is ending goes on: what it has done is undone, whoever's it is.
  const isPaused = run.tenant_suspended && !run.ending;
  return isPaused ? { ...NOTHING, status: run.status, ended: false, waitMs: PAUSE_MS } : null;
}

export function isOver({ status }: Pick<RunRow, 'status'>): boolean {
  return ENDS.has(status);
}

/** Brings a run as far as it gets without anybody else, in one transaction, and tells its workflow what is next. */
export class RunAdvancer {
  readonly #database: Database;
  readonly #definitions: Definitions;
  readonly #stream: RunStream;
  readonly #logger: Logger;
  readonly #runs: Counter<'automation' | 'outcome'>;

  constructor(database: Database, definitions: Definitions, stream: RunStream, metrics: Metrics, logger: Logger) {
    this.#database = database;
    this.#definitions = definitions;
    this.#stream = stream;
    this.#logger = logger;
    const labels = ['automation', 'outcome'] as const;
    this.#runs = metrics.counter('automation_runs_total', 'Runs of automations, by how they ended', [...labels]);
  }

  /** @throws a passing fault */
  async advance(runPid: string): Promise<RunState> {
    const run = await findRun(this.#database, runPid);
    if (!run) return NOTHING;
    return withTrace(run.trace_id, async () => {
      const definition = await this.#definitions.of(run);
      const { after, state } = await this.#step(runPid, definition);
      await this.#tell(after, definition, state.ended);
      return state;
    });
  }

  /**
   * Ends a run whose workflow an operator has terminated: it fails, nothing more is done, and nothing is undone. A retry goes
   * on from there.
   * @returns the run, to be woken: its stream is told by its workflow
   */
  async endAsItStands(runPid: string, comment: string | null): Promise<Wakeable[]> {
    return this.#change(runPid, async (transaction, run) => {
      const open = (await stepsOfRun(transaction, runPid)).filter(({ status }) => !STEP_ENDS.has(status));
      const end = { status: 'CANCELLED', due_at: null, wait_for: null, finished_at: run.now } as const;
      await saveSteps(
        transaction,
        run,
        open.map((step) => ({ ...step, ...end })),
      );
      const error = toStoredError(conflict('TERMINATED', 'An operator terminated the run in Temporal', { comment }));
      const status = run.ending ?? 'FAILED';
      await saveRun(transaction, { ...run, status, ending: status, error, finished_at: run.now });
      this.#hasEnded({ ...run, status, error });
    });
  }

  /** Ends a run whose workflow an operator has cancelled, as if somebody had cancelled the run. @returns the run, to be woken */
  async windUp(runPid: string): Promise<Wakeable[]> {
    return this.#change(runPid, async (transaction, run) => {
      if (run.ending) return;
      const error = toStoredError(conflict('CANCELLED', 'An operator cancelled the run in Temporal'));
      await saveRun(transaction, { ...run, ending: 'CANCELLED', error });
    });
  }

  #change(
    runPid: string,
    work: (transaction: Transaction, run: RunRow & { now: string }) => Promise<void>,
  ): Promise<Wakeable[]> {
    return this.#database.transaction(async (transaction) => {
      const run = await lockRun(transaction, runPid);
      if (!run || isOver(run)) return [];
      await work(transaction, run);
      return markWoken(transaction, [runPid]);
    });
  }

  #hasEnded({ pid: runPid, automation_code: automation, status, error }: RunRow): void {
    this.#runs.inc({ automation, outcome: status.toLowerCase() });
    this.#logger.info({ runPid, automation, status, code: error?.code }, 'a run has ended');
  }

  async #step(runPid: string, definition: Definition): Promise<{ after: RunRow; state: RunState }> {
    const result = await this.#database.transaction(async (transaction) => {
      const run = await lockRun(transaction, runPid);
      if (!run) throw new Error(`the run ${runPid} has gone`);
      const rest = restOf(run);
      if (rest) {
        await transaction.conclude(saveRun(transaction, run));
        return { after: run, state: rest, isNew: false };
      }
      const rows = await stepsOfRun(transaction, runPid);
      const context = new RunContext(definition, run, (keys) => outputsOf(transaction, runPid, keys));
      const now = new Date(run.now);
      const walk = new RunWalk(definition, context, rows, { ending: run.ending, error: run.error, now });
      await walk.walk();
      const isWaiting = walk.calls.length === 0 && !walk.ending && hasWaiting(rows, walk);
      const status = walk.ended ? (walk.ending ?? 'SUCCEEDED') : isWaiting ? 'WAITING' : 'RUNNING';
      const after: RunRow = {
        ...run,
        status,
        ending: walk.ending,
        error: walk.ending ? (walk.error ?? unknownError(run)) : null,
        started_at: run.started_at ?? run.now,
        finished_at: walk.ended ? run.now : null,
      };
      const saved = saveSteps(transaction, run, [...walk.changes.values()]);
      await transaction.conclude(Promise.all([saved, saveRun(transaction, after)]));
      const waitMs = walk.dueAt === null ? LOOK_EVERY_MS : Math.max(1, walk.dueAt - now.getTime());
      const state = { status, ended: walk.ended, steps: walk.calls, waitMs: Math.min(waitMs, LOOK_EVERY_MS) };
      return { after, state, isNew: walk.ended };
    });
    const { after, isNew } = result;
    if (isNew) this.#hasEnded(after);
    return result;
  }

  /** What is told late is told by the next look; the end is insisted on. */
  async #tell(run: RunRow, definition: Definition, ended: boolean): Promise<void> {
    try {
      await this.#stream.tell(run, definition, ended);
    } catch (error) {
      if (ended) throw error;
      this.#logger.debug({ err: error, runPid: run.pid }, "a run's stream is told later");
    }
  }
}

function hasWaiting(rows: readonly { key: string; status: string }[], { changes }: RunWalk): boolean {
  const now = new Map([...rows.map(({ key, status }) => [key, status] as const)]);
  for (const [key, { status }] of changes) now.set(key, status);
  return [...now.values()].includes('WAITING');
}

function unknownError({ trace_id: traceId }: RunRow) {
  return toStoredError(new ApplicationError('INTERNAL_ERROR', { data: { traceId } }));
}
