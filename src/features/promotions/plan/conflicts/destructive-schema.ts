import { text } from '../../../../foundation/i18n/text.ts';
import { MODEL } from '../../../../platform/metadata/models/model-type.ts';
import { quoteIdentifier } from '../../../../platform/metadata/models/model.ts';
import { isOfType } from '../../../../platform/metadata/resources/resource-type.ts';
import type { ConflictTypeDefinition, Problem } from './conflict-type.ts';

/** Data would get out of reach. It takes consent: here, or with the apply. */
export const DESTRUCTIVE_SCHEMA: ConflictTypeDefinition = {
  severity: 'consent',
  resolutions: ['use_source', 'keep_target'],
  async inResource(proposed) {
    const table = proposed.table;
    if (!table) return [];
    const { source, modelBefore } = proposed;
    if (!isOfType(source, MODEL)) {
      const rows = await table.count('deleted_at is null');
      return rows > 0 ? [{ message: text('{rows} records would get out of reach', { rows }), details: { rows } }] : [];
    }
    const kept = new Set(source.content.fields.map(({ code }) => code));
    const problems: Problem[] = [];
    for (const { code: field } of modelBefore?.fields ?? []) {
      if (kept.has(field) || !table.columns.has(field)) continue;
      const rows = await table.count(`deleted_at is null and ${quoteIdentifier(field)} is not null`);
      if (rows === 0) continue;
      const details = { field, rows };
      problems.push({ message: text('{field} has a value in {rows} records', details), details });
    }
    return problems;
  },
};
