import { text } from '../../../../foundation/i18n/text.ts';
import type { ConflictTypeDefinition, ResourceProblem } from './conflict-type.ts';

/** The resource needs something that the target has not got and the promotion does not bring. */
export const MISSING_DEPENDENCY: ConflictTypeDefinition = {
  severity: 'blocking',
  resolutions: ['skip'],
  async inTarget(target, reported) {
    const problems: ResourceProblem[] = (await target.danglingReferences())
      .filter(({ entry }) => target.isChanged(entry))
      .map(({ entry, reference, details }) => {
        const { code, field } = reference;
        const missing = field === undefined ? code : `${code}.${field}`;
        const available = target.isInSource(reference);
        const message = text('{code} is not in the target', { code: missing });
        return { resource: entry, message, details: { ...details, available } };
      });
    const known = new Set([...reported, ...problems.map(({ resource }) => resource.pid)]);
    for await (const entry of target.each()) {
      if (!target.isChanged(entry) || known.has(entry.pid)) continue;
      for (const [path, problem] of Object.entries(await target.problemsOf(entry))) {
        const message = text('{place} {problem}', { place: path, problem });
        problems.push({ resource: entry, message, details: { path, available: false } });
      }
    }
    return problems;
  },
};
