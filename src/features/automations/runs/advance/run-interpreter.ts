import type { StepCall } from '../../../../../workflows/contracts.ts';
import { ApplicationError } from '../../../../foundation/errors/application-error.ts';
import { toStoredError, type StoredError } from '../../../../foundation/errors/failure.ts';
import { inTurn } from '../../../../foundation/jobs/turns.ts';
import { COMPENSATION, compensationKey, stepKey, type Definition } from '../../definition/definition.ts';
import { StepExpressions } from '../../steps/step-expressions.ts';
import { STOPPED, type BlockResult, type ControlStepKind, type StepStart } from '../../steps/step-kind.ts';
import type { AnyStep } from '../../steps/step-schema.ts';
import { attemptTimeoutMs, isActivity, kindOf } from '../../steps/step-kinds.ts';
import type { RunContext } from '../values/run-context.ts';
import type { RunRow } from '../rows/run-store.ts';
import { InnerBlocks, type Advance } from './inner-blocks.ts';
import { hasStepEnded, StepRows, type StepChange } from '../rows/step-rows.ts';
import type { StepMark, StepRow, StepToSave } from '../rows/step-store.ts';
import { COMPENSATION_TIMEOUT_MS, MAX_RUN_ITEMS } from '../../automations.limits.ts';

/** What an advance needs to know of its run. */
export interface RunProgress extends Pick<RunRow, 'ending' | 'error' | 'items' | 'retries'> {
  readonly findMember: StepStart['findMember'];
  readonly now: Date;
  readonly stored: StoredSteps;
}

/** Steps that are read only when they are needed. */
export interface StoredSteps {
  byKeys(keys: readonly string[]): Promise<readonly StepRow[]>;
  /** The step that succeeded last of those that can be undone. */
  nextUndoable(): Promise<StepRow | null>;
}

/**
 * Advances a run in memory, by the definition and the rows of its steps: takes every step that needs no
 * activity, and lists the activities to call for the others. The caller stores the changes.
 *
 * A block is a list of steps, which run one after the other. Branches and loops run the blocks within them.
 */
export class RunInterpreter {
  readonly #definition: Definition;
  readonly #context: RunContext;
  readonly #rows: StepRows;
  readonly #progress: RunProgress;
  readonly #advance: Advance;
  readonly calls: StepCall[] = [];
  /** FAILED or CANCELLED as soon as the run is to end that way; its compensations come first. */
  ending: RunRow['ending'];
  error: StoredError | null;
  items: number;
  /** When the next step is due without a signal, in milliseconds since 1970. */
  dueAt: number | null = null;
  ended = false;
  /** Whether this advance has begun as many items as it may, and others are left. */
  hasMoreItems = false;

  /** @param rows the steps that are not settled, or under way */
  constructor(definition: Definition, context: RunContext, rows: readonly StepRow[], progress: RunProgress) {
    this.#definition = definition;
    this.#context = context;
    this.#rows = new StepRows(definition, rows, progress.now);
    this.#progress = progress;
    this.ending = progress.ending;
    this.error = progress.error;
    this.items = progress.items;
    this.#advance = {
      rows: this.#rows,
      itemsBegun: 0,
      readRows: progress.retries === 0 ? null : (keys) => progress.stored.byKeys(keys),
      runBlock: (steps, iteration) => this.#runBlock(steps, iteration),
    };
  }

  get changes(): ReadonlyMap<string, StepToSave> {
    return this.#rows.changes;
  }

  get marks(): ReadonlyMap<string, StepMark> {
    return this.#rows.marks;
  }

  get newlySettled(): number {
    return this.#rows.newlySettled;
  }

  /** Whether nothing happens before a time, an event or a decision. */
  get isWaiting(): boolean {
    if (this.calls.length > 0 || this.ending || this.hasMoreItems) return false;
    return this.#rows.all().some(({ status }) => status === 'WAITING');
  }

  async interpret(): Promise<void> {
    this.#cancelSettledAttempts();
    if (!this.ending) await this.#runSteps();
    if (this.ending) await this.#compensate();
  }

  /** Cancels steps whose last attempt ended after their item had. */
  #cancelSettledAttempts(): void {
    for (const row of this.#rows.all()) {
      if (row.settled && row.type !== COMPENSATION && row.status !== 'RUNNING') this.#rows.cancel(row);
    }
  }

  async #runSteps(): Promise<void> {
    const result = await this.#runBlock(this.#definition.content.steps, []);
    if (result.outcome === 'failed') {
      this.ending = 'FAILED';
      this.error = result.error;
    } else {
      this.ended = result.outcome !== 'active';
    }
  }

  async #runBlock(steps: readonly AnyStep[], iteration: readonly number[]): Promise<BlockResult> {
    for (const step of steps) {
      const row = await this.#runStep(step, iteration);
      const result = this.#resultOf(step, row);
      if (result.outcome !== 'done') return result;
    }
    return { outcome: 'done' };
  }

  /** Takes a step as far as it gets. An error of the application fails it. */
  async #runStep(step: AnyStep, iteration: readonly number[]): Promise<StepRow> {
    const key = stepKey(step.id, iteration);
    try {
      const known = this.#rows.get(key);
      const row = known && known.status !== 'PENDING' ? known : await this.#begin(step, key, iteration);
      return hasStepEnded(row) ? row : await this.#resume(step, row);
    } catch (error) {
      if (!(error instanceof ApplicationError)) throw error;
      const row = this.#rows.get(key) ?? this.#newRow(step, key, iteration);
      return this.#change(row, { status: 'FAILED', error: toStoredError(error) });
    }
  }

  /** What a step's state means for the block around it. */
  #resultOf(step: AnyStep, { key, type, status, control, error }: StepRow): BlockResult {
    if (status === 'FAILED' && step.onError === 'continue') return { outcome: 'done' };
    if (status === 'FAILED' || status === 'CANCELLED') {
      // The error of a step within this one names that step already.
      const failedStep = { step: key, type, path: this.#definition.step(step.id).path };
      return { outcome: 'failed', error: error && { ...error, data: { ...failedStep, ...error.data } } };
    }
    if (!hasStepEnded({ status })) return { outcome: 'active' };
    return { outcome: status === 'SUCCEEDED' && control === STOPPED ? 'stopped' : 'done' };
  }

  async #begin(step: AnyStep, key: string, iteration: readonly number[]): Promise<StepRow> {
    const row = this.#newRow(step, key, iteration);
    const kind = kindOf(step);
    const earlier = this.#rows.get(key);
    // A retried step with blocks keeps what it has decided, so items that are done stay done.
    if (earlier && earlier.control !== null && !isActivity(kind) && kind.runBlocks) {
      const { control, startedAt } = earlier;
      return this.#change(row, { control, startedAt: startedAt ?? row.startedAt });
    }
    const expressions = new StepExpressions(key, await this.#context.at(step.id, iteration));
    if (!(await isWanted(step, expressions))) return this.#change(row, { status: 'SKIPPED' });
    return isActivity(kind) ? this.#change(row, { attempt: 1 }) : this.#beginControlStep(kind, step, row, expressions);
  }

  async #beginControlStep(
    kind: ControlStepKind,
    step: AnyStep,
    row: StepRow,
    expressions: StepExpressions,
  ): Promise<StepRow> {
    const { now, findMember } = this.#progress;
    const itemsLeft = MAX_RUN_ITEMS - this.items;
    const transition = await inTurn(() => kind.begin(step, { expressions, now, findMember, itemsLeft }));
    if (kind.list) this.items += transition.control ?? 0;
    return this.#change(row, transition);
  }

  /** Advances a step that has begun. */
  async #resume(step: AnyStep, row: StepRow): Promise<StepRow> {
    const kind = kindOf(step);
    if (isActivity(kind)) return this.#callActivity(row, attemptTimeoutMs(kind, step));
    if (kind.runBlocks) {
      const blocks = new InnerBlocks(this.#advance, this.#definition.step(step.id), row);
      return this.#afterBlocks(row, blocks, await kind.runBlocks(step, row, blocks));
    }
    return kind.expire && this.#isDue(row) ? this.#change(row, kind.expire(step, row)) : row;
  }

  #afterBlocks(row: StepRow, blocks: InnerBlocks, result: BlockResult): StepRow {
    const { nextItem } = blocks;
    if (result.outcome === 'active') {
      this.hasMoreItems ||= blocks.isCutShort;
      return nextItem === row.nextItem ? row : this.#change(row, { nextItem });
    }
    if (result.outcome === 'failed') {
      blocks.cancelItems();
      return this.#change(row, { nextItem, status: 'FAILED', error: result.error });
    }
    const control = result.outcome === 'stopped' ? STOPPED : row.control;
    return this.#change(row, { nextItem, status: 'SUCCEEDED', control });
  }

  /** Calls the activity of a step's attempt; after a failed attempt the next one, once it is due. */
  #callActivity(row: StepRow, timeoutMs: number): StepRow {
    let current = row;
    if (row.status === 'RETRYING') {
      if (!this.#isDue(row)) return row;
      current = this.#change(row, { attempt: row.attempt + 1, status: 'RUNNING', dueAt: null, error: null });
    }
    this.calls.push({ key: current.key, attempt: current.attempt, timeoutMs });
    return current;
  }

  /**
   * Ends the run: begins no step, lets attempts end, then undoes the steps that succeeded, one at a time, the
   * last one first.
   */
  async #compensate(): Promise<void> {
    this.#cancelIdleSteps();
    if (this.#resumeAttempts() || this.#resumeCompensation()) return;
    const undone = await this.#progress.stored.nextUndoable();
    if (undone) return this.#beginCompensation(undone);
    for (const row of this.#rows.all()) if (row.status === 'RUNNING') this.#rows.cancel(row);
    this.ended = true;
  }

  /** Cancels the steps that have no attempt under way. */
  #cancelIdleSteps(): void {
    for (const row of this.#rows.all()) {
      const isIdle = row.status === 'WAITING' || row.status === 'RETRYING' || row.status === 'PENDING';
      if (isIdle && row.type !== COMPENSATION) this.#rows.cancel(row);
    }
  }

  /** @returns whether attempts are under way */
  #resumeAttempts(): boolean {
    let isUnderWay = false;
    for (const row of this.#rows.all()) {
      if (row.type === COMPENSATION || row.status !== 'RUNNING') continue;
      const { step } = this.#definition.step(row.stepId);
      const kind = kindOf(step);
      if (!isActivity(kind)) continue;
      this.#callActivity(row, attemptTimeoutMs(kind, step));
      isUnderWay = true;
    }
    return isUnderWay;
  }

  /** @returns whether a compensation is under way */
  #resumeCompensation(): boolean {
    const current = this.#rows.all().find((row) => row.type === COMPENSATION && !hasStepEnded(row));
    if (current) this.#callActivity(current, COMPENSATION_TIMEOUT_MS);
    return current !== undefined;
  }

  #beginCompensation(undone: StepRow): void {
    this.#rows.mark(undone, { undoable: false });
    const compensation: StepRow = {
      ...undone,
      key: compensationKey(undone.key),
      type: COMPENSATION,
      status: 'RUNNING',
      attempt: 1,
      control: null,
      error: null,
      startedAt: this.#progress.now.toISOString(),
      finishedAt: null,
      settled: true,
      undoable: false,
    };
    this.#callActivity(this.#change(compensation, {}), COMPENSATION_TIMEOUT_MS);
  }

  #change(row: StepRow, change: StepChange): StepRow {
    if (change.output !== undefined) this.#context.put(row.key, change.output);
    return this.#rows.change(row, change);
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

  /** Whether a step's time has come; until then it counts for `dueAt`. */
  #isDue({ dueAt }: StepRow): boolean {
    const at = dueAt === null ? 0 : Date.parse(dueAt);
    if (at <= this.#progress.now.getTime()) return true;
    this.dueAt = Math.min(this.dueAt ?? at, at);
    return false;
  }
}

/** Whether a step's `when` lets it run. */
async function isWanted({ when }: AnyStep, expressions: StepExpressions): Promise<boolean> {
  return when === undefined || inTurn(() => expressions.holds(when, 'when'));
}
