import type { SnapshotEntry } from '../../../environments/environment-snapshot.ts';
import type { ResourceTypes } from '../../../../platform/metadata/resources/resource-types.ts';
import { isBundle, messageKeysIn } from '../../../../platform/metadata/translations/message-keys.ts';
import { letOthersRun } from '../../../../foundation/jobs/turns.ts';
import { ResourceIndex } from './resource-index.ts';
import type { Unit } from './unit.ts';

/** The units with everything they need that the target lacks or has too old. */
export async function withDependencies(
  units: readonly Unit[],
  source: ReadonlyMap<string, SnapshotEntry>,
  target: readonly SnapshotEntry[],
  types: ResourceTypes,
): Promise<Unit[]> {
  const inSource = new ResourceIndex(source.values());
  const inTarget = new ResourceIndex(target);
  const bundles = new Bundles(source.values(), target);
  const all = new Map(units.map((unit) => [unit.resourcePid, unit]));
  // A map's iteration comes to what is added meanwhile, too.
  for (const { resourcePid } of all.values()) {
    await letOthersRun();
    const entry = source.get(resourcePid);
    for (const reference of entry ? types.referencesOf(entry) : []) {
      const needed = inSource.find(reference);
      if (!needed || all.has(needed.pid) || inTarget.fulfils(reference)) continue;
      all.set(needed.pid, { resourceType: needed.resourceType, resourcePid: needed.pid });
    }
    for (const { key } of entry ? messageKeysIn(entry) : []) {
      for (const { pid, resourceType } of bundles.lacking(key)) all.set(pid, { resourceType, resourcePid: pid });
    }
  }
  return [...all.values()];
}

/** The I18N resources of the source by the keys of their texts. */
class Bundles {
  readonly #byKey = new Map<string, (SnapshotEntry & { readonly locale: string })[]>();
  readonly #inTarget = new Set<string>();

  constructor(source: Iterable<SnapshotEntry>, target: Iterable<SnapshotEntry>) {
    for (const entry of source) {
      if (!isBundle(entry)) continue;
      const { locale, messages } = entry.content;
      for (const key of Object.keys(messages)) {
        this.#byKey.set(key, [...(this.#byKey.get(key) ?? []), { ...entry, locale }]);
      }
    }
    for (const entry of target) {
      if (!isBundle(entry)) continue;
      for (const key of Object.keys(entry.content.messages)) this.#inTarget.add(`${entry.content.locale} ${key}`);
    }
  }

  /** Those that have a text of this key in a language in which the target has none. */
  lacking(key: string): readonly SnapshotEntry[] {
    return (this.#byKey.get(key) ?? []).filter(({ locale }) => !this.#inTarget.has(`${locale} ${key}`));
  }
}
