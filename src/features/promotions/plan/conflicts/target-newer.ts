import { text } from '../../../../foundation/i18n/text.ts';
import { contentHash } from '../state/promotion-plan.ts';
import type { ConflictTypeDefinition, Problem } from './conflict-type.ts';

/** The target has a newer version, or changed the same version by itself. */
export const TARGET_NEWER: ConflictTypeDefinition = {
  severity: 'blocking',
  resolutions: ['use_source', 'keep_target'],
  inResource({ source, target, isDeliberate, input, difference: { pid, sourceVersion, targetVersion } }) {
    const details = { sourceVersion, targetVersion };
    const problems: Problem[] = [];
    if (source && target && !isDeliberate && source.version <= target.version) {
      const versions = { target: target.version, source: source.version };
      const message =
        source.version < target.version
          ? text('The target has version {target}, the source {source}', versions)
          : text('Both have version {version}, with different contents', { version: source.version });
      problems.push({ message, details });
    }
    const applied = input.appliedHashes.get(pid);
    if (applied !== undefined && applied !== contentHash(target)) {
      problems.push({ message: 'The target has changed since the promotion that is rolled back', details });
    }
    return problems;
  },
};
