import { text } from '../../../../foundation/i18n/text.ts';
import type { ConflictTypeDefinition } from './conflict-type.ts';

/** The target has not seen the versions in between. */
export const VERSION_GAP: ConflictTypeDefinition = {
  severity: 'warning',
  resolutions: [],
  inResource({ source, target, input: { overwrites }, difference: { sourceVersion, targetVersion } }) {
    if (!source || !target || overwrites || source.version <= target.version + 1) return [];
    const message = text('The target goes from version {from} to {to}', { from: target.version, to: source.version });
    return [{ message, details: { sourceVersion, targetVersion } }];
  },
};
