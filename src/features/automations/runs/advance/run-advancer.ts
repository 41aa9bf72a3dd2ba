import type { RunState } from '../../../../../workflows/contracts.ts';
import type { Database, Transaction } from '../../../../foundation/database/pool.ts';
import { ApplicationError, conflict } from '../../../../foundation/errors/application-error.ts';
import { toStoredError } from '../../../../foundation/errors/failure.ts';
import { endlessError, type RepeatedStarts } from '../../../../foundation/jobs/repeated-starts.ts';
import type { Logger } from '../../../../foundation/logging/logger.ts';
import { withLogContext } from '../../../../foundation/logging/trace.ts';
import type { Counter, Metrics } from '../../../../foundation/metrics/metrics.ts';
import type { FindMember } from '../../../../platform/auth/accounts/member.ts';
import type { Snapshot } from '../../../../platform/metadata/snapshot/snapshot.ts';
import type { SnapshotCache } from '../../../../platform/metadata/snapshot/snapshot-cache.ts';
import type { Definition } from '../../definition/definition.ts';
import type { Definitions } from '../values/definitions.ts';
import { RunContext } from '../values/run-context.ts';
import { RunValueOrigins } from '../values/run-value-origins.ts';
import { RunInterpreter } from './run-interpreter.ts';
import { MAX_RUN_SLEEP_MS, SUSPENDED_RUN_CHECK_MS } from '../../automations.limits.ts';
import {
  hasRunEnded,
  lockRun,
  markForSignal,
  saveRun,
  type LockedRun,
  type RunRow,
  type SignalTarget,
} from '../rows/run-store.ts';
import type { RunStream } from '../show/run-stream.ts';
import type { RunDataCache } from '../values/run-data-cache.ts';
import { cancelSteps, markSteps, nextUndoable, openSteps, saveSteps, stepsByKeys } from '../rows/step-store.ts';

/** The state of a run that has been deleted. */
const DELETED: RunState = { status: 'CANCELLED', ended: true, steps: [], waitMs: MAX_RUN_SLEEP_MS };

export interface RunAdvancerParts {
  readonly database: Database;
  readonly definitions: Definitions;
  readonly data: RunDataCache;
  readonly snapshots: SnapshotCache;
  readonly stream: RunStream;
  readonly findMember: FindMember;
  /** Counts the starts of advances that never ended. */
  readonly starts: RepeatedStarts;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

interface Advanced {
  readonly run: RunRow;
  readonly state: RunState;
  /** Whether it ended by this advance. */
  readonly endedNow: boolean;
}

/** Advances a run up to its next activities, in one transaction, and returns what its workflow does next. */
export class RunAdvancer {
  readonly #parts: RunAdvancerParts;
  readonly #endedRuns: Counter<'automation' | 'outcome'>;

  constructor(parts: RunAdvancerParts) {
    this.#parts = parts;
    const labels = ['automation', 'outcome'] as const;
    this.#endedRuns = parts.metrics.counter('automation_runs_total', 'Runs of automations, by how they ended', [
      ...labels,
    ]);
  }

  /** @throws a transient fault */
  async advance(runPid: string): Promise<RunState> {
    const { starts } = this.#parts;
    // The first start counts: a worker that dies leaves no trace in the workflow's history.
    const isExhausted = await starts.isExhausted(runPid).catch(() => false);
    try {
      if (isExhausted) await this.#failExhausted(runPid);
      return await this.#advanceAndPublish(runPid);
    } finally {
      void starts.forget([runPid]);
    }
  }

  /**
   * Fails a run whose workflow an operator has terminated, without compensation. A retry continues from
   * there.
   * @returns the run to signal: its workflow publishes the end
   */
  async terminate(runPid: string, comment: string | null): Promise<SignalTarget[]> {
    const error = conflict('TERMINATED', 'An operator terminated the run in Temporal', { comment });
    return this.#changeOpenRun(runPid, (transaction, run) => this.#failAtOnce(transaction, run, error));
  }

  /** Cancels a run whose workflow an operator has cancelled. @returns the run to signal */
  async cancel(runPid: string): Promise<SignalTarget[]> {
    return this.#changeOpenRun(runPid, async (transaction, run) => {
      if (run.ending) return;
      const error = toStoredError(conflict('CANCELLED', 'An operator cancelled the run in Temporal'));
      await saveRun(transaction, { ...run, ending: 'CANCELLED', error });
    });
  }

  async #advanceAndPublish(runPid: string): Promise<RunState> {
    const { database, data, definitions, snapshots } = this.#parts;
    const found = await data.findRun(database, runPid);
    if (!found) return DELETED;
    return withLogContext(found, async () => {
      const definition = await definitions.of(found);
      const metadata = await snapshots.current(found.environment);
      const { run, state, endedNow } = await database.transaction((transaction) =>
        this.#advanceIn(transaction, found, definition, metadata),
      );
      if (endedNow) this.#reportEnd(run);
      await this.#publish(run, state.ended);
      return state;
    });
  }

  async #advanceIn(
    transaction: Transaction,
    known: RunRow,
    definition: Definition,
    metadata: Snapshot,
  ): Promise<Advanced> {
    const run = await lockRun(transaction, known);
    if (!run) throw new Error(`the run ${known.pid} has gone`);
    const idle = idleState(run);
    if (idle) {
      await transaction.conclude(saveRun(transaction, run));
      return { run, state: idle, endedNow: false };
    }
    const interpreter = await this.#interpreterOf(transaction, run, definition, metadata);
    await interpreter.interpret();
    const advanced = advancedBy(interpreter, run);
    const saved = [
      saveSteps(transaction, run, [...interpreter.changes.values()]),
      markSteps(transaction, run.pid, interpreter.marks),
    ];
    // A retry that ended early leaves items that it has not come to again.
    if (interpreter.ended && run.retries > 0) saved.push(cancelSteps(transaction, run.pid));
    await transaction.conclude(Promise.all([...saved, saveRun(transaction, advanced.run)]));
    return advanced;
  }

  async #interpreterOf(
    transaction: Transaction,
    run: LockedRun,
    definition: Definition,
    metadata: Snapshot,
  ): Promise<RunInterpreter> {
    const { data, findMember } = this.#parts;
    const { pid, tenantId } = run;
    const origins = RunValueOrigins.ofRun(definition, run, metadata);
    const context = new RunContext(definition, run, (keys) => data.outputsOf(transaction, run, keys), origins);
    return new RunInterpreter(definition, context, await openSteps(transaction, pid), {
      ...run,
      now: new Date(run.now),
      findMember: (pidOrEmail) => findMember(tenantId, pidOrEmail),
      stored: {
        byKeys: (keys) => stepsByKeys(transaction, pid, keys),
        nextUndoable: () => nextUndoable(transaction, pid),
      },
    });
  }

  /** Publishes the run's state. A fault is left to the next advance, but for the end, which has none. */
  async #publish(run: RunRow, ended: boolean): Promise<void> {
    const { stream, logger } = this.#parts;
    try {
      await stream.publish(run, ended);
    } catch (error) {
      if (ended) throw error;
      logger.debug({ err: error, runPid: run.pid }, "a run's stream is written later");
    }
  }

  /** Fails a run whose advance was started three times and never ended. */
  async #failExhausted(runPid: string): Promise<void> {
    await this.#changeOpenRun(runPid, (transaction, run) =>
      this.#failAtOnce(transaction, run, endlessError(run.traceId)),
    );
  }

  /** Fails a run without compensation. */
  async #failAtOnce(transaction: Transaction, run: LockedRun, cause: ApplicationError): Promise<void> {
    await cancelSteps(transaction, run.pid);
    const error = toStoredError(cause);
    const status = run.ending ?? 'FAILED';
    await saveRun(transaction, { ...run, status, ending: status, error, finishedAt: run.now });
    this.#reportEnd({ ...run, status, error });
  }

  async #changeOpenRun(
    runPid: string,
    change: (transaction: Transaction, run: LockedRun) => Promise<void>,
  ): Promise<SignalTarget[]> {
    const { database, data } = this.#parts;
    const known = await data.findRun(database, runPid);
    if (!known) return [];
    return database.transaction(async (transaction) => {
      const run = await lockRun(transaction, known);
      if (!run || hasRunEnded(run)) return [];
      await change(transaction, run);
      return markForSignal(transaction, [runPid]);
    });
  }

  #reportEnd({ pid: runPid, automationCode: automation, status, error }: RunRow): void {
    this.#endedRuns.inc({ automation, outcome: status.toLowerCase() });
    this.#parts.logger.info({ runPid, automation, status, code: error?.code }, 'a run has ended');
  }
}

/** The state of a run that is not to be advanced; null if it is. */
function idleState(run: LockedRun): RunState | null {
  if (hasRunEnded(run)) return { ...DELETED, status: run.status };
  // An ending run continues: compensations run even for a suspended tenant.
  const isPaused = run.tenantSuspended && !run.ending;
  return isPaused ? { ...DELETED, status: run.status, ended: false, waitMs: SUSPENDED_RUN_CHECK_MS } : null;
}

function advancedBy(interpreter: RunInterpreter, run: LockedRun): Advanced {
  const { ending, ended, error, calls, dueAt, items, newlySettled } = interpreter;
  const openStatus = interpreter.isWaiting ? 'WAITING' : 'RUNNING';
  const status = ended ? (ending ?? 'SUCCEEDED') : openStatus;
  const untilDueMs = dueAt === null ? MAX_RUN_SLEEP_MS : Math.max(1, dueAt - Date.parse(run.now));
  const waitMs = interpreter.hasMoreItems ? 1 : untilDueMs;
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
    state: { status, ended, steps: calls, waitMs: Math.min(waitMs, MAX_RUN_SLEEP_MS) },
    endedNow: ended,
  };
}

function unknownError({ traceId }: RunRow) {
  return toStoredError(new ApplicationError('INTERNAL_ERROR', { data: { traceId } }));
}
