import type { RunState } from '../../../../../workflows/contracts.ts';
import type { Database, Transaction } from '../../../../foundation/database/pool.ts';
import { ApplicationError, conflict } from '../../../../foundation/errors/application-error.ts';
import { toStoredError } from '../../../../foundation/errors/failure.ts';
import { endlessError, type RepeatedStarts } from '../../../../foundation/jobs/repeated-starts.ts';
import type { Logger } from '../../../../foundation/logging/logger.ts';
import { withTrace } from '../../../../foundation/logging/trace.ts';
import type { Counter, Metrics } from '../../../../foundation/metrics/metrics.ts';
import type { FindMember } from '../../../../platform/auth/accounts/member.ts';
import type { Snapshot } from '../../../../platform/metadata/snapshot/snapshot.ts';
import type { SnapshotCache } from '../../../../platform/metadata/snapshot/snapshot-cache.ts';
import type { Definition } from '../../definition/definition.ts';
import type { Definitions } from '../values/definitions.ts';
import type { RunStatus } from '../rows/automation-run.entity.ts';
import { RunContext } from '../values/run-context.ts';
import { RunSources } from '../values/run-sources.ts';
import { RunInterpreter } from './run-interpreter.ts';
import { lockRun, markForSignal, saveRun, type LockedRun, type RunRow, type SignalTarget } from '../rows/run-store.ts';
import type { RunStream } from '../show/run-stream.ts';
import type { RunDataCache } from '../values/run-data-cache.ts';
import { cancelSteps, markSteps, nextUndoable, openSteps, saveSteps, stepsByKeys } from '../rows/step-store.ts';

/** A waiting run's workflow wakes after this time in case a signal got lost. */
const LOOK_EVERY_MS = 3_600_000;
/** A suspended tenant's run checks at this interval whether the tenant is active again. */
const SUSPENDED_LOOK_EVERY_MS = 60_000;

const RUN_ENDS: ReadonlySet<RunStatus> = new Set(['SUCCEEDED', 'FAILED', 'CANCELLED']);

const GONE: RunState = { status: 'CANCELLED', ended: true, steps: [], waitMs: LOOK_EVERY_MS };

export function hasEnded({ status }: Pick<RunRow, 'status'>): boolean {
  return RUN_ENDS.has(status);
}

interface Advanced {
  readonly run: RunRow;
  readonly state: RunState;
}

/** Advances a run up to its next activities, in one transaction, and returns what its workflow does next. */
export class RunAdvancer {
  readonly #database: Database;
  readonly #definitions: Definitions;
  readonly #data: RunDataCache;
  readonly #snapshots: SnapshotCache;
  readonly #stream: RunStream;
  readonly #findMember: FindMember;
  readonly #starts: RepeatedStarts;
  readonly #logger: Logger;
  readonly #runs: Counter<'automation' | 'outcome'>;

  constructor(
    database: Database,
    definitions: Definitions,
    data: RunDataCache,
    snapshots: SnapshotCache,
    stream: RunStream,
    findMember: FindMember,
    starts: RepeatedStarts,
    metrics: Metrics,
    logger: Logger,
  ) {
    this.#database = database;
    this.#definitions = definitions;
    this.#data = data;
    this.#snapshots = snapshots;
    this.#stream = stream;
    this.#findMember = findMember;
    this.#starts = starts;
    this.#logger = logger;
    const labels = ['automation', 'outcome'] as const;
    this.#runs = metrics.counter('automation_runs_total', 'Runs of automations, by how they ended', [...labels]);
  }

  /** @throws a transient fault */
  async advance(runPid: string): Promise<RunState> {
    // Nothing tells a repeat: a worker that dies leaves no trace in the workflow's history.
    const isExhausted = await this.#starts.isExhausted(runPid).catch(() => false);
    try {
      if (isExhausted) await this.#putAside(runPid);
      return await this.#advanceAndPublish(runPid);
    } finally {
      void this.#starts.forget([runPid]);
    }
  }

  async #advanceAndPublish(runPid: string): Promise<RunState> {
    const found = await this.#data.findRun(this.#database, runPid);
    if (!found) return GONE;
    return withTrace(found.traceId, async () => {
      const definition = await this.#definitions.of(found);
      const metadata = await this.#snapshots.current(found.environment);
      const { run, state } = await this.#advance(found, definition, metadata);
      await this.#publish(run, state.ended);
      return state;
    });
  }

  /**
   * Fails a run whose workflow an operator has terminated, without compensation. A retry continues from
   * there.
   * @returns the run to signal: its workflow publishes the end
   */
  async terminate(runPid: string, comment: string | null): Promise<SignalTarget[]> {
    const error = conflict('TERMINATED', 'An operator terminated the run in Temporal', { comment });
    return this.#changeOpenRun(runPid, (transaction, run) => this.#break(transaction, run, error));
  }

  /** Fails a run whose advance was started three times and never ended. */
  async #putAside(runPid: string): Promise<void> {
    await this.#changeOpenRun(runPid, (transaction, run) => this.#break(transaction, run, endlessError(run.traceId)));
  }

  async #break(transaction: Transaction, run: LockedRun, cause: ApplicationError): Promise<void> {
    await cancelSteps(transaction, run.pid);
    const error = toStoredError(cause);
    const status = run.ending ?? 'FAILED';
    await saveRun(transaction, { ...run, status, ending: status, error, finishedAt: run.now });
    this.#reportEnd({ ...run, status, error });
  }

  /** Cancels a run whose workflow an operator has cancelled. @returns the run to signal */
  async cancel(runPid: string): Promise<SignalTarget[]> {
    return this.#changeOpenRun(runPid, async (transaction, run) => {
      if (run.ending) return;
      const error = toStoredError(conflict('CANCELLED', 'An operator cancelled the run in Temporal'));
      await saveRun(transaction, { ...run, ending: 'CANCELLED', error });
    });
  }

  async #changeOpenRun(
    runPid: string,
    change: (transaction: Transaction, run: LockedRun) => Promise<void>,
  ): Promise<SignalTarget[]> {
    const known = await this.#data.findRun(this.#database, runPid);
    if (!known) return [];
    return this.#database.transaction(async (transaction) => {
      const run = await lockRun(transaction, known);
      if (!run || hasEnded(run)) return [];
      await change(transaction, run);
      return markForSignal(transaction, [runPid]);
    });
  }

  #reportEnd({ pid: runPid, automationCode: automation, status, error }: RunRow): void {
    this.#runs.inc({ automation, outcome: status.toLowerCase() });
    this.#logger.info({ runPid, automation, status, code: error?.code }, 'a run has ended');
  }

  async #advance(known: RunRow, definition: Definition, metadata: Snapshot): Promise<Advanced> {
    const { pid: runPid } = known;
    const { hasEndedNow, ...advanced } = await this.#database.transaction(async (transaction) => {
      const run = await lockRun(transaction, known);
      if (!run) throw new Error(`the run ${runPid} has gone`);
      const idle = idleState(run);
      if (idle) {
        await transaction.conclude(saveRun(transaction, run));
        return { run, state: idle, hasEndedNow: false };
      }
      const sources = RunSources.of(definition, run, metadata);
      const load = (keys: readonly string[]) => this.#data.outputsOf(transaction, run, keys);
      const context = new RunContext(definition, run, load, sources);
      const interpreter = new RunInterpreter(definition, context, await openSteps(transaction, runPid), {
        ...run,
        now: new Date(run.now),
        findMember: (pidOrEmail) => this.#findMember(run.tenantId, pidOrEmail),
        stored: {
          byKeys: (keys) => stepsByKeys(transaction, runPid, keys),
          nextUndoable: () => nextUndoable(transaction, runPid),
        },
      });
      await interpreter.interpret();
      const advanced = advancedBy(interpreter, run);
      const saved = [
        saveSteps(transaction, run, [...interpreter.changes.values()]),
        markSteps(transaction, runPid, interpreter.marks),
      ];
      // A retry that ended early leaves items that it has not come to again.
      if (interpreter.ended && run.retries > 0) saved.push(cancelSteps(transaction, runPid));
      await transaction.conclude(Promise.all([...saved, saveRun(transaction, advanced.run)]));
      return { ...advanced, hasEndedNow: interpreter.ended };
    });
    if (hasEndedNow) this.#reportEnd(advanced.run);
    return advanced;
  }

  /** Publishes the run's state. A fault is left to the next look, but for the end, which has none. */
  async #publish(run: RunRow, ended: boolean): Promise<void> {
    try {
      await this.#stream.publish(run, ended);
    } catch (error) {
      if (ended) throw error;
      this.#logger.debug({ err: error, runPid: run.pid }, "a run's stream is written later");
    }
  }
}

/** The answer where there is nothing to advance; null where there is. */
function idleState(run: LockedRun): RunState | null {
  if (hasEnded(run)) return { ...GONE, status: run.status };
  // An ending run continues: compensations run even for a suspended tenant.
  const isPaused = run.tenantSuspended && !run.ending;
  return isPaused ? { ...GONE, status: run.status, ended: false, waitMs: SUSPENDED_LOOK_EVERY_MS } : null;
}

function advancedBy(interpreter: RunInterpreter, run: LockedRun): Advanced {
  const { ending, ended, error, calls, dueAt, items, newlySettled } = interpreter;
  const openStatus = interpreter.isWaiting() ? 'WAITING' : 'RUNNING';
  const status = ended ? (ending ?? 'SUCCEEDED') : openStatus;
  const untilDueMs = dueAt === null ? LOOK_EVERY_MS : Math.max(1, dueAt - Date.parse(run.now));
  const waitMs = interpreter.hasMore ? 1 : untilDueMs;
  return {
    run: {
      ...run,
      status,
      ending,
      error: ending ? (error ?? unknownError(run)) : null,
      startedAt: run.startedAt ?? run.now,
      finishedAt: ended ? run.now : null,
      settledSteps: run.settledSteps + newlySettled,
      items,
    },
    state: { status, ended, steps: calls, waitMs: Math.min(waitMs, LOOK_EVERY_MS) },
  };
}

function unknownError({ traceId }: RunRow) {
  return toStoredError(new ApplicationError('INTERNAL_ERROR', { data: { traceId } }));
}
