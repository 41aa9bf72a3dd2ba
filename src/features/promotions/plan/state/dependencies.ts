import type { SnapshotEntry } from '../../../environments/environment-snapshot.ts';
import { MODEL } from '../../../../platform/metadata/models/model-type.ts';
import { toModel } from '../../../../platform/metadata/models/model.ts';
import { isOfType, type Reference } from '../../../../platform/metadata/resources/resource-type.ts';
import type { ResourceTypes } from '../../../../platform/metadata/resources/resource-types.ts';
import type { Unit } from './unit.ts';

type Source = ReadonlyMap<string, SnapshotEntry>;

/** The units with everything they need that the target lacks or has too old. */
export function withDependencies(
  units: readonly Unit[],
  source: Source,
  target: readonly SnapshotEntry[],
  types: ResourceTypes,
): Unit[] {
  const all = new Map(units.map((unit) => [unit.resourcePid, unit]));
  const queue = [...units];
  for (let unit = queue.shift(); unit; unit = queue.shift()) {
    const entry = source.get(unit.resourcePid);
    for (const reference of entry ? types.referencesOf(entry) : []) {
      const needed = findReferred(reference, source);
      if (!needed || all.has(needed.pid) || fulfils(reference, target)) continue;
      const included = { resourceType: needed.resourceType, resourcePid: needed.pid };
      all.set(needed.pid, included);
      queue.push(included);
    }
  }
  return [...all.values()];
}

export function findReferred({ resourceType, code }: Reference, source: Source): SnapshotEntry | undefined {
  return [...source.values()].find((entry) => entry.resourceType === resourceType && entry.code === code);
}

/** Whether these resources have what is referred to. */
export function fulfils({ resourceType, code, field }: Reference, entries: readonly SnapshotEntry[]): boolean {
  const found = entries.find((entry) => entry.resourceType === resourceType && entry.code === code);
  if (!found || field === undefined) return found !== undefined;
  return isOfType(found, MODEL) && toModel('target', code, found.content).fields.has(field);
}
