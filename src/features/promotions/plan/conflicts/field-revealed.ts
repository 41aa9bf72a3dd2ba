import { text } from '../../../../foundation/i18n/text.ts';
import type { ConflictTypeDefinition } from './conflict-type.ts';

/** The command's answer would show fields to callers who may not read them, and does not yet. */
export const FIELD_REVEALED: ConflictTypeDefinition = {
  severity: 'warning',
  resolutions: [],
  inResource({ source, before, types }) {
    if (!source) return [];
    const known = new Set(before ? types.revealedBy(before) : []);
    const fields = types.revealedBy(source).filter((field) => !known.has(field));
    if (fields.length === 0) return [];
    const message = text('Its answer shows {fields} to callers who may not read it', { fields: fields.join(', ') });
    return [{ message, details: { fields } }];
  },
};
