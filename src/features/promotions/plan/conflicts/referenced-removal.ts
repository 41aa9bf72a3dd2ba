import { text } from '../../../../foundation/i18n/text.ts';
import { MODEL } from '../../../../platform/metadata/models/model-type.ts';
import type { ExportEntry } from '../../../environments/environment-export.ts';
import type { ResourceDifference } from '../../../environments/environment-diff.ts';
import type { FutureTarget } from '../state/future-target.ts';
import type { ConflictTypeDefinition, ResourceProblem } from './conflict-type.ts';

/** Something that stays in the target refers to what would be removed. */
export const REFERENCED_REMOVAL: ConflictTypeDefinition = {
  severity: 'blocking',
  resolutions: ['keep_target'],
  async inTarget(target, reported) {
    const problems: ResourceProblem[] = (await target.danglingReferences()).flatMap(({ entry, reference, details }) => {
      const removed = target.changeOf(reference);
      if (!removed || target.isChanged(entry)) return [];
      const message = text('{type} {code} refers to it', { type: entry.resourceType, code: entry.code });
      return [{ resource: removed, message, details }];
    });
    const known = new Set([...reported, ...problems.map(({ resource }) => resource.pid)]);
    for await (const entry of target.each()) {
      const causes = target.isChanged(entry) ? [] : changedModelsOf(entry, target);
      if (causes.length === 0 || causes.some(({ pid }) => known.has(pid))) continue;
      for (const [path, problem] of Object.entries(await target.problemsOf(entry))) {
        const message = text('{place} {problem}', { place: path, problem });
        problems.push(...causes.map((resource) => ({ resource, message, details: { path, available: false } })));
      }
    }
    return problems;
  },
};

/** A resource that stays as it is can break when a model beneath it changes. */
function changedModelsOf(entry: ExportEntry, target: FutureTarget): ResourceDifference[] {
  const codes = new Set(target.referencesOf(entry).map(({ code }) => code));
  return [...codes].flatMap((code) => target.changeOf({ resourceType: MODEL.name, code }) ?? []);
}
