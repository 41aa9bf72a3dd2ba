import type { PlatformEntityManager } from '../../../../foundation/database/orm.ts';
import { sqlRunnerOf } from '../../../../foundation/database/sql-runner.ts';
import { text, type Message } from '../../../../foundation/i18n/text.ts';
import { Parameters } from '../../../../foundation/database/parameters.ts';
import { FIELD_TYPES } from '../../field-types/field-types.ts';
import type { FieldContent } from '../../field-types/field-content.ts';
import type { ModelContent } from '../model-content.ts';
import type { ExistingTable } from './existing-table.ts';
import { fieldsToCompute } from './computed-columns.ts';
import { codeBefore } from './field-renames.ts';
import { quoteIdentifier, tableName } from '../model.ts';

/** The values that are named; all are counted. */
const NAMED = 10;

/** An option of a field that may exclude values which the field had before; `column` is its present one. */
interface NarrowedField {
  readonly field: FieldContent;
  readonly option: 'values' | 'maxLength' | 'min' | 'max' | 'scale' | 'precision' | 'target';
  readonly column: string;
}

/** Records that do not fit what a field has become. */
export interface Misfits {
  readonly field: string;
  readonly option: NarrowedField['option'];
  readonly rows: number;
  readonly problem: Message;
}

/** The options that may have been narrowed on the way from `before`: only their records have to be read. */
export function narrowedFields(
  { fields }: ModelContent,
  before: ModelContent | undefined,
  existing: ExistingTable,
): NarrowedField[] {
  const fieldsBefore = new Map(before?.fields.map((field) => [field.code, field]));
  // What is computed anew does not keep its values.
  const replaced = new Set(fieldsToCompute({ fields }, before, existing).map(({ code }) => code));
  return fields.flatMap((field): NarrowedField[] => {
    if (!existing.columns.has(field.code) || replaced.has(field.code)) return [];
    const column = codeBefore(existing, field.code);
    const old = fieldsBefore.get(column);
    return narrowedOptions(field, old).map((option) => ({ field, option, column }));
  });
}

/** @param old the field before; undefined where its column is older than the field */
function narrowedOptions(field: FieldContent, old: FieldContent | undefined): NarrowedField['option'][] {
  const options: NarrowedField['option'][] = [];
  const { type, values = [], min, max, scale, precision, target } = field;
  if (type === 'enum' && (old?.type !== 'enum' || (old.values ?? []).some((value) => !values.includes(value))))
    options.push('values');
  if (maxLengthOf(field) < (old ? maxLengthOf(old) : Infinity)) options.push('maxLength');
  if (min !== undefined && min > (old?.min ?? -Infinity)) options.push('min');
  if (max !== undefined && max < (old?.max ?? Infinity)) options.push('max');
  if (scale !== undefined && scale < (old?.scale ?? Infinity)) options.push('scale');
  if (precision !== undefined && wholeOf(field) < (old ? wholeOf(old) : Infinity)) options.push('precision');
  if (target !== undefined && target !== old?.target) options.push('target');
  return options;
}

/** Digits before the point. */
function wholeOf({ precision = Infinity, scale = 0 }: FieldContent): number {
  return precision - scale;
}

/** In characters; a type that sets none may have any text. */
function maxLengthOf({ type, maxLength = FIELD_TYPES[type].maxLength }: FieldContent): number {
  return maxLength ?? Infinity;
}

/**
 * Counts the records of all tenants, also the deleted ones, that narrowed fields exclude. One statement for
 * all options, and one for each narrowed enum, whose values are named. In a transaction that has read a
 * `TableCatalog`.
 */
export async function misfitsOf(
  em: PlatformEntityManager,
  environment: string,
  modelCode: string,
  narrowed: readonly NarrowedField[],
): Promise<Misfits[]> {
  const enums = narrowed.filter(({ option }) => option === 'values');
  const found: Misfits[] = [];
  for (const one of enums) found.push(...(await unlistedValues(em, environment, modelCode, one)));
  const others = narrowed.filter(({ option }) => option !== 'values');
  if (others.length === 0) return found;
  const targets = await tablesOfTargets(em, environment, others);
  const parameters = new Parameters();
  const counts = others.map((one, index) => {
    const where = exclusion(one, targets, environment, parameters);
    return `count(*) filter (where ${where})::int as "${index}"`;
  });
  const [row] = await sqlRunnerOf(em).query<Record<string, number>>(
    `select ${counts.join(', ')} from ${tableName(environment, modelCode)} t`,
    parameters.values,
  );
  for (const [index, { field, option }] of others.entries()) {
    const rows = row?.[index] ?? 0;
    if (rows > 0) found.push({ field: field.code, option, rows, problem: problemOf(field, option, rows) });
  }
  return found;
}

/** The targets of narrowed relations whose tables are there. */
async function tablesOfTargets(
  em: PlatformEntityManager,
  environment: string,
  narrowed: readonly NarrowedField[],
): Promise<ReadonlySet<string>> {
  const targets = narrowed.flatMap(({ field, option }) => (option === 'target' ? (field.target ?? []) : []));
  if (targets.length === 0) return new Set();
  const rows = await sqlRunnerOf(em).query<{ target: string }>(
    `select substr(c.relname, 4) as target from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = $1 and c.relname = any($2)`,
    [environment, targets.map((target) => `mt_${target}`)],
  );
  return new Set(rows.map(({ target }) => target));
}

/** SQL: what records `t` are that the option excludes. */
function exclusion(
  { field, option, column }: NarrowedField,
  targets: ReadonlySet<string>,
  environment: string,
  parameters: Parameters,
): string {
  const given = `t.${quoteIdentifier(column)}::text`;
  if (option === 'maxLength') return `char_length(${given}) > ${parameters.add(maxLengthOf(field))}::int`;
  if (option === 'target') {
    const target = field.target ?? '';
    const isThere = targets.has(target)
      ? `exists (select from ${tableName(environment, target)} r where r.pid = ${given} and r.tenant_id = t.tenant_id)`
      : 'false';
    return `${given} is not null and not ${isThere}`;
  }
  const ifNumber = (excludes: string): string =>
    `case when platform.castable(${given}, 'numeric') then ${excludes} end`;
  if (option === 'scale') return ifNumber(`scale(${given}::numeric) > ${parameters.add(field.scale)}::int`);
  if (option === 'precision')
    return ifNumber(`abs(trunc(${given}::numeric)) >= 10::numeric ^ ${parameters.add(wholeOf(field))}::int`);
  // A value that is no number stands in the way by its type.
  const isMin = option === 'min';
  const limit = `${parameters.add(isMin ? field.min : field.max)}::numeric`;
  return ifNumber(`${given}::numeric ${isMin ? '<' : '>'} ${limit}`);
}

function problemOf(field: FieldContent, option: NarrowedField['option'], count: number): Message {
  if (option === 'maxLength')
    return text('{count} records have a text of more than {max} characters', { count, max: maxLengthOf(field) });
  if (option === 'scale')
    return text('{count} records have more than {max} digits after the point', { count, max: field.scale ?? 0 });
  if (option === 'precision')
    return text('{count} records have more than {max} digits before the point', { count, max: wholeOf(field) });
  if (option === 'min') return text('{count} records have less than {min}', { count, min: field.min ?? 0 });
  if (option === 'max') return text('{count} records have more than {max}', { count, max: field.max ?? 0 });
  return text('{count} records name what is no record of {target}', { count, target: field.target ?? '' });
}

async function unlistedValues(
  em: PlatformEntityManager,
  environment: string,
  modelCode: string,
  { field: { code: field, values = [] }, option, column: stored }: NarrowedField,
): Promise<Misfits[]> {
  const column = `${quoteIdentifier(stored)}::text`;
  const rows = await sqlRunnerOf(em).query<{ value: string; rows: number; total: number }>(
    `select ${column} as value, count(*)::int as rows, (sum(count(*)) over ())::int as total
     from ${tableName(environment, modelCode)}
     where ${column} not in (select jsonb_array_elements_text($1::jsonb))
     group by 1 order by 2 desc, 1 limit ${NAMED}`,
    [JSON.stringify(values)],
  );
  const count = rows[0]?.total ?? 0;
  if (count === 0) return [];
  const names = rows.map(({ value, rows: times }) => `${value} (${times})`).join(', ');
  const problem = text('lacks values that {count} records have: {names}', { count, names });
  return [{ field, option, rows: count, problem }];
}
