import type { StepCall } from '../../../../../workflows/contracts.ts';
import { ApplicationError } from '../../../../foundation/errors/application-error.ts';
import { toStoredError, type StoredError } from '../../../../foundation/errors/failure.ts';
import { inTurn } from '../../../../foundation/jobs/turns.ts';
import { COMPENSATION, compensationKey, stepKey, type Definition } from '../../definition/definition.ts';
import { StepExpressions } from '../../steps/step-expressions.ts';
import { STOPPED, type BlockResult, type StepStart, type StepTransition } from '../../steps/step-kind.ts';
import type { AnyStep } from '../../steps/step-schema.ts';
import { attemptTimeoutMs, isActivity, kindOf } from '../../steps/step-kinds.ts';
import type { RunContext } from '../values/run-context.ts';
import type { RunRow } from '../rows/run-store.ts';
import { ItemWalk, type WalkScope } from './item-walk.ts';
import { hasStepEnded, StepRows } from '../rows/step-rows.ts';
import type { StepChange, StepMark, StepRow } from '../rows/step-store.ts';
import { COMPENSATION_TIMEOUT_MS, MAX_RUN_ITEMS } from '../../automations.limits.ts';

/** The columns of a run that the interpreter reads. */
export interface RunProgress extends Pick<RunRow, 'ending' | 'error' | 'items' | 'retries'> {
  readonly findMember: StepStart['findMember'];
  readonly now: Date;
  readonly stored: StoredSteps;
}

/** Steps that are read when they are needed. */
export interface StoredSteps {
  byKeys(keys: readonly string[]): Promise<readonly StepRow[]>;
  /** The step that succeeded last of those that can be undone. */
  nextUndoable(): Promise<StepRow | null>;
}

/**
 * Interprets a run's definition over the rows of its steps: takes every step that needs no activity, begins
 * those that are next, and lists the activities to call. It changes rows in memory only.
 */
export class RunInterpreter {
  readonly #definition: Definition;
  readonly #context: RunContext;
  readonly #rows: StepRows;
  readonly #progress: RunProgress;
  readonly #scope: WalkScope;
  readonly calls: StepCall[] = [];
  ending: RunRow['ending'];
  error: StoredError | null;
  items: number;
  /** When to look at the run again without a signal, in milliseconds since 1970. */
  dueAt: number | null = null;
  ended = false;
  /** There is more to begin than one advance takes. */
  hasMore = false;

  /** @param rows those that are not settled, or under way */
  constructor(definition: Definition, context: RunContext, rows: readonly StepRow[], progress: RunProgress) {
    this.#definition = definition;
    this.#context = context;
    this.#rows = new StepRows(definition, rows);
    this.#progress = progress;
    this.ending = progress.ending;
    this.error = progress.error;
    this.items = progress.items;
    this.#scope = {
      definition,
      rows: this.#rows,
      begun: 0,
      readRows: progress.retries === 0 ? null : (keys) => progress.stored.byKeys(keys),
      runBlock: (steps, iteration) => this.#runBlock(steps, iteration),
      cancel: (row) => this.#cancel(row),
    };
  }

  get changes(): ReadonlyMap<string, StepChange> {
    return this.#rows.changes;
  }

  get marks(): ReadonlyMap<string, StepMark> {
    return this.#rows.marks;
  }

  get newlySettled(): number {
    return this.#rows.newlySettled;
  }

  async interpret(): Promise<void> {
    this.#cancelStrays();
    if (!this.ending) {
      const result = await this.#runBlock(this.#definition.content.steps, []);
      if (result.outcome === 'failed') {
        this.ending = 'FAILED';
        this.error = result.error;
      } else this.ended = result.outcome !== 'active';
    }
    if (this.ending) await this.#compensate();
  }

  isWaiting(): boolean {
    if (this.calls.length > 0 || this.ending || this.hasMore) return false;
    return this.#rows.all().some(({ status }) => status === 'WAITING');
  }

  /** Cancels steps of an attempt that ended after its item. */
  #cancelStrays(): void {
    for (const row of this.#rows.all()) {
      if (row.settled && row.type !== COMPENSATION && row.status !== 'RUNNING') this.#cancel(row);
    }
  }

  async #runBlock(steps: readonly AnyStep[], iteration: readonly number[]): Promise<BlockResult> {
    for (const step of steps) {
      const result = await this.#runStep(step, iteration);
      if (result.outcome !== 'done') return result;
    }
    return { outcome: 'done' };
  }

  async #runStep(step: AnyStep, iteration: readonly number[]): Promise<BlockResult> {
    const key = stepKey(step.id, iteration);
    let row = this.#rows.get(key);
    try {
      if (!row || row.status === 'PENDING') row = await this.#begin(step, key, iteration);
      if (!hasStepEnded(row)) row = await this.#resume(step, row);
    } catch (error) {
      if (!(error instanceof ApplicationError)) throw error;
      row = this.#fail(this.#rows.get(key) ?? this.#newRow(step, key, iteration), toStoredError(error));
    }
    if (row.status === 'FAILED' && step.onError === 'continue') return { outcome: 'done' };
    if (row.status === 'FAILED' || row.status === 'CANCELLED') {
      // The error of a step within this one names that step already.
      const place = { step: row.key, type: row.type, path: this.#definition.step(step.id).path };
      return { outcome: 'failed', error: row.error && { ...row.error, data: { ...place, ...row.error.data } } };
    }
    if (!hasStepEnded(row)) return { outcome: 'active' };
    return { outcome: row.status === 'SUCCEEDED' && row.control === STOPPED ? 'stopped' : 'done' };
  }

  async #begin(step: AnyStep, key: string, iteration: readonly number[]): Promise<StepRow> {
    const row = this.#newRow(step, key, iteration);
    const kind = kindOf(step);
    const before = this.#rows.get(key);
    // A step with blocks keeps what it has decided, so items that are done stay done.
    if (before && before.control !== null && !isActivity(kind) && kind.runBlocks) {
      const { control, startedAt } = before;
      return this.#change({ ...row, control, startedAt: startedAt ?? row.startedAt }, {});
    }
    const expressions = new StepExpressions(key, await this.#context.at(step.id, iteration));
    const { when } = step;
    if (when !== undefined && (await inTurn(() => expressions.evaluate(when, 'when'))) !== true) {
      return this.#change(row, { status: 'SKIPPED' });
    }
    if (isActivity(kind)) return this.#change({ ...row, attempt: 1 }, {});
    const { now, findMember } = this.#progress;
    const itemsLeft = MAX_RUN_ITEMS - this.items;
    const begun = await inTurn(() => kind.begin(step, { expressions, now, findMember, itemsLeft }));
    if (kind.isLoop) this.items += begun.control ?? 0;
    return this.#change(row, begun);
  }

  /** Advances a started step. */
  async #resume(step: AnyStep, row: StepRow): Promise<StepRow> {
    const kind = kindOf(step);
    if (isActivity(kind)) return this.#attempt(row, attemptTimeoutMs(kind, step));
    if (!kind.runBlocks) return kind.expire && this.#isDue(row) ? this.#change(row, kind.expire(step, row)) : row;
    const walk = new ItemWalk(this.#scope, row);
    const result = await kind.runBlocks(step, row, walk);
    const { nextItem } = walk;
    if (result.outcome === 'active') {
      this.hasMore ||= walk.wasCut;
      return nextItem === row.nextItem ? row : this.#change({ ...row, nextItem }, {});
    }
    if (result.outcome === 'failed') {
      walk.abandon();
      return this.#fail({ ...row, nextItem }, result.error);
    }
    const control = result.outcome === 'stopped' ? STOPPED : row.control;
    return this.#change({ ...row, nextItem }, { status: 'SUCCEEDED', control });
  }

  /** Calls the activity of a step's attempt, the next one where it is due. */
  #attempt(row: StepRow, timeoutMs: number): StepRow {
    let current = row;
    if (row.status === 'RETRYING') {
      if (!this.#isDue(row)) return row;
      current = this.#change({ ...row, attempt: row.attempt + 1 }, { status: 'RUNNING', dueAt: null, error: null });
    }
    this.calls.push({ key: current.key, attempt: current.attempt, timeoutMs });
    return current;
  }

  /**
   * Ends the run: begins nothing, lets attempts end, then undoes what succeeded, one step at a time, the last
   * one first.
   */
  async #compensate(): Promise<void> {
    for (const row of this.#rows.all()) {
      if (row.type !== COMPENSATION && ['WAITING', 'RETRYING', 'PENDING'].includes(row.status)) this.#cancel(row);
    }
    if (this.#resumeAttempts() || this.#resumeCompensation()) return;
    const next = await this.#progress.stored.nextUndoable();
    if (next) return this.#beginCompensation(next);
    for (const row of this.#rows.all()) if (row.status === 'RUNNING') this.#cancel(row);
    this.ended = true;
  }

  /** Whether attempts are under way. */
  #resumeAttempts(): boolean {
    let isUnderWay = false;
    for (const row of this.#rows.all()) {
      if (row.type === COMPENSATION || row.status !== 'RUNNING') continue;
      const { step } = this.#definition.step(row.stepId);
      const kind = kindOf(step);
      if (!isActivity(kind)) continue;
      this.#attempt(row, attemptTimeoutMs(kind, step));
      isUnderWay = true;
    }
    return isUnderWay;
  }

  /** Whether a compensation is under way. */
  #resumeCompensation(): boolean {
    const current = this.#rows.all().find((row) => row.type === COMPENSATION && !hasStepEnded(row));
    if (current) this.#attempt(current, COMPENSATION_TIMEOUT_MS);
    return current !== undefined;
  }

  #beginCompensation(undone: StepRow): void {
    this.#rows.mark(undone, { undoable: false });
    const fresh = {
      attempt: 1,
      control: null,
      error: null,
      finishedAt: null,
      settled: true,
      undoable: false,
      startedAt: this.#progress.now.toISOString(),
    };
    const row = { ...undone, ...fresh, key: compensationKey(undone.key), type: COMPENSATION };
    this.#attempt(this.#change(row, { status: 'RUNNING' }), COMPENSATION_TIMEOUT_MS);
  }

  #cancel(row: StepRow): void {
    this.#change(row, { status: 'CANCELLED', dueAt: null });
  }

  #fail(row: StepRow, error: StoredError | null): StepRow {
    return this.#change(row, { status: 'FAILED', error });
  }

  #change(row: StepRow, { output, ...transition }: StepTransition): StepRow {
    const changed = { ...row, ...transition };
    const ended = hasStepEnded(changed);
    const final = ended ? { ...changed, waitFor: null, finishedAt: this.#progress.now.toISOString() } : changed;
    this.#rows.change(final, output);
    if (output !== undefined) this.#context.put(row.key, output);
    return final;
  }

  #newRow(step: AnyStep, key: string, iteration: readonly number[]): StepRow {
    return {
      key,
      stepId: step.id,
      iteration,
      type: step.type,
      status: 'RUNNING',
      attempt: 0,
      control: null,
      nextItem: 0,
      settled: false,
      undoable: false,
      round: this.#rows.get(key)?.round ?? 0,
      error: null,
      dueAt: null,
      waitFor: null,
      waitCorrelation: null,
      approverRole: null,
      approverUser: null,
      startedAt: this.#progress.now.toISOString(),
      finishedAt: null,
    };
  }

  /** Whether a step's time has come; if not, the run is looked at again then. */
  #isDue({ dueAt }: StepRow): boolean {
    const at = dueAt === null ? 0 : Date.parse(dueAt);
    if (at <= this.#progress.now.getTime()) return true;
    this.dueAt = Math.min(this.dueAt ?? at, at);
    return false;
  }
}
