import { text } from '../../../../foundation/i18n/text.ts';
import type { ConflictTypeDefinition } from './conflict-type.ts';

/** Another resource of the target has the same type and code. */
export const DUPLICATE_CODE: ConflictTypeDefinition = {
  severity: 'blocking',
  resolutions: ['use_source', 'keep_target'],
  inResource({ replaced, input: { overwrites } }) {
    if (!replaced || overwrites) return [];
    const message = text('The target has another {code}', { code: replaced.code });
    return [{ message, details: { targetPid: replaced.pid } }];
  },
};
