import { createPatch, type Operation, type Pointer } from 'rfc6902';
import { canonicalJson } from '../../foundation/validation/canonical-json.ts';
import type { SnapshotEntry } from './environment-snapshot.ts';

/** The library compares each item of an array with each of the other: affordable up to this many pairs. */
const MAX_PAIRS = 100;

/** RFC 6902: what turns the target's content into the source's. Takes time in proportion to their size. */
export function patchOf(source: SnapshotEntry | undefined, target: SnapshotEntry | undefined): Operation[] {
  return createPatch(target?.content ?? null, source?.content ?? null, patchOfArrays);
}

/**
 * The shortest patch where few items differ, item by item where many do. Undefined leaves it to the library.
 */
function patchOfArrays(input: unknown, output: unknown, pointer: Pointer): Operation[] | undefined {
  if (!Array.isArray(input) || !Array.isArray(output)) return undefined;
  const before = input.map(canonicalJson);
  const after = output.map(canonicalJson);
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start += 1;
  let same = 0;
  while (same < most - start && before.at(-1 - same) === after.at(-1 - same)) same += 1;
  const removed = before.length - same - start;
  const added = after.length - same - start;
  if (input.length * output.length <= MAX_PAIRS) return removed + added === 0 ? [] : undefined;
  const paired = Math.min(removed, added);
  const at = (index: number): string => pointer.add(String(index)).toString();
  const operations: Operation[] = [];
  for (let index = start; index < start + paired; index += 1) {
    if (before[index] === after[index]) continue;
    const inner = createPatch({ item: input[index] as unknown }, { item: output[index] as unknown }, patchOfArrays);
    for (const one of inner) operations.push({ ...one, path: `${at(index)}${one.path.slice('/item'.length)}` });
  }
  for (let count = paired; count < removed; count += 1) operations.push({ op: 'remove', path: at(start + paired) });
  for (let index = start + paired; index < start + added; index += 1) {
    operations.push({ op: 'add', path: at(index), value: output[index] as unknown });
  }
  return operations;
}
