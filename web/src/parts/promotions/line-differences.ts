export interface Line {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
  /** From 1 on, on the side that has it: the new one where both have. */
  readonly number: number;
}

/** Lines that were left out because both sides have them. */
export interface Gap {
  readonly kind: 'gap';
  readonly count: number;
}

/** Around a difference, so many lines are shown of what is the same. */
const CONTEXT = 3;
/** More pairs of lines are not compared: all of the one side leaves, all of the other comes. */
const MAX_PAIRS = 4_000_000;

/** Two texts as one, line by line, with what is far from any difference left out. */
export function lineDifferences(before: string, after: string): (Line | Gap)[] {
  return folded(compareLines(linesOf(before), linesOf(after)));
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.split('\n');
}

function compareLines(before: readonly string[], after: readonly string[]): Line[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const same = (text: string, number: number): Line => ({ kind: 'same', text, number });
  return [
    ...after.slice(0, start).map((text, index) => same(text, index + 1)),
    ...middle(before.slice(start, before.length - end), after.slice(start, after.length - end), start),
    ...after.slice(after.length - end).map((text, index) => same(text, after.length - end + index + 1)),
  ];
}

/** By the longest common subsequence. @param offset lines before these, on both sides */
function middle(before: readonly string[], after: readonly string[], offset: number): Line[] {
  const removed = (at: number): Line => ({ kind: 'removed', text: before[at] ?? '', number: offset + at + 1 });
  const added = (at: number): Line => ({ kind: 'added', text: after[at] ?? '', number: offset + at + 1 });
  if (before.length * after.length > MAX_PAIRS) {
    return [...before.keys()].map(removed).concat([...after.keys()].map(added));
  }
  const width = after.length + 1;
  const lengths = new Uint32Array((before.length + 1) * width);
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      lines.push({ kind: 'same', text: after[j] ?? '', number: offset + j + 1 });
      i += 1;
      j += 1;
    } else if (j >= after.length || (i < before.length && at(i + 1, j) >= at(i, j + 1))) {
      lines.push(removed(i));
      i += 1;
    } else {
      lines.push(added(j));
      j += 1;
    }
  }
  return lines;
}

function folded(lines: readonly Line[]): (Line | Gap)[] {
  const near = new Set<number>();
  for (const [index, { kind }] of lines.entries()) {
    if (kind === 'same') continue;
    for (let other = index - CONTEXT; other <= index + CONTEXT; other += 1) near.add(other);
  }
  const shown: (Line | Gap)[] = [];
  let count = 0;
  for (const [index, line] of lines.entries()) {
    if (near.has(index)) {
      if (count > 0) shown.push({ kind: 'gap', count });
      count = 0;
      shown.push(line);
    } else count += 1;
  }
  if (count > 0) shown.push({ kind: 'gap', count });
  return shown;
}
