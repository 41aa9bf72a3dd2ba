import type { Operation } from 'rfc6902';
import { letOthersRun } from '../../foundation/jobs/turns.ts';
import { canonicalJson } from '../../foundation/validation/canonical-json.ts';
import type { SnapshotEntry } from './environment-snapshot.ts';

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

export interface EnvironmentDifference {
  readonly added: ResourceDifference[];
  readonly updated: ResourceDifference[];
  readonly removed: ResourceDifference[];
}

/** What a promotion of everything from source to target would add, update and remove there. */
export async function differenceOf(
  source: readonly SnapshotEntry[],
  target: readonly SnapshotEntry[],
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
export function compare(
  source: SnapshotEntry | undefined,
  target: SnapshotEntry | undefined,
): ResourceDifference | null {
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
