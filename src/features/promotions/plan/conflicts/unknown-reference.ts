import type { ConflictTypeDefinition, ResourceProblem } from './conflict-type.ts';
import { text } from '../../../../foundation/i18n/text.ts';

/** The resource names a permission code or a text that the target would not have. */
export const UNKNOWN_REFERENCE: ConflictTypeDefinition = {
  severity: 'warning',
  resolutions: [],
  async inTarget(target) {
    const problems: ResourceProblem[] = [];
    for await (const entry of target.each()) {
      for (const [path, problem] of Object.entries(target.warningsOf(entry))) {
        problems.push({
          resource: entry,
          message: text('{place} {problem}', { place: path, problem }),
          details: { path },
        });
      }
    }
    return problems;
  },
};
