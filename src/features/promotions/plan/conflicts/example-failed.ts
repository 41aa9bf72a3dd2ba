import { text } from '../../../../foundation/i18n/text.ts';
import { EXAMPLES_MS } from '../../promotions.limits.ts';
import type { ConflictTypeDefinition, ResourceProblem } from './conflict-type.ts';

/** An example of a command that would change fails in the target. */
export const EXAMPLE_FAILED: ConflictTypeDefinition = {
  severity: 'blocking',
  resolutions: ['use_source', 'keep_target'],
  async inTarget(target) {
    const problems: ResourceProblem[] = [];
    const until = Date.now() + EXAMPLES_MS;
    for await (const entry of target.each()) {
      if (!target.isChanged(entry)) continue;
      for (const [path, problem] of Object.entries(await target.failingExamplesOf(entry, until))) {
        const message = text('{place} {problem}', { place: path, problem });
        problems.push({ resource: entry, message, details: { path } });
      }
    }
    return problems;
  },
};
