import type { Definition } from '../../definition/definition.ts';
import { stepKey } from '../../definition/definition.ts';
import type { StepChange, StepMark, StepRow } from './step-store.ts';

const ENDS: ReadonlySet<string> = new Set(['SUCCEEDED', 'FAILED', 'SKIPPED', 'CANCELLED']);

export function hasStepEnded({ status }: Pick<StepRow, 'status'>): boolean {
  return ENDS.has(status);
}

/**
 * The rows of a run that its interpreter looks at, and what it changes of them. Rows of items that have ended
 * are settled: they are neither read nor kept, so that an advance costs the same after 10 items and 10,000.
 */
export class StepRows {
  readonly #definition: Definition;
  readonly #rows: Map<string, StepRow>;
  /** Of the rows that changed: whether they were settled before. */
  readonly #wasSettled = new Map<string, boolean>();
  /** By the key of their for-each: items that have begun and not ended. */
  readonly #underWay = new Map<string, Set<number>>();
  readonly changes = new Map<string, StepChange>();
  readonly marks = new Map<string, StepMark>();

  constructor(definition: Definition, rows: readonly StepRow[]) {
    this.#definition = definition;
    this.#rows = new Map(rows.map((row) => [row.key, row]));
    for (const { stepId, iteration, settled } of rows) {
      if (settled) continue;
      for (const [depth, loop] of definition.step(stepId).loops.entries()) {
        const key = stepKey(loop, iteration.slice(0, depth));
        const items = this.#underWay.get(key) ?? new Set<number>();
        this.#underWay.set(key, items.add(iteration[depth] ?? 0));
      }
    }
  }

  get(key: string): StepRow | undefined {
    return this.#rows.get(key);
  }

  all(): readonly StepRow[] {
    return [...this.#rows.values()];
  }

  /** The items of a for-each that have begun and not ended, in their order. */
  itemsUnderWay(loopKey: string): readonly number[] {
    return [...(this.#underWay.get(loopKey) ?? [])].sort((a, b) => a - b);
  }

  get countUnderWay(): number {
    return [...this.#underWay.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** The growth of the number of settled steps. */
  get newlySettled(): number {
    let count = 0;
    for (const [key, before] of this.#wasSettled) {
      const settled = this.marks.get(key)?.settled ?? this.changes.get(key)?.settled ?? before;
      count += Number(settled) - Number(before);
    }
    return count;
  }

  /** Adds rows that an item of a retried run has from before. */
  add(rows: readonly StepRow[]): void {
    for (const row of rows) if (!this.#rows.has(row.key)) this.#rows.set(row.key, row);
  }

  change(row: StepRow, output: unknown): void {
    this.#note(row.key);
    this.#rows.set(row.key, row);
    const before = this.changes.get(row.key);
    this.changes.set(row.key, { ...row, output: output === undefined ? before?.output : output });
  }

  mark(row: StepRow, mark: StepMark): void {
    this.#note(row.key, row.settled);
    const change = this.changes.get(row.key);
    if (change) this.changes.set(row.key, { ...change, ...mark });
    else this.marks.set(row.key, { ...this.marks.get(row.key), ...mark });
    if (this.#rows.has(row.key)) this.#rows.set(row.key, { ...row, ...mark });
  }

  /** The rows of all items of a for-each, or of one: `iteration` begins with those of the steps around it. */
  within(loop: string, depth: number, iteration: readonly number[]): StepRow[] {
    return this.all().filter(
      (row) =>
        this.#definition.step(row.stepId).loops[depth] === loop &&
        iteration.every((index, at) => row.iteration[at] === index),
    );
  }

  begun(loopKey: string, index: number): void {
    this.#underWay.set(loopKey, (this.#underWay.get(loopKey) ?? new Set()).add(index));
  }

  /** Forgets an item that has ended, or all items. */
  ended(loopKey: string, index: number | null): void {
    if (index === null) this.#underWay.delete(loopKey);
    else this.#underWay.get(loopKey)?.delete(index);
  }

  /** Settles rows whose items have ended. An attempt under way ends by itself. */
  settle(rows: readonly StepRow[]): void {
    for (const row of rows) {
      if (!row.settled) this.mark(row, { settled: true });
      if (hasStepEnded(row)) this.#rows.delete(row.key);
    }
  }

  #note(key: string, settled = this.#rows.get(key)?.settled ?? false): void {
    if (!this.#wasSettled.has(key)) this.#wasSettled.set(key, settled);
  }
}
