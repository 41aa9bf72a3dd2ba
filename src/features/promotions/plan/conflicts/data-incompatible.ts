import { text } from '../../../../foundation/i18n/text.ts';
import type { FieldContent } from '../../../../platform/metadata/field-types/field-content.ts';
import { MODEL } from '../../../../platform/metadata/models/model-type.ts';
import { isOfType } from '../../../../platform/metadata/resources/resource-type.ts';
import type { TargetTable } from '../state/target-table.ts';
import type { ConflictTypeDefinition, Finding } from './conflict-type.ts';

/** The target's records do not fit the model. */
export const DATA_INCOMPATIBLE: ConflictTypeDefinition = {
  severity: 'blocking',
  resolutions: ['keep_target'],
  async inCandidate(candidate) {
    const { source } = candidate;
    const table = isOfType(source, MODEL) ? candidate.table : null;
    if (!isOfType(source, MODEL) || !table) return [];
    const before = candidate.modelBefore;
    const { impossible, failing } = await table.planChange(source.content, before);
    const findings: Finding[] = Object.entries(impossible).map(([field, problem]) => ({
      message: text('{place} {problem}', { place: field, problem }),
      details: { field, rows: failing.get(field) },
    }));
    for (const { field, rows, problem } of await table.unlistedValues(source.content, before)) {
      findings.push({ message: text('{place} {problem}', { place: field, problem }), details: { field, rows } });
    }
    for (const field of source.content.fields) findings.push(...(await newDemands(table, field)));
    return findings;
  },
};

/** The records that lack a value which the field now requires, or share one that it now wants unique. */
async function newDemands(table: TargetTable, field: FieldContent): Promise<Finding[]> {
  const findings: Finding[] = [];
  const { code } = field;
  const missing = await missingValues(table, field);
  if (missing > 0) {
    const details = { field: code, rows: missing };
    findings.push({ message: text('{field} is required, and {rows} records lack it', details), details });
  }
  const isNew = field.unique && table.columns.has(code) && !table.isUnique(code);
  const shared = isNew ? await table.duplicates(table.column(code)) : 0;
  if (shared > 0) {
    const details = { field: code, rows: shared };
    findings.push({ message: text('{field} is unique, and {rows} records share values', details), details });
  }
  return findings;
}

async function missingValues(table: TargetTable, field: FieldContent): Promise<number> {
  const column = table.columns.get(field.code);
  if (!field.required || column?.notNull) return 0;
  // A new column is filled with the field's default.
  if (!column && field.default !== undefined) return 0;
  return table.count(column ? `${table.column(field.code)} is null` : 'true');
}
