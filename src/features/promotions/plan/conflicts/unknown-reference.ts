import type { ConflictTypeDefinition } from './conflict-type.ts';
import { text } from '../../../../foundation/i18n/text.ts';

/** The resource names a permission code or a text that the target would not have. */
export const UNKNOWN_REFERENCE: ConflictTypeDefinition = {
  severity: 'warning',
  resolutions: [],
  inTarget: async (target) =>
    target.entries.flatMap((entry) =>
      Object.entries(target.warningsOf(entry)).map(([path, problem]) => ({
        resource: entry,
        message: text('{place} {problem}', { place: path, problem }),
        details: { path },
      })),
    ),
};
