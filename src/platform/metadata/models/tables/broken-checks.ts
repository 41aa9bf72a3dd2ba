import type { PlatformEntityManager } from '../../../../foundation/database/orm.ts';
import { sqlRunnerOf } from '../../../../foundation/database/sql-runner.ts';
import { text } from '../../../../foundation/i18n/text.ts';
import { letOthersRun } from '../../../../foundation/jobs/turns.ts';
import { defaultVariableOf } from '../../field-types/default-variables.ts';
import { FIELD_TYPES, type FieldType } from '../../field-types/field-types.ts';
import { checkFieldValue } from '../../field-types/field-value.ts';
import type { ModelContent } from '../model-content.ts';
import { brokenCheck, fieldsOfCheck } from '../record-checks.ts';
import { quoteIdentifier, tableName, toModel, type Field, type Model } from '../model.ts';
import { CHECKED_PAGE_RECORDS, MAX_CHECKED_RECORDS } from '../models.limits.ts';
import type { RecordCheck } from '../rule-content.ts';
import type { ExistingTable } from './existing-table.ts';
import { codeBefore } from './field-renames.ts';
import type { BrokenRule } from './unfit-records.ts';

interface AddedCheck extends RecordCheck {
  readonly path: string;
}

/**
 * The checks which the model before did not have and which live records of the table break today, of all
 * tenants. Locks nothing: a record that is written meanwhile is not counted. In a transaction that has read a
 * `TableCatalog`.
 */
export async function brokenChecks(
  em: PlatformEntityManager,
  environment: string,
  modelCode: string,
  { content, before }: { readonly content: ModelContent; readonly before: ModelContent | undefined },
  existing: ExistingTable,
): Promise<BrokenRule[]> {
  const added = addedChecks(content, before);
  if (added.length === 0) return [];
  const model = toModel(environment, modelCode, content);
  const read = fieldsRead(added, model.fields);
  const stored = read.filter(({ code }) => existing.columns.has(code));
  const filled = read
    .filter(({ code }) => !existing.columns.has(code))
    .map((field) => [field.code, filledValue(field)]);
  const columns = stored.map((field, index) => `${storedValue(field, existing)} as c${index}`);
  const select = ['id::text as place', ...columns].join(', ');
  const counts = new Map<AddedCheck, number>();
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
      for (const check of added) {
        if (isBroken(model, record, check)) counts.set(check, (counts.get(check) ?? 0) + 1);
      }
    }
    if (rows.length < CHECKED_PAGE_RECORDS) break;
    place = rows.at(-1)?.place;
  }
  return added.flatMap((check) => {
    const count = counts.get(check) ?? 0;
    const { path, fields = [] } = check;
    return count === 0 ? [] : [{ path, fields, rows: count, problem: text('{count} records break it', { count }) }];
  });
}

function addedChecks({ checks = [] }: ModelContent, before: ModelContent | undefined): AddedCheck[] {
  const known = new Set(before?.checks?.map(({ assert }) => assert));
  return checks.flatMap((check, index) =>
    known.has(check.assert) ? [] : [{ ...check, path: `checks.${index}.assert` }],
  );
}

/** A check that cannot be evaluated refuses a write, too. */
function isBroken(model: Model, record: Readonly<Record<string, unknown>>, check: AddedCheck): boolean {
  try {
    return brokenCheck(model, record, [check]) !== undefined;
  } catch {
    return true;
  }
}

/** The fields that checks read, system fields among them. */
function fieldsRead(checks: readonly RecordCheck[], fields: ReadonlyMap<string, Field>): Field[] {
  const read = new Set(checks.flatMap(({ assert }) => fieldsOfCheck(assert, [...fields.keys()])));
  return [...fields.values()].filter(({ code }) => read.has(code));
}

/** SQL: the value of a field as a record has it in JSON, once the table follows the model. */
function storedValue({ code, type, content }: Field, existing: ExistingTable): string {
  const { column } = FIELD_TYPES[type];
  const present = quoteIdentifier(codeBefore(existing, code));
  const isAsStored = content === null || existing.columns.get(code)?.type === column;
  const castable = `case when platform.castable(${present}::text, '${column}') then ${present}::text::${column} end`;
  const value = isAsStored ? present : castable;
  if (type === 'datetime') return `to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  return NATIVE.includes(type) ? value : `${value}::text`;
}

/** Types whose values the driver reads as JSON has them. */
const NATIVE: readonly FieldType[] = ['boolean', 'integer', 'json'];

/** What records get that were there before the field. */
function filledValue({ content }: Field): unknown {
  if (!content?.required || content.default === undefined || defaultVariableOf(content) !== null) return null;
  const checked = checkFieldValue(content, content.default);
  return 'problem' in checked ? null : checked.value;
}
