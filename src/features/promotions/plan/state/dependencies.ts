import type { ExportEntry } from '../../../environments/environment-export.ts';
import type { ResourceTypes } from '../../../../platform/metadata/resources/resource-types.ts';
import { isBundle, messageKeysIn } from '../../../../platform/metadata/translations/translations.ts';
import { letOthersRun } from '../../../../foundation/jobs/turns.ts';
import { ResourceIndex } from './resource-index.ts';
import type { Unit } from './promotion-plan.ts';

/** The units with everything they need that the target lacks or has too old. */
export async function withDependencies(
  units: readonly Unit[],
  source: ReadonlyMap<string, ExportEntry>,
  target: readonly ExportEntry[],
  types: ResourceTypes,
): Promise<Unit[]> {
  const inSource = new ResourceIndex(source.values());
  const inTarget = new ResourceIndex(target);
  const lackingBundles = bundlesLacking(source.values(), target);
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
      for (const { pid, resourceType } of lackingBundles(key)) all.set(pid, { resourceType, resourcePid: pid });
    }
  }
  return [...all.values()];
}

/** Finds the I18N resources of the source with texts of a key in languages in which the target has none. */
function bundlesLacking(
  source: Iterable<ExportEntry>,
  target: Iterable<ExportEntry>,
): (key: string) => readonly ExportEntry[] {
  const byKey = new Map<string, (ExportEntry & { readonly locale: string })[]>();
  for (const entry of source) {
    if (!isBundle(entry)) continue;
    const { locale, messages } = entry.content;
    for (const key of Object.keys(messages)) byKey.set(key, [...(byKey.get(key) ?? []), { ...entry, locale }]);
  }
  const inTarget = new Set<string>();
  for (const entry of target) {
    if (!isBundle(entry)) continue;
    for (const key of Object.keys(entry.content.messages)) inTarget.add(`${entry.content.locale} ${key}`);
  }
  return (key) => (byKey.get(key) ?? []).filter(({ locale }) => !inTarget.has(`${locale} ${key}`));
}
