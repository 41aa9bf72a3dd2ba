import type { PlatformEntityManager } from '../../../../foundation/database/orm.ts';
import { sqlRunnerOf } from '../../../../foundation/database/sql-runner.ts';
import { text, type Message } from '../../../../foundation/i18n/text.ts';
import { letOthersRun } from '../../../../foundation/jobs/turns.ts';
import { defaultVariableOf } from '../../field-types/default-variables.ts';
import { checkFieldValue } from '../../field-types/field-value.ts';
import type { ModelContent } from '../model-content.ts';
import { brokenCheck, fieldsOfCheck } from '../record-checks.ts';
import { computedValues } from '../computed-values.ts';
import { quoteIdentifier, tableName, toModel, type ComputedField, type Field, type Model } from '../model.ts';
import { CHECKED_PAGE_RECORDS, MAX_CHECKED_RECORDS } from '../models.limits.ts';
import type { RecordCheck } from '../rule-content.ts';
import { fieldsToCompute } from './computed-columns.ts';
import type { ExistingTable } from './existing-table.ts';
import { codeBefore } from './field-renames.ts';
import { futureValue } from './stored-values.ts';
import type { BrokenRule } from './unfit-records.ts';

interface AddedCheck extends RecordCheck {
  readonly path: string;
}

/** A computed field that records get their values of, and where it stands. */
interface AddedField {
  readonly field: ComputedField;
  readonly path: string;
}

/**
 * The checks which the model before did not have and which live records of the table break today, and the new
 * computed fields that have no value for them, of all tenants. Locks nothing: a record that is written
 * meanwhile is not counted. In a transaction that has read a `TableCatalog`.
 */
export async function brokenChecks(
  em: PlatformEntityManager,
  environment: string,
  modelCode: string,
  { content, before }: { readonly content: ModelContent; readonly before: ModelContent | undefined },
  existing: ExistingTable,
): Promise<BrokenRule[]> {
  const computed = fieldsToCompute(content, before, existing);
  const fields = computed.map((field) => ({ field, path: `fields.${content.fields.indexOf(field)}.computed` }));
  const replaced = await replacedValues(em, environment, modelCode, fields, before, existing);
  const added = addedChecks(content, before, new Set(computed.map(({ code }) => code)));
  if (added.length + fields.length === 0) return replaced;
  const model = toModel(environment, modelCode, content);
  const read = fieldsRead([...added.map(({ assert }) => assert), ...computed.map((each) => each.computed)], model);
  const stored = read.filter(({ code }) => existing.columns.has(code));
  const filled = read
    .filter(({ code }) => !existing.columns.has(code))
    .map((field) => [field.code, filledValue(field)]);
  const columns = stored.map((field, index) => `${futureValue(field, existing)} as c${index}`);
  const select = ['id::text as place', ...columns].join(', ');
  const counts = new Map<AddedCheck | AddedField, number>();
  const count = (one: AddedCheck | AddedField) => counts.set(one, (counts.get(one) ?? 0) + 1);
  let place: unknown = null;
  for (let checked = 0; checked < MAX_CHECKED_RECORDS; checked += CHECKED_PAGE_RECORDS) {
    const rows: Record<string, unknown>[] = await sqlRunnerOf(em).query(
      `select ${select} from ${tableName(environment, modelCode)}
       where deleted_at is null and ($1::bigint is null or id < $1::bigint) order by id desc limit $2`,
      [place, CHECKED_PAGE_RECORDS],
    );
    for (const row of rows) {
      await letOthersRun();
      const values = stored.map(({ code }, index) => [code, row[`c${index}`]]);
      const record = Object.fromEntries([...values, ...filled]) as Record<string, unknown>;
      for (const one of fields) {
        const value = valueOf(model, record, one.field);
        record[one.field.code] = value ?? null;
        if (value === undefined) count(one);
      }
      for (const check of added) if (isBroken(model, record, check)) count(check);
    }
    if (rows.length < CHECKED_PAGE_RECORDS) break;
    place = rows.at(-1)?.place;
  }
  const told = (one: AddedCheck | AddedField, codes: readonly string[], problem: (rows: number) => Message) => {
    const rows = counts.get(one) ?? 0;
    return rows === 0 ? [] : [{ path: one.path, fields: codes, rows, problem: problem(rows) }];
  };
  return [
    ...replaced,
    ...fields.flatMap((one) =>
      told(one, [one.field.code], (rows) => text('{count} records have no value that fits', { count: rows })),
    ),
    ...added.flatMap((one) => told(one, one.fields ?? [], (rows) => text('{count} records break it', { count: rows }))),
  ];
}

/** The values that people gave fields which are to be computed: an expression would take their place. */
async function replacedValues(
  em: PlatformEntityManager,
  environment: string,
  modelCode: string,
  added: readonly AddedField[],
  before: ModelContent | undefined,
  existing: ExistingTable,
): Promise<BrokenRule[]> {
  const found: BrokenRule[] = [];
  for (const { field, path } of added) {
    const column = codeBefore(existing, field.code);
    const old = before?.fields.find(({ code }) => code === column);
    if (!old || old.computed !== undefined || !existing.columns.has(field.code)) continue;
    const [row] = await sqlRunnerOf(em).query<{ rows: number }>(
      `select count(${quoteIdentifier(column)})::int as rows from ${tableName(environment, modelCode)}`,
    );
    const rows = row?.rows ?? 0;
    const problem = text('would replace the values of {count} records: give it a code of its own', { count: rows });
    if (rows > 0) found.push({ path, fields: [field.code], rows, problem });
  }
  return found;
}

/** What a record would hold in a field; undefined where that does not fit, or takes too long. */
function valueOf(model: Model, record: Readonly<Record<string, unknown>>, field: ComputedField): unknown {
  try {
    const { values } = computedValues(model, record, [field]);
    return values.get(field.code);
  } catch {
    return undefined;
  }
}

/** @param computed the fields whose values change: a check that reads one is as good as new */
function addedChecks(
  { checks = [], fields }: ModelContent,
  before: ModelContent | undefined,
  computed: ReadonlySet<string>,
): AddedCheck[] {
  const known = new Set(before?.checks?.map(({ assert }) => assert));
  const codes = fields.map(({ code }) => code);
  return checks.flatMap((check, index) => {
    const isNew = !known.has(check.assert) || fieldsOfCheck(check.assert, codes).some((code) => computed.has(code));
    return isNew ? [{ ...check, path: `checks.${index}.assert` }] : [];
  });
}

/** A check that cannot be evaluated refuses a write, too. */
function isBroken(model: Model, record: Readonly<Record<string, unknown>>, check: AddedCheck): boolean {
  try {
    return brokenCheck(model, record, [check]) !== undefined;
  } catch {
    return true;
  }
}

/** The fields that expressions read, system fields among them. */
function fieldsRead(expressions: readonly string[], { fields }: Model): Field[] {
  const read = new Set(expressions.flatMap((source) => fieldsOfCheck(source, [...fields.keys()])));
  return [...fields.values()].filter(({ code }) => read.has(code));
}

/** What records get that were there before the field. */
function filledValue({ content }: Field): unknown {
  if (!content?.required || content.default === undefined || defaultVariableOf(content) !== null) return null;
  const checked = checkFieldValue(content, content.default);
  return 'problem' in checked ? null : checked.value;
}
