import { stepKey, type Definition } from '../../definition/definition.ts';
import type { BlockResult, Blocks } from '../../steps/step-kind.ts';
import type { AnyStep } from '../../steps/step-schema.ts';
import { isLoop } from '../../steps/step-kinds.ts';
import { ITEMS_PER_READ, MAX_ITEMS_PER_ADVANCE, MAX_ITEMS_UNDER_WAY } from '../../automations.limits.ts';
import { hasStepEnded, type StepRows } from '../rows/step-rows.ts';
import type { StepRow } from '../rows/step-store.ts';

/** What the walks of one advance share. */
export interface WalkScope {
  readonly definition: Definition;
  readonly rows: StepRows;
  /** Items that this advance has begun. */
  begun: number;
  /** Reads rows that items of a retried run have from before; null for a run that was never retried. */
  readonly readRows: ((keys: readonly string[]) => Promise<readonly StepRow[]>) | null;
  runBlock(steps: readonly AnyStep[], iteration: readonly number[]): Promise<BlockResult>;
  cancel(row: StepRow): void;
}

/**
 * Runs the blocks within a step. For a for-each these are its items: those under way, then the next ones
 * from its cursor on. What lies behind the cursor and has ended is not looked at again.
 */
export class ItemWalk implements Blocks {
  readonly #scope: WalkScope;
  readonly #row: StepRow;
  readonly #underWay: number[];
  /** Items below have their rows read. */
  #readUpTo: number;
  #active = 0;
  nextItem: number;
  /** Whether it stopped at the limit of items per advance. */
  wasCut = false;

  constructor(scope: WalkScope, row: StepRow) {
    this.#scope = scope;
    this.#row = row;
    this.#underWay = [...scope.rows.itemsUnderWay(row.key)];
    this.nextItem = Math.max(row.nextItem, (this.#underWay.at(-1) ?? -1) + 1);
    this.#readUpTo = this.nextItem;
  }

  run(steps: readonly AnyStep[]): Promise<BlockResult> {
    return this.#scope.runBlock(steps, this.#row.iteration);
  }

  get hasItems(): boolean {
    return this.nextItem < (this.#row.control ?? 0);
  }

  async runNextItem(steps: readonly AnyStep[]): Promise<BlockResult | null> {
    const underWay = this.#underWay.shift();
    if (underWay !== undefined) return this.#runItem(steps, underWay);
    if (!this.hasItems || !this.#mayBegin()) return null;
    const index = this.nextItem;
    await this.#read(index);
    this.nextItem += 1;
    this.#scope.begun += 1;
    return this.#runItem(steps, index);
  }

  /** Cancels and settles the open items of a failed for-each. */
  abandon(): void {
    if (!isLoop(this.#scope.definition.step(this.#row.stepId).step)) return;
    this.#settle(this.#row.iteration);
    this.#scope.rows.ended(this.#row.key, null);
  }

  /** A for-each without an item under way always gets one: else those that are nested could wait for ever. */
  #mayBegin(): boolean {
    this.wasCut = this.#scope.begun >= MAX_ITEMS_PER_ADVANCE;
    if (this.wasCut) return false;
    return this.#active === 0 || this.#scope.rows.countUnderWay < MAX_ITEMS_UNDER_WAY;
  }

  async #runItem(steps: readonly AnyStep[], index: number): Promise<BlockResult> {
    const { rows } = this.#scope;
    const iteration = [...this.#row.iteration, index];
    rows.begun(this.#row.key, index);
    const result = await this.#scope.runBlock(steps, iteration);
    if (result.outcome === 'active') {
      this.#active += 1;
      this.#unsettle(iteration);
    } else {
      rows.ended(this.#row.key, index);
      this.#settle(iteration);
    }
    return result;
  }

  #settle(iteration: readonly number[]): void {
    const { rows } = this.#scope;
    for (const row of this.#within(iteration)) if (!hasStepEnded(row) && !row.settled) this.#scope.cancel(row);
    rows.settle(this.#within(iteration));
  }

  /** Opens the rows that an item of a retried run has from before. */
  #unsettle(iteration: readonly number[]): void {
    const own = this.#within(iteration).filter((row) => row.settled && row.iteration.length === iteration.length);
    for (const row of own) this.#scope.rows.mark(row, { settled: false });
  }

  #within(iteration: readonly number[]): StepRow[] {
    return this.#scope.rows.within(this.#row.stepId, this.#row.iteration.length, iteration);
  }

  /** Reads the rows of the next items of a retried run. */
  async #read(index: number): Promise<void> {
    const { readRows, rows, definition } = this.#scope;
    if (!readRows || index < this.#readUpTo) return;
    this.#readUpTo = Math.min(index + ITEMS_PER_READ, this.#row.control ?? 0);
    const ids = definition.stepsIn(this.#row.stepId);
    const keys: string[] = [];
    for (let item = index; item < this.#readUpTo; item += 1) {
      for (const id of ids) keys.push(stepKey(id, [...this.#row.iteration, item]));
    }
    rows.add(await readRows(keys));
  }
}
