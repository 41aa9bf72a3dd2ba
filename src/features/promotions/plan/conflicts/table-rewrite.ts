import { MODEL } from '../../../../platform/metadata/models/model-type.ts';
import { isOfType } from '../../../../platform/metadata/resources/resource-type.ts';
import type { ConflictTypeDefinition } from './conflict-type.ts';

/** A large table would be out of use while it is rewritten. It takes consent: here, or with the apply. */
export const TABLE_REWRITE: ConflictTypeDefinition = {
  severity: 'consent',
  resolutions: ['use_source', 'keep_target'],
  async inResource({ source, table }) {
    if (!isOfType(source, MODEL)) return [];
    const rewrite = await table?.rewriteToConsentTo(source.content);
    return rewrite ? [rewrite] : [];
  },
};
