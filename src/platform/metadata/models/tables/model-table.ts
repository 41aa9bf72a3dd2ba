import type { ModelContent } from '../model-content.ts';
import { defaultVariableOf } from '../../field-types/default-variables.ts';
import type { FieldContent } from '../../field-types/field-content.ts';
import { MAX_COLUMNS } from '../models.limits.ts';
import { FIELD_TYPES } from '../../field-types/field-types.ts';
import { checkFieldValue } from '../../field-types/field-value.ts';
import type { ExistingTable } from './existing-table.ts';
import { codeBefore } from './field-renames.ts';
import { isComputed, quoteIdentifier, tableName } from '../model.ts';
import { computedName } from './computed-columns.ts';
import { indexName, notNullName, planIndexes, type Deferrable, type NewExclusion } from './table-indexes.ts';
import { APP_ROLE } from '../../../../foundation/database/pool.ts';
import type { FieldErrors } from '../../../../foundation/errors/application-error.ts';
import { Text, text } from '../../../../foundation/i18n/text.ts';

/**
 * Lets the owner of the tables look at the records of all tenants, in transactions that say so
 * (`lookAtAllTenants`): an owner that is no superuser is bound by row-level security, too. The role of
 * requests is not the owner, whatever it sets.
 */
const ALL_TENANTS = `current_setting('keelson.all_tenants', true) = 'on'`;

/** Field code -> how many stored values do not cast to the field's new type. */
export type FailingCasts = ReadonlyMap<string, number>;

export interface TablePlan {
  readonly statements: readonly string[];
  /** Those of the statements that read the whole table, and can be carried out after the publish. */
  readonly deferrable: readonly Deferrable[];
  /** The names of all that can be built for the model, whether it is there or not. */
  readonly buildable: ReadonlySet<string>;
  /** New constraints against overlaps. */
  readonly exclusions: readonly NewExclusion[];
  /** Field code -> why the table cannot follow the model. */
  readonly impossible: FieldErrors;
}

const SYSTEM_COLUMNS = `
  id bigint generated always as identity primary key,
  pid varchar(32) not null unique,
  tenant_id bigint not null,
  created_at timestamptz(3) not null default now(),
  created_by varchar(32) not null,
  updated_at timestamptz(3) not null default now(),
  updated_by varchar(32) not null,
  version int not null default 1,
  deleted_at timestamptz(3)`;

/**
 * The statements that make a model's table what the model says: creates it, adds columns and indexes, changes
 * types. Nothing is ever dropped here: a field that left the model keeps its column and its data.
 * @param existing null where the table is not there yet
 * @param hasKeywordIndexes whether searchable fields get an index for `keyword`: see `platform.keyword_ops`
 * @param failing what `failingCasts` found; without it, a type that could lose values is impossible
 */
export function planTable(
  environment: string,
  modelCode: string,
  content: ModelContent,
  existing: ExistingTable | null,
  hasKeywordIndexes: boolean,
  failing: FailingCasts = new Map(),
): TablePlan {
  const table = tableName(environment, modelCode);
  const indexes = planIndexes(table, modelCode, content, existing, hasKeywordIndexes);
  // An index that goes may be one that the new type of its column cannot have.
  const statements: string[] = existing
    ? [...(existing.renamed ?? []), ...indexes.dropped]
    : createTable(table, modelCode);
  const impossible: FieldErrors = {};
  const deferrable: Deferrable[] = [];
  const buildable = new Set(indexes.wanted);
  let free = MAX_COLUMNS - (existing?.columnsMade ?? 0);
  for (const field of content.fields) {
    const check = notNullName(modelCode, field.code);
    if (field.required) buildable.add(check);
    if (isComputed(field)) buildable.add(computedName(modelCode, field));
    const present = existing?.columns.get(field.code);
    if (!present) {
      free -= 1;
      if (existing && free < 0) impossible[field.code] = noColumnLeft(content, existing);
      statements.push(...addColumn(table, field, existing !== null));
      continue;
    }
    const change = changeType(table, field, present.type, failing.get(field.code));
    if (change instanceof Text) impossible[field.code] = change;
    else if (change !== null) statements.push(change);
    const isChecked = existing?.checks.has(check) ?? false;
    if (field.required && !present.notNull && !isChecked) {
      const column = quoteIdentifier(field.code);
      const statement = `alter table ${table} alter column ${column} set not null`;
      statements.push(statement);
      const meanwhile = `alter table ${table} add constraint ${quoteIdentifier(check)} check (${column} is not null) not valid`;
      deferrable.push({ kind: 'NOT_NULL', name: check, fieldCode: field.code, statement, meanwhile });
    }
    if (!field.required) statements.push(...allowNull(table, field.code, present.notNull, isChecked ? check : null));
  }
  // A field that left the model must not make inserts fail.
  for (const [code, { notNull }] of existing ? removedColumns(content, existing) : []) {
    const check = notNullName(modelCode, code);
    const isChecked = existing?.checks.has(check) ?? false;
    statements.push(...allowNull(table, code, notNull, isChecked ? check : null));
  }
  const { created, exclusions } = indexes;
  statements.push(...[...created, ...exclusions].map(({ statement }) => statement));
  return { statements, deferrable: [...deferrable, ...created], buildable, exclusions, impossible };
}

/** The columns of fields that have left the model, with what they hold. */
export function removedColumns({ fields }: ModelContent, { columns }: ExistingTable): ExistingTable['columns'] {
  const own = new Set(fields.map(({ code }) => code));
  return new Map([...columns].filter(([code]) => !own.has(code) && !SYSTEM_COLUMNS.includes(`\n  ${code} `)));
}

function noColumnLeft(content: ModelContent, existing: ExistingTable): Text {
  const removed = removedColumns(content, existing).size;
  return text(
    'has no place: a table has {max} columns, {removed} of which are of removed fields: renamedFrom takes one over, keelson fields drop --rewrite frees all',
    {
      max: MAX_COLUMNS,
      removed,
    },
  );
}

/** @returns the statement, or why the column cannot change; null where it has the type */
function changeType(
  table: string,
  { code, type: fieldType }: FieldContent,
  present: string,
  failing: number | undefined,
): string | Text | null {
  const column = quoteIdentifier(code);
  const { column: type, widensFrom = [] } = FIELD_TYPES[fieldType];
  if (present === type) return null;
  const alter = `alter table ${table} alter column ${column} type ${type}`;
  if (widensFrom.includes(present)) return `${alter} using ${column}::${type}`;
  if (failing === 0) return `${alter} using (${column}::text)::${type}`;
  return text('cannot become {type}: the column is {column} and {problem}', {
    type: fieldType,
    column: present,
    problem:
      failing === undefined
        ? 'may hold other values'
        : text('holds {count} values that do not fit', { count: failing }),
  });
}

/** @param check the constraint that stands in for NOT NULL, which a build may be turning into it just now */
function allowNull(table: string, field: string, notNull: boolean, check: string | null): string[] {
  const statements = [];
  if (notNull || check !== null)
    statements.push(`alter table ${table} alter column ${quoteIdentifier(field)} drop not null`);
  if (check !== null) statements.push(`alter table ${table} drop constraint if exists ${quoteIdentifier(check)}`);
  return statements;
}

/**
 * The fields whose type changes to one that not every value of the old one has, with their present columns.
 */
export function narrowings(
  { fields }: ModelContent,
  existing: ExistingTable,
): { field: string; column: string; type: string }[] {
  return fields.flatMap(({ code, type: fieldType }) => {
    const present = existing.columns.get(code)?.type;
    const { column: type, widensFrom = [] } = FIELD_TYPES[fieldType];
    const isSafe = present === undefined || present === type || widensFrom.includes(present);
    return isSafe ? [] : [{ field: code, column: codeBefore(existing, code), type }];
  });
}

/** A required field of a table with records gives them its default; from then on the program fills it in. */
function addColumn(table: string, field: FieldContent, mayHoldRecords: boolean): string[] {
  const column = quoteIdentifier(field.code);
  const { column: type } = FIELD_TYPES[field.type];
  const add = `alter table ${table} add column ${column} ${type}`;
  if (!field.required) return [add];
  const isFilled = mayHoldRecords && field.default !== undefined && defaultVariableOf(field) === null;
  const filled = isFilled ? checkFieldValue(field, field.default) : null;
  if (filled === null || 'problem' in filled) return [`${add} not null`];
  const literal = `${quoteLiteral(String(filled.value))}::${type}`;
  return [`${add} not null default ${literal}`, `alter table ${table} alter column ${column} drop default`];
}

/** DDL takes no parameters: the one text of a designer that stands in a statement. */
function quoteLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function createTable(table: string, modelCode: string): string[] {
  return [
    `create table ${table} (${SYSTEM_COLUMNS})`,
    `create index ${quoteIdentifier(indexName(modelCode, 'deleted_at', 'trash'))} on ${table} (tenant_id, deleted_at desc, id desc) where deleted_at is not null`,
    `create index ${quoteIdentifier(indexName(modelCode, 'created_at', 'list'))} on ${table} (tenant_id, created_at desc, id desc) where deleted_at is null`,
    `alter table ${table} enable row level security`,
    `alter table ${table} force row level security`,
    `create policy tenant on ${table} using (tenant_id = platform.current_tenant())`,
    `create policy owner_counts on ${table} for select to current_user using (${ALL_TENANTS})`,
    // No delete: a delete is a soft delete.
    `grant select, insert, update on ${table} to ${APP_ROLE}`,
  ];
}
