import { type Operation, createPatch, type Pointer } from 'rfc6902';
import { letOthersRun } from '../../foundation/jobs/turns.ts';
import { canonicalJson } from '../../foundation/validation/canonical-json.ts';
import type { ExportEntry } from './environment-export.ts';

/** The library compares each item of an array with each of the other: affordable up to this many pairs. */
const MAX_PAIRS = 100;

/** RFC 6902: what turns the target's content into the source's. Takes time in proportion to their size. */
export function patchOf(source: ExportEntry | undefined, target: ExportEntry | undefined): Operation[] {
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

/** How one resource differs between two environments. */
export interface ResourceDifference {
  readonly resourceType: string;
  readonly pid: string;
  readonly code: string;
  /** The code that it has in the target, where that is another one. */
  readonly renamedFrom?: string;
  /** Null where the resource is not in the source. */
  readonly sourceVersion: number | null;
  /** Null where the resource is not in the target. */
  readonly targetVersion: number | null;
}

export interface PatchedDifference extends ResourceDifference {
  /** RFC 6902: what turns the target's content into the source's. */
  readonly patch: Operation[];
}

interface EnvironmentDifference {
  readonly added: ResourceDifference[];
  readonly updated: ResourceDifference[];
  readonly removed: ResourceDifference[];
}

/** What a promotion of everything from source to target would add, update and remove there. */
export async function differenceOf(
  source: readonly ExportEntry[],
  target: readonly ExportEntry[],
): Promise<EnvironmentDifference> {
  const inSource = new Map(source.map((entry) => [entry.pid, entry]));
  const inTarget = new Map(target.map((entry) => [entry.pid, entry]));
  const all = [...source, ...target.filter(({ pid }) => !inSource.has(pid))];
  const differences: ResourceDifference[] = [];
  for (const { pid } of all) {
    await letOthersRun();
    const difference = compare(inSource.get(pid), inTarget.get(pid));
    if (difference) differences.push(difference);
  }
  differences.sort((a, b) => (`${a.resourceType}/${a.code}` < `${b.resourceType}/${b.code}` ? -1 : 1));
  return {
    added: differences.filter(({ targetVersion }) => targetVersion === null),
    updated: differences.filter(({ sourceVersion, targetVersion }) => sourceVersion !== null && targetVersion !== null),
    removed: differences.filter(({ sourceVersion }) => sourceVersion === null),
  };
}

/** Null where both are the same, version included. */
export function compare(source: ExportEntry | undefined, target: ExportEntry | undefined): ResourceDifference | null {
  const named = source ?? target;
  if (!named) return null;
  const same =
    source?.version === target?.version &&
    source?.code === target?.code &&
    canonicalJson(source?.content ?? null) === canonicalJson(target?.content ?? null);
  if (same) return null;
  return {
    resourceType: named.resourceType,
    pid: named.pid,
    code: named.code,
    ...(source && target && source.code !== target.code && { renamedFrom: target.code }),
    sourceVersion: source?.version ?? null,
    targetVersion: target?.version ?? null,
  };
}
