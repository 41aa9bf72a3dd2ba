import { text } from '../../../../foundation/i18n/text.ts';
import { MODEL } from '../../../../platform/metadata/models/model-type.ts';
import { isOfType } from '../../../../platform/metadata/resources/resource-type.ts';
import type { ConflictTypeDefinition } from './conflict-type.ts';

/** A unique field of a large table is kept unique from when its index has been built. */
export const UNIQUE_LATER: ConflictTypeDefinition = {
  severity: 'warning',
  resolutions: [],
  async inResource({ source, table, modelBefore }) {
    if (!isOfType(source, MODEL) || !table) return [];
    const { deferrable } = await table.planChange(source.content, modelBefore);
    const unique = deferrable.filter(({ kind }) => kind === 'UNIQUE_INDEX');
    if (unique.length === 0 || !(await table.isBig())) return [];
    return unique
      .map(({ rule, fieldCode }) => ({ rule, field: rule?.fields.join(', ') ?? fieldCode }))
      .map(({ field }) => ({
        message: text('{field} is unique once its index has been built, after the apply', { field }),
        details: { field },
      }));
  },
};
