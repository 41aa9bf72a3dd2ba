import type { SnapshotEntry } from '../../../environments/environment-snapshot.ts';
import type { ResourceTypes } from '../../../../platform/metadata/resources/resource-types.ts';
import { ResourceIndex } from './resource-index.ts';
import type { Unit } from './unit.ts';

/** The units with everything they need that the target lacks or has too old. */
export function withDependencies(
  units: readonly Unit[],
  source: ReadonlyMap<string, SnapshotEntry>,
  target: readonly SnapshotEntry[],
  types: ResourceTypes,
): Unit[] {
  const inSource = new ResourceIndex(source.values());
  const inTarget = new ResourceIndex(target);
  const all = new Map(units.map((unit) => [unit.resourcePid, unit]));
  // A map's iteration comes to what is added meanwhile, too.
  for (const { resourcePid } of all.values()) {
    const entry = source.get(resourcePid);
    for (const reference of entry ? types.referencesOf(entry) : []) {
      const needed = inSource.find(reference);
      if (!needed || all.has(needed.pid) || inTarget.fulfils(reference)) continue;
      all.set(needed.pid, { resourceType: needed.resourceType, resourcePid: needed.pid });
    }
  }
  return [...all.values()];
}
