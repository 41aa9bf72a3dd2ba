import { text } from '../../../../foundation/i18n/text.ts';
import { isUnique } from '../../../../platform/metadata/field-types/field-options.ts';
import type { FieldContent } from '../../../../platform/metadata/field-types/field-content.ts';
import { lacksValue } from '../../../../platform/metadata/models/tables/unfit-records.ts';
import { MODEL } from '../../../../platform/metadata/models/model-type.ts';
import { isOfType } from '../../../../platform/metadata/resources/resource-type.ts';
import type { TargetTable } from '../state/target-table.ts';
import type { ConflictTypeDefinition, Problem } from './conflict-type.ts';

/** The target's records do not fit the model. */
export const DATA_INCOMPATIBLE: ConflictTypeDefinition = {
  severity: 'blocking',
  resolutions: ['keep_target'],
  async inResource(proposed) {
    const { source } = proposed;
    const table = isOfType(source, MODEL) ? proposed.table : null;
    if (!isOfType(source, MODEL) || !table) return [];
    const before = proposed.modelBefore;
    const { impossible, failing } = await table.planChange(source.content, before);
    const problems: Problem[] = Object.entries(impossible).map(([field, problem]) => ({
      message: text('{place} {problem}', { place: field, problem }),
      details: { field, rows: failing.get(field) },
    }));
    for (const { field, option, rows, problem } of await table.misfits(source.content, before)) {
      if (Object.hasOwn(impossible, field)) continue;
      const place = option === 'values' ? field : `${field}.${option}:`;
      problems.push({ message: text('{place} {problem}', { place, problem }), details: { field, rows } });
    }
    for (const { path, fields, rows, problem } of await table.brokenRules(source.content, before)) {
      problems.push({
        message: text('{place} {problem}', { place: `${path}:`, problem }),
        details: { field: fields.join(', '), rows },
      });
    }
    for (const field of source.content.fields) problems.push(...(await newDemands(table, field)));
    return problems;
  },
};

/** The records that lack a value which the field now requires, or share one that it now wants unique. */
async function newDemands(table: TargetTable, field: FieldContent): Promise<Problem[]> {
  const problems: Problem[] = [];
  const { code } = field;
  const missing = await missingValues(table, field);
  if (missing > 0) {
    const details = { field: code, rows: missing };
    problems.push({ message: text('{field} is required, and {rows} records lack it', details), details });
  }
  const isNew = isUnique(field) && table.columns.has(code) && !table.isUnique(code);
  const shared = isNew ? await table.duplicates(table.column(code)) : 0;
  if (shared > 0) {
    const details = { field: code, rows: shared };
    problems.push({ message: text('{field} is unique, and {rows} records share values', details), details });
  }
  return problems;
}

async function missingValues(table: TargetTable, field: FieldContent): Promise<number> {
  const column = table.columns.get(field.code);
  if (!field.required || column?.notNull) return 0;
  // A new column is filled with the field's default.
  if (!column && field.default !== undefined) return 0;
  return table.count(column ? lacksValue(table.column(field.code)) : 'true');
}
