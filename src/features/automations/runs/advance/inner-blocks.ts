import { stepKey, type DefinedStep } from '../../definition/definition.ts';
import type { BlockResult, Blocks } from '../../steps/step-kind.ts';
import type { AnyStep } from '../../steps/step-schema.ts';
import { isLoop } from '../../steps/step-kinds.ts';
import { ITEMS_PER_READ, MAX_ITEMS_PER_ADVANCE, MAX_ITEMS_UNDER_WAY } from '../../automations.limits.ts';
import type { StepRows } from '../rows/step-rows.ts';
import type { StepRow } from '../rows/step-store.ts';

/** One advance of a run, as all its steps share it. */
export interface Advance {
  readonly rows: StepRows;
  /** The number of items that this advance has begun. */
  itemsBegun: number;
  /** Reads rows that items have from before a retry of the run; null for a run that was never retried. */
  readonly readRows: ((keys: readonly string[]) => Promise<readonly StepRow[]>) | null;
  runBlock(steps: readonly AnyStep[], iteration: readonly number[]): Promise<BlockResult>;
}

/**
 * The blocks within one step. A loop runs its block for each item: first for the items under way, then for
 * the next ones, from `nextItem` on. An item that has ended is not looked at again.
 */
export class InnerBlocks implements Blocks {
  readonly #advance: Advance;
  readonly #step: DefinedStep;
  readonly #row: StepRow;
  /** Items that earlier advances have begun, and that this one has not come to yet. */
  readonly #underWay: number[];
  /** The first item whose rows from before a retry are not read yet. */
  #firstUnread: number;
  /** The number of items that this advance has come to and that have not ended. */
  #active = 0;
  nextItem: number;
  /** Whether the limit of items per advance kept an item from beginning. */
  isCutShort = false;

  constructor(advance: Advance, step: DefinedStep, row: StepRow) {
    this.#advance = advance;
    this.#step = step;
    this.#row = row;
    this.#underWay = advance.rows.itemsUnderWay(row);
    this.nextItem = Math.max(row.nextItem, (this.#underWay.at(-1) ?? -1) + 1);
    this.#firstUnread = this.nextItem;
  }

  run(steps: readonly AnyStep[]): Promise<BlockResult> {
    return this.#advance.runBlock(steps, this.#row.iteration);
  }

  get hasItems(): boolean {
    return this.nextItem < this.#itemCount;
  }

  async runNextItem(steps: readonly AnyStep[]): Promise<BlockResult | null> {
    const underWay = this.#underWay.shift();
    if (underWay !== undefined) return this.#runItem(steps, underWay);
    if (!this.hasItems || !this.#mayBeginItem()) return null;
    const index = this.nextItem;
    await this.#readEarlierRows(index);
    this.nextItem += 1;
    this.#advance.itemsBegun += 1;
    return this.#runItem(steps, index);
  }

  /** Cancels the items under way of a loop that has failed. */
  cancelItems(): void {
    if (isLoop(this.#step.step)) this.#advance.rows.endItems(this.#row);
  }

  get #itemCount(): number {
    return this.#row.control ?? 0;
  }

  #mayBeginItem(): boolean {
    this.isCutShort = this.#advance.itemsBegun >= MAX_ITEMS_PER_ADVANCE;
    if (this.isCutShort) return false;
    // A loop may always have one item, or nested loops could wait for each other for ever.
    return this.#active === 0 || this.#advance.rows.countUnderWay < MAX_ITEMS_UNDER_WAY;
  }

  async #runItem(steps: readonly AnyStep[], index: number): Promise<BlockResult> {
    const { rows } = this.#advance;
    rows.beginItem(this.#row, index);
    const result = await this.#advance.runBlock(steps, [...this.#row.iteration, index]);
    if (result.outcome === 'active') {
      this.#active += 1;
      rows.reopenItem(this.#row, index);
    } else {
      rows.endItem(this.#row, index);
    }
    return result;
  }

  /** Reads the rows that the next items have from before a retry of the run, unless they are read. */
  async #readEarlierRows(index: number): Promise<void> {
    const { readRows, rows } = this.#advance;
    if (!readRows || index < this.#firstUnread) return;
    this.#firstUnread = Math.min(index + ITEMS_PER_READ, this.#itemCount);
    const ids = rows.definition.stepsIn(this.#row.stepId);
    const keys: string[] = [];
    for (let item = index; item < this.#firstUnread; item += 1) {
      for (const id of ids) keys.push(stepKey(id, [...this.#row.iteration, item]));
    }
    rows.add(await readRows(keys));
  }
}
