import { momentOf } from '../database/moment.ts';
import { ApplicationError, conflict, validationError } from '../errors/application-error.ts';
import { toStoredError, type StoredError } from '../errors/failure.ts';
import { isActing, type StepContent } from '../metadata/automation-content.ts';
import type { StepCall } from '../../workflows/contracts.ts';
import { stepKey, UNDO, undoKey, type Definition } from './definition.ts';
import { evaluate, type RunContext } from './run-context.ts';
import { stepTimeoutMs, UNDO_TIMEOUT_MS } from './step-policy.ts';
import type { StepChange, StepRow } from './step-store.ts';

/** How far a list of steps has come. */
type Walked = 'done' | 'active' | 'stopped' | 'failed';

const MAX_ITEMS = 10_000;
const DEFAULT_PATIENCE_SECONDS = 30 * 86_400;
const ENDED: ReadonlySet<string> = new Set(['SUCCEEDED', 'FAILED', 'SKIPPED', 'CANCELLED']);

/** Where a run stands, as far as walking needs to know. */
export interface Standing {
  readonly ending: 'FAILED' | 'CANCELLED' | null;
  readonly error: StoredError | null;
  readonly now: Date;
}

/**
 * Goes through a run's definition with its steps at hand, takes every step that needs nobody else, begins those that are
 * next, and tells what has to be done outside. It changes rows in memory alone.
 */
export class RunWalk {
  readonly #definition: Definition;
  readonly #context: RunContext;
  readonly #rows: Map<string, StepRow>;
  readonly #now: Date;
  readonly changes = new Map<string, StepChange>();
  readonly calls: StepCall[] = [];
  ending: 'FAILED' | 'CANCELLED' | null;
  error: StoredError | null;
  /** When there is something to do without anybody saying so, in milliseconds since 1970. */
  dueAt: number | null = null;
  ended = false;

  constructor(definition: Definition, context: RunContext, rows: readonly StepRow[], standing: Standing) {
    this.#definition = definition;
    this.#context = context;
    this.#rows = new Map(rows.map((row) => [row.key, row]));
    this.#now = standing.now;
    this.ending = standing.ending;
    this.error = standing.error;
  }

  async walk(): Promise<void> {
    if (!this.ending) {
      const walked = await this.#block(this.#definition.content.steps, []);
      if (walked === 'failed') this.ending = 'FAILED';
      this.ended = walked === 'done' || walked === 'stopped';
    }
    if (this.ending) this.#wind();
  }

  async #block(steps: readonly StepContent[], iteration: readonly number[]): Promise<Walked> {
    for (const step of steps) {
      const walked = await this.#step(step, iteration);
      if (walked !== 'done') return walked;
    }
    return 'done';
  }

  async #step(step: StepContent, iteration: readonly number[]): Promise<Walked> {
    const key = stepKey(step.id, iteration);
    let row = this.#rows.get(key);
    try {
      if (!row || row.status === 'PENDING') row = await this.#begin(step, key, iteration);
      if (!ENDED.has(row.status)) row = await this.#goOn(step, row);
    } catch (error) {
      if (!(error instanceof ApplicationError)) throw error;
      row = this.#fail(this.#rows.get(key) ?? this.#fresh(step, key, iteration), toStoredError(error));
    }
    if (row.status === 'FAILED' || row.status === 'CANCELLED') {
      if (step.onError === 'continue' && row.status === 'FAILED') return 'done';
      this.error ??= row.error && { ...row.error, data: { ...row.error.data, step: row.key } };
      return 'failed';
    }
    if (!ENDED.has(row.status)) return 'active';
    return row.status === 'SUCCEEDED' && row.control === STOPPED ? 'stopped' : 'done';
  }

  async #begin(step: StepContent, key: string, iteration: readonly number[]): Promise<StepRow> {
    const fresh = this.#fresh(step, key, iteration);
    const context = await this.#context.at(step.id, iteration);
    const value = (source: string, path: string): unknown => evaluate(source, context, `${key}.${path}`);
    if (step.when !== undefined && value(step.when, 'when') !== true) {
      return this.#end({ ...fresh, status: 'SKIPPED' });
    }
    switch (step.type) {
      case 'condition': {
        const holds = value(step.assert, 'assert') === true;
        if (!holds && step.otherwise === 'fail')
          throw conflict('CONDITION', step.message ?? 'A condition does not hold');
        return this.#end({ ...fresh, status: 'SUCCEEDED', control: holds ? null : STOPPED }, { holds });
      }
      case 'branch': {
        const taken = step.cases.findIndex((one, index) => value(one.if, `cases.${index}.if`) === true);
        return this.#put({ ...fresh, control: taken }, { case: taken < 0 ? null : taken });
      }
      case 'forEach': {
        const items = value(step.items, 'items');
        if (!Array.isArray(items)) throw validationError({ [`${key}.items`]: 'is not a list' });
        if (items.length > MAX_ITEMS) throw validationError({ [`${key}.items`]: `has more than ${MAX_ITEMS} items` });
        return this.#put({ ...fresh, control: items.length }, { count: items.length, items });
      }
      case 'wait': {
        const until = step.until === undefined ? null : timeOf(value(step.until, 'until'), `${key}.until`);
        return this.#put({ ...fresh, status: 'WAITING', due_at: until ?? this.#after(step.seconds ?? 0) });
      }
      case 'waitForEvent': {
        const due = this.#after(step.timeoutSeconds ?? DEFAULT_PATIENCE_SECONDS);
        return this.#put({ ...fresh, status: 'WAITING', due_at: due, wait_for: step.eventType });
      }
      case 'approval': {
        const user = step.user === undefined ? null : value(step.user, 'user');
        const message = step.message === undefined ? null : value(step.message, 'message');
        const due = this.#after(step.timeoutSeconds ?? DEFAULT_PATIENCE_SECONDS);
        const asked = { approver_role: step.role ?? null, approver_user: textOf(user, `${key}.user`) };
        return this.#put({ ...fresh, ...asked, status: 'WAITING', due_at: due }, { message });
      }
      case 'command':
      case 'query':
      case 'http':
      case 'webhook':
      case 'assistant':
        return this.#put({ ...fresh, attempt: 1 });
    }
  }

  /** A step that has begun and not ended. */
  async #goOn(step: StepContent, row: StepRow): Promise<StepRow> {
    if (isActing(step)) return this.#act(row, stepTimeoutMs(step));
    if (step.type === 'branch') {
      const taken = row.control === null || row.control < 0 ? step.else : step.cases[row.control]?.steps;
      return this.#around(row, await this.#block(taken ?? [], row.iteration));
    }
    if (step.type === 'forEach') return this.#around(row, await this.#items(step, row));
    if (!this.#isDue(row)) return row;
    if (step.type === 'wait') return this.#end({ ...row, status: 'SUCCEEDED' }, { until: row.due_at });
    if (step.type === 'condition') return row;
    if (step.onTimeout === 'continue') return this.#end({ ...row, status: 'SUCCEEDED' }, { timedOut: true });
    return this.#fail(row, toStoredError(conflict('TIMEOUT', 'Nobody answered in time')));
  }

  async #items(step: StepContent & { type: 'forEach' }, row: StepRow): Promise<Walked> {
    let free = step.concurrency ?? 1;
    for (let index = 0; index < (row.control ?? 0) && free > 0; index += 1) {
      const walked = await this.#block(step.steps, [...row.iteration, index]);
      if (walked === 'active') free -= 1;
      // An item that fails ends the for-each, unless it may: then the others go on.
      if (walked === 'failed' && step.onError !== 'continue') return 'failed';
      if (walked === 'failed') this.error = null;
    }
    return free < (step.concurrency ?? 1) ? 'active' : 'done';
  }

  /** A step of steps stands as they do. */
  #around(row: StepRow, walked: Walked): StepRow {
    if (walked === 'active') return row;
    if (walked === 'failed') return this.#fail(row, this.error);
    // `stop` ends the run from within a branch; within a for-each it has ended its item.
    const stops = walked === 'stopped' && row.type === 'branch';
    return this.#end({ ...row, status: 'SUCCEEDED', control: stops ? STOPPED : row.control });
  }

  #act(row: StepRow, timeoutMs: number): StepRow {
    let now = row;
    if (row.status === 'RETRYING') {
      if (!this.#isDue(row)) return row;
      now = this.#put({ ...row, status: 'RUNNING', attempt: row.attempt + 1, due_at: null, error: null });
    }
    this.calls.push({ key: now.key, attempt: now.attempt, timeoutMs });
    return now;
  }

  /** The run ends: nothing new begins, what is under way ends, and what was done is undone, the last first. */
  #wind(): void {
    const undos: StepRow[] = [];
    let isUnderWay = false;
    for (const row of [...this.#rows.values()]) {
      if (row.type === UNDO) undos.push(row);
      else if (row.status === 'WAITING' || row.status === 'RETRYING' || row.status === 'PENDING') this.#cancel(row);
      else if (row.status === 'RUNNING') {
        const { step } = this.#definition.step(row.step_id);
        if (!isActing(step)) continue;
        isUnderWay = true;
        this.#act(row, stepTimeoutMs(step));
      }
    }
    if (isUnderWay || this.#isUndoing(undos)) return;
    const next = this.#toUndo().find(({ key }) => !this.#rows.has(undoKey(key)));
    if (next) {
      const fresh = { ...next, key: undoKey(next.key), type: UNDO, status: 'RUNNING' as const, attempt: 1 };
      const row = this.#put({ ...fresh, control: null, error: null, started_at: this.#iso(), finished_at: null });
      this.calls.push({ key: row.key, attempt: 1, timeoutMs: UNDO_TIMEOUT_MS });
      return;
    }
    for (const row of this.#rows.values()) if (row.status === 'RUNNING') this.#cancel(row);
    this.ended = true;
  }

  #isUndoing(undos: readonly StepRow[]): boolean {
    const current = undos.find(({ status }) => !ENDED.has(status));
    if (current) this.#act(current, UNDO_TIMEOUT_MS);
    return current !== undefined;
  }

  /** Steps that have a compensation and succeeded, the last one first. */
  #toUndo(): StepRow[] {
    return [...this.#rows.values()]
      .map((row, ordinal) => ({ row, ordinal }))
      .filter(({ row }) => row.type !== UNDO && row.status === 'SUCCEEDED')
      .filter(({ row }) => this.#definition.compensationOf(row.step_id) !== null)
      .sort((a, b) => (b.row.finished_at ?? '').localeCompare(a.row.finished_at ?? '') || b.ordinal - a.ordinal)
      .map(({ row }) => row);
  }

  #cancel(row: StepRow): void {
    this.#end({ ...row, status: 'CANCELLED', due_at: null });
  }

  #fail(row: StepRow, error: StoredError | null): StepRow {
    return this.#end({ ...row, status: 'FAILED', error });
  }

  #end(row: StepRow, output?: unknown): StepRow {
    return this.#put({ ...row, wait_for: null, finished_at: this.#iso() }, output);
  }

  #put(row: StepRow, output?: unknown): StepRow {
    this.#rows.set(row.key, row);
    const before = this.changes.get(row.key);
    this.changes.set(row.key, { ...row, output: output === undefined ? before?.output : output });
    if (output !== undefined) this.#context.put(row.key, output);
    return row;
  }

  #fresh(step: StepContent, key: string, iteration: readonly number[]): StepRow {
    return {
      ...{ key, step_id: step.id, iteration, type: step.type, status: 'RUNNING', attempt: 0, control: null },
      ...{ round: this.#rows.get(key)?.round ?? 0, error: null, due_at: null, wait_for: null },
      ...{ approver_role: null, approver_user: null, started_at: this.#iso(), finished_at: null },
    };
  }

  /** Whether a step's time has come; where it has not, the run is looked at again then. */
  #isDue({ due_at: dueAt }: StepRow): boolean {
    const at = dueAt === null ? 0 : Date.parse(dueAt);
    if (at <= this.#now.getTime()) return true;
    this.dueAt = Math.min(this.dueAt ?? at, at);
    return false;
  }

  #after(seconds: number): string {
    return new Date(this.#now.getTime() + seconds * 1_000).toISOString();
  }

  #iso(): string {
    return this.#now.toISOString();
  }
}

/** The `control` of a step after which nothing comes. */
const STOPPED = -2;

function textOf(value: unknown, path: string): string | null {
  if (value !== null && typeof value !== 'string') throw validationError({ [path]: 'is not a text' });
  return value;
}

function timeOf(value: unknown, path: string): string {
  const time = typeof value === 'string' ? momentOf(value) : null;
  if (!time) throw validationError({ [path]: 'is not an ISO 8601 time' });
  return time.toISOString();
}
