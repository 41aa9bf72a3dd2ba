import type { SnapshotEntry } from '../environments/environment-snapshot.ts';
import type { ModelContent } from '../metadata/content.ts';
import { toModel } from '../metadata/model.ts';
import { referencesOf, type Reference } from '../metadata/references.ts';
import type { Unit } from './promotion.entity.ts';

type Source = ReadonlyMap<string, SnapshotEntry>;

/** The units with everything they need that the target lacks or has too old. */
export function withDependencies(units: readonly Unit[], source: Source, target: readonly SnapshotEntry[]): Unit[] {
  const all = new Map(units.map((unit) => [unit.resourcePid, unit]));
  const queue = [...units];
  for (let unit = queue.shift(); unit; unit = queue.shift()) {
    const entry = source.get(unit.resourcePid);
    for (const reference of entry ? referencesOf(entry.resourceType, entry.content) : []) {
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
  if (!found) return false;
  return field === undefined || toModel('target', code, found.content as ModelContent).fields.has(field);
}
