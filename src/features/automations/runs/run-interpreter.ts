import type { StepCall } from '../../../../workflows/contracts.ts';
import { ApplicationError } from '../../../foundation/errors/application-error.ts';
import { toStoredError, type StoredError } from '../../../foundation/errors/failure.ts';
import { COMPENSATION, compensationKey, stepKey, type Definition } from '../definition/definition.ts';
import { StepExpressions } from '../steps/step-expressions.ts';
import { STOPPED, type BlockResult, type StepStart, type StepTransition } from '../steps/step-kind.ts';
import type { AnyStep } from '../steps/step-schema.ts';
import { attemptTimeoutMs, isActivity, kindOf } from '../steps/step-kinds.ts';
import type { RunContext } from './run-context.ts';
import type { RunRow } from './run-store.ts';
import type { StepChange, StepRow } from './step-store.ts';
import { COMPENSATION_TIMEOUT_MS } from '../automations.limits.ts';

const ENDED: ReadonlySet<string> = new Set(['SUCCEEDED', 'FAILED', 'SKIPPED', 'CANCELLED']);

/** What the interpreter needs to know of a run. */
export interface RunProgress extends Pick<RunRow, 'ending' | 'error'>, Pick<StepStart, 'findMember'> {
  readonly now: Date;
}

/**
 * Interprets a run's definition over the rows of its steps: takes every step that needs no activity, begins
 * those that are next, and lists the activities to call. It changes rows in memory only.
 */
export class RunInterpreter {
  readonly #definition: Definition;
  readonly #context: RunContext;
  readonly #rows: Map<string, StepRow>;
  readonly #now: Date;
  readonly #findMember: StepStart['findMember'];
  readonly changes = new Map<string, StepChange>();
  readonly calls: StepCall[] = [];
  ending: RunRow['ending'];
  error: StoredError | null;
  /** When to look at the run again without a signal, in milliseconds since 1970. */
  dueAt: number | null = null;
  ended = false;

  constructor(definition: Definition, context: RunContext, rows: readonly StepRow[], progress: RunProgress) {
    this.#definition = definition;
    this.#context = context;
    this.#rows = new Map(rows.map((row) => [row.key, row]));
    this.#now = progress.now;
    this.#findMember = progress.findMember;
    this.ending = progress.ending;
    this.error = progress.error;
  }

  async interpret(): Promise<void> {
    if (!this.ending) {
      const result = await this.#runBlock(this.#definition.content.steps, []);
      if (result.outcome === 'failed') {
        this.ending = 'FAILED';
        this.error = result.error;
      } else this.ended = result.outcome !== 'active';
    }
    if (this.ending) this.#compensate();
  }

  isWaiting(): boolean {
    const hasWaitingStep = [...this.#rows.values()].some(({ status }) => status === 'WAITING');
    return this.calls.length === 0 && !this.ending && hasWaitingStep;
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
      if (!ENDED.has(row.status)) row = await this.#resume(step, row);
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
    if (!ENDED.has(row.status)) return { outcome: 'active' };
    return { outcome: row.status === 'SUCCEEDED' && row.control === STOPPED ? 'stopped' : 'done' };
  }

  async #begin(step: AnyStep, key: string, iteration: readonly number[]): Promise<StepRow> {
    const row = this.#newRow(step, key, iteration);
    const expressions = new StepExpressions(key, await this.#context.at(step.id, iteration));
    if (step.when !== undefined && expressions.evaluate(step.when, 'when') !== true) {
      return this.#change(row, { status: 'SKIPPED' });
    }
    const kind = kindOf(step);
    if (isActivity(kind)) return this.#change({ ...row, attempt: 1 }, {});
    return this.#change(row, await kind.begin(step, { expressions, now: this.#now, findMember: this.#findMember }));
  }

  /** Takes a started step as far as it gets. */
  async #resume(step: AnyStep, row: StepRow): Promise<StepRow> {
    const kind = kindOf(step);
    if (isActivity(kind)) return this.#attempt(row, attemptTimeoutMs(kind, step));
    if (kind.runBlocks) {
      const result = await kind.runBlocks(step, row, (steps, iteration) => this.#runBlock(steps, iteration));
      if (result.outcome === 'active') return row;
      if (result.outcome === 'failed') return this.#fail(row, result.error);
      return this.#change(row, {
        status: 'SUCCEEDED',
        control: result.outcome === 'stopped' ? STOPPED : row.control,
      });
    }
    return kind.expire && this.#isDue(row) ? this.#change(row, kind.expire(step, row)) : row;
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
  #compensate(): void {
    for (const row of this.#rows.values()) {
      if (row.type !== COMPENSATION && ['WAITING', 'RETRYING', 'PENDING'].includes(row.status)) this.#cancel(row);
    }
    if (this.#resumeAttempts() || this.#resumeCompensation()) return;
    const next = this.#compensable().find(({ key }) => !this.#rows.has(compensationKey(key)));
    if (next) return this.#beginCompensation(next);
    for (const row of this.#rows.values()) if (row.status === 'RUNNING') this.#cancel(row);
    this.ended = true;
  }

  /** Whether attempts are under way. */
  #resumeAttempts(): boolean {
    let isUnderWay = false;
    for (const row of this.#rows.values()) {
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
    const current = [...this.#rows.values()].find(({ type, status }) => type === COMPENSATION && !ENDED.has(status));
    if (current) this.#attempt(current, COMPENSATION_TIMEOUT_MS);
    return current !== undefined;
  }

  #beginCompensation(undone: StepRow): void {
    const startedAt = this.#now.toISOString();
    const fresh = { attempt: 1, control: null, error: null, startedAt, finishedAt: null };
    const row = { ...undone, ...fresh, key: compensationKey(undone.key), type: COMPENSATION };
    this.#attempt(this.#change(row, { status: 'RUNNING' }), COMPENSATION_TIMEOUT_MS);
  }

  /** The steps that have a compensation and succeeded, the last one first. */
  #compensable(): StepRow[] {
    return [...this.#rows.values()]
      .map((row, ordinal) => ({ row, ordinal }))
      .filter(({ row }) => row.type !== COMPENSATION && row.status === 'SUCCEEDED')
      .filter(({ row }) => this.#definition.compensationOf(row.stepId) !== null)
      .sort((a, b) => (b.row.finishedAt ?? '').localeCompare(a.row.finishedAt ?? '') || b.ordinal - a.ordinal)
      .map(({ row }) => row);
  }

  #cancel(row: StepRow): void {
    this.#change(row, { status: 'CANCELLED', dueAt: null });
  }

  #fail(row: StepRow, error: StoredError | null): StepRow {
    return this.#change(row, { status: 'FAILED', error });
  }

  #change(row: StepRow, { output, ...transition }: StepTransition): StepRow {
    const ended = ENDED.has(transition.status ?? row.status);
    const changed = { ...row, ...transition, ...(ended && { waitFor: null, finishedAt: this.#now.toISOString() }) };
    this.#rows.set(row.key, changed);
    const before = this.changes.get(row.key);
    this.changes.set(row.key, { ...changed, output: output === undefined ? before?.output : output });
    if (output !== undefined) this.#context.put(row.key, output);
    return changed;
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
      round: this.#rows.get(key)?.round ?? 0,
      error: null,
      dueAt: null,
      waitFor: null,
      waitCorrelation: null,
      approverRole: null,
      approverUser: null,
      startedAt: this.#now.toISOString(),
      finishedAt: null,
    };
  }

  /** Whether a step's time has come; if not, the run is looked at again then. */
  #isDue({ dueAt }: StepRow): boolean {
    const at = dueAt === null ? 0 : Date.parse(dueAt);
    if (at <= this.#now.getTime()) return true;
    this.dueAt = Math.min(this.dueAt ?? at, at);
    return false;
  }
}
