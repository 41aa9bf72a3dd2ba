import type { Condition } from '@keelson/client';
import type { Group } from './grouping.ts';

/** Records below each other that are read together: a group with its head, or the whole list without one. */
export interface Section {
  readonly key: string;
  /** Beside those of the list. */
  readonly conditions: readonly Condition[];
  readonly count: number;
  readonly head: GroupHead | null;
}

/** The row above the records of a group. */
export interface GroupHead {
  readonly key: string;
  readonly name: string;
  readonly group: Group;
  readonly isOpen: boolean;
}

/** A row: the head of its section (`at` -1), or the record there. */
export interface RowPosition {
  readonly section: Section;
  readonly at: number;
}

/** Which row is what, for sections below each other. */
export class SectionLayout {
  /** Rows, heads among them. */
  readonly rows: number;
  readonly #sections: readonly Section[];
  readonly #starts: readonly number[];

  constructor(sections: readonly Section[]) {
    let rows = 0;
    const starts: number[] = [];
    for (const section of sections) {
      starts.push(rows);
      rows += rowsOf(section);
    }
    this.rows = rows;
    this.#sections = sections;
    this.#starts = starts;
  }

  find(row: number): RowPosition | undefined {
    if (row < 0 || row >= this.rows) return undefined;
    let [low, high] = [0, this.#starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#starts[middle] ?? 0) <= row) low = middle;
      else high = middle - 1;
    }
    const section = this.#sections[low];
    return section && { section, at: row - (this.#starts[low] ?? 0) - (section.head ? 1 : 0) };
  }
}

function rowsOf({ count, head }: Section): number {
  if (!head) return count;
  return 1 + (head.isOpen ? count : 0);
}
