import { stepKey, type Definition } from '../../definition/definition.ts';
import type { StepMark, StepRow, StepToSave } from './step-store.ts';

const ENDS: ReadonlySet<string> = new Set(['SUCCEEDED', 'FAILED', 'SKIPPED', 'CANCELLED']);

export function hasStepEnded({ status }: Pick<StepRow, 'status'>): boolean {
  return ENDS.has(status);
}

/** New values of a step; absent ones stay. */
export type StepChange = Partial<StepRow> & { readonly output?: unknown };

/**
 * The rows of a run during one advance, and what is to be stored of them.
 *
 * An item of a loop is under way from its first step until its last one has ended. Then its rows are settled:
 * they are neither kept here nor read again, so that an advance costs the same after 10 items and 10,000.
 */
export class StepRows {
  readonly definition: Definition;
  readonly #rows: Map<string, StepRow>;
  readonly #now: string;
  /** Whether each row was settled before it changed. */
  readonly #wasSettled = new Map<string, boolean>();
  /** The items under way of each loop, by its key. */
  readonly #underWay = new Map<string, Set<number>>();
  readonly changes = new Map<string, StepToSave>();
  readonly marks = new Map<string, StepMark>();

  constructor(definition: Definition, rows: readonly StepRow[], now: Date) {
    this.definition = definition;
    this.#rows = new Map(rows.map((row) => [row.key, row]));
    this.#now = now.toISOString();
    for (const { stepId, iteration, settled } of rows) {
      if (settled) continue;
      for (const [depth, loop] of definition.step(stepId).loops.entries()) {
        this.#itemsOf(stepKey(loop, iteration.slice(0, depth))).add(iteration[depth] ?? 0);
      }
    }
  }

  get(key: string): StepRow | undefined {
    return this.#rows.get(key);
  }

  all(): readonly StepRow[] {
    return [...this.#rows.values()];
  }

  /** Adds rows that were read later. */
  add(rows: readonly StepRow[]): void {
    for (const row of rows) if (!this.#rows.has(row.key)) this.#rows.set(row.key, row);
  }

  /** Changes a row, or adds a new one. @returns it as it is then */
  change(row: StepRow, { output, ...columns }: StepChange): StepRow {
    const { key } = row;
    let changed: StepRow = { ...row, ...columns };
    if (hasStepEnded(changed)) changed = { ...changed, waitFor: null, finishedAt: this.#now };
    this.#noteSettled(key, this.#rows.get(key)?.settled ?? false);
    this.#rows.set(key, changed);
    this.changes.set(key, { ...changed, output: output === undefined ? this.changes.get(key)?.output : output });
    return changed;
  }

  cancel(row: StepRow): void {
    this.change(row, { status: 'CANCELLED', dueAt: null });
  }

  /** Changes flags of a row, which its run's stream does not show. */
  mark(row: StepRow, mark: StepMark): void {
    const { key } = row;
    this.#noteSettled(key, row.settled);
    const change = this.changes.get(key);
    if (change) this.changes.set(key, { ...change, ...mark });
    else this.marks.set(key, { ...this.marks.get(key), ...mark });
    if (this.#rows.has(key)) this.#rows.set(key, { ...row, ...mark });
  }

  /** How many more rows are settled than before the advance. */
  get newlySettled(): number {
    let count = 0;
    for (const [key, before] of this.#wasSettled) {
      const settled = this.marks.get(key)?.settled ?? this.changes.get(key)?.settled ?? before;
      count += Number(settled) - Number(before);
    }
    return count;
  }

  /** The items under way of a loop, in their order. */
  itemsUnderWay(loop: StepRow): number[] {
    return [...(this.#underWay.get(loop.key) ?? [])].sort((a, b) => a - b);
  }

  /** The number of items under way of all loops. */
  get countUnderWay(): number {
    return [...this.#underWay.values()].reduce((sum, { size }) => sum + size, 0);
  }

  beginItem(loop: StepRow, index: number): void {
    this.#itemsOf(loop.key).add(index);
  }

  /** Opens the settled rows of an item that a retry of the run takes up again. Those of loops in it stay. */
  reopenItem(loop: StepRow, index: number): void {
    const iteration = [...loop.iteration, index];
    for (const row of this.#rowsWithin(loop, iteration)) {
      if (row.settled && row.iteration.length === iteration.length) this.mark(row, { settled: false });
    }
  }

  /** Cancels what is open of an item, and settles its rows. */
  endItem(loop: StepRow, index: number): void {
    this.#underWay.get(loop.key)?.delete(index);
    this.#settle(loop, [...loop.iteration, index]);
  }

  /** The same for all items of a loop. */
  endItems(loop: StepRow): void {
    this.#settle(loop, loop.iteration);
    this.#underWay.delete(loop.key);
  }

  #settle(loop: StepRow, iteration: readonly number[]): void {
    for (const row of this.#rowsWithin(loop, iteration)) {
      if (!row.settled && !hasStepEnded(row)) this.cancel(row);
    }
    for (const row of this.#rowsWithin(loop, iteration)) {
      if (!row.settled) this.mark(row, { settled: true });
      // A row that was settled before may have an attempt under way, and stays until that ends.
      if (hasStepEnded(row)) this.#rows.delete(row.key);
    }
  }

  /** The rows within a loop whose iteration begins with this one. */
  #rowsWithin(loop: StepRow, iteration: readonly number[]): StepRow[] {
    const depth = loop.iteration.length;
    return this.all().filter(
      (row) =>
        this.definition.step(row.stepId).loops[depth] === loop.stepId &&
        iteration.every((index, level) => row.iteration[level] === index),
    );
  }

  #itemsOf(loopKey: string): Set<number> {
    const known = this.#underWay.get(loopKey);
    if (known) return known;
    const items = new Set<number>();
    this.#underWay.set(loopKey, items);
    return items;
  }

  #noteSettled(key: string, settled: boolean): void {
    if (!this.#wasSettled.has(key)) this.#wasSettled.set(key, settled);
  }
}
