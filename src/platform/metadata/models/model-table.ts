import { createHash } from 'node:crypto';
import type { ModelContent } from './model-content.ts';
import { defaultVariableOf } from '../field-types/default-variables.ts';
import type { FieldContent } from '../field-types/field-content.ts';
import { FIELD_TYPES } from '../field-types/field-types.ts';
import { checkFieldValue } from '../field-types/field-value.ts';
import { quoteIdentifier, tableName } from './model.ts';
import { APP_ROLE } from '../../../foundation/database/pool.ts';
import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { text } from '../../../foundation/i18n/text.ts';

/**
 * Lets the owner of the tables look at the records of all tenants, in transactions that say so
 * (`lookAtAllTenants`): an owner that is no superuser is bound by row-level security, too. The role of
 * requests is not the owner, whatever it sets.
 */
const ALL_TENANTS = `current_setting('keelson.all_tenants', true) = 'on'`;

/**
 * A table as Postgres has it: column name -> type as `format_type` prints it, and whether it refuses null.
 */
export interface ExistingTable {
  readonly columns: ReadonlyMap<string, { readonly type: string; readonly notNull: boolean }>;
  readonly indexes: ReadonlySet<string>;
}

/** Field code -> how many stored values do not cast to the field's new type. */
export type FailingCasts = ReadonlyMap<string, number>;

export interface TablePlan {
  readonly statements: readonly string[];
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
 * @param hasTrigrams whether pg_trgm is installed, so that searchable fields get an index for `keyword`
 * @param failing what `failingCasts` found; without it, a type that could lose values is impossible
 */
export function planTable(
  environment: string,
  modelCode: string,
  content: ModelContent,
  existing: ExistingTable | null,
  hasTrigrams: boolean,
  failing: FailingCasts = new Map(),
): TablePlan {
  const table = tableName(environment, modelCode);
  const indexes = planIndexes(table, modelCode, content, existing, hasTrigrams);
  // An index that goes may be one that the new type of its column cannot have.
  const statements: string[] = existing ? [...indexes.dropped] : createTable(table, modelCode);
  const impossible: FieldErrors = {};
  for (const field of content.fields) {
    const column = quoteIdentifier(field.code);
    const present = existing?.columns.get(field.code);
    const { column: type, widensFrom = [] } = FIELD_TYPES[field.type];
    if (!present) {
      statements.push(...addColumn(table, field, existing !== null));
      continue;
    }
    if (present.type !== type) {
      if (widensFrom.includes(present.type)) {
        statements.push(`alter table ${table} alter column ${column} type ${type} using ${column}::${type}`);
      } else if (failing.get(field.code) === 0) {
        statements.push(`alter table ${table} alter column ${column} type ${type} using (${column}::text)::${type}`);
      } else {
        const rows = failing.get(field.code);
        impossible[field.code] = text('cannot become {type}: the column is {column} and {problem}', {
          type: field.type,
          column: present.type,
          problem:
            rows === undefined
              ? 'may hold other values'
              : text('holds {count} values that do not fit', { count: rows }),
        });
      }
    }
    if (present.notNull !== (field.required ?? false)) {
      statements.push(`alter table ${table} alter column ${column} ${field.required ? 'set' : 'drop'} not null`);
    }
  }
  // A field that left the model must not make inserts fail.
  const own = new Set(content.fields.map(({ code }) => code));
  for (const [code, { notNull }] of existing?.columns ?? []) {
    if (notNull && !own.has(code) && !SYSTEM_COLUMNS.includes(`\n  ${code} `)) {
      statements.push(`alter table ${table} alter column ${quoteIdentifier(code)} drop not null`);
    }
  }
  statements.push(...indexes.created);
  return { statements, impossible };
}

/** The columns whose type changes to one that not every value of the old one has. */
export function narrowings({ fields }: ModelContent, existing: ExistingTable): { field: string; type: string }[] {
  return fields.flatMap(({ code, type: fieldType }) => {
    const present = existing.columns.get(code)?.type;
    const { column, widensFrom = [] } = FIELD_TYPES[fieldType];
    const isSafe = present === undefined || present === column || widensFrom.includes(present);
    return isSafe ? [] : [{ field: code, type: column }];
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
    `create index ${quoteIdentifier(indexName(modelCode, 'created_at', 'list'))} on ${table} (tenant_id, created_at desc, id desc) where deleted_at is null`,
    `alter table ${table} enable row level security`,
    `alter table ${table} force row level security`,
    `create policy tenant on ${table} using (tenant_id = platform.current_tenant())`,
    `create policy owner_counts on ${table} for select to current_user using (${ALL_TENANTS})`,
    // No delete: a delete is a soft delete.
    `grant select, insert, update on ${table} to ${APP_ROLE}`,
  ];
}

/** Indexes come and go with the options `unique`, `indexed` and `searchable`; no data is lost with one. */
function planIndexes(
  table: string,
  modelCode: string,
  { fields }: ModelContent,
  existing: ExistingTable | null,
  hasTrigrams: boolean,
): { dropped: string[]; created: string[] } {
  const wanted = new Map<string, string>();
  for (const field of fields) {
    const column = quoteIdentifier(field.code);
    if (field.unique) {
      wanted.set(uniqueIndexName(modelCode, field.code), `unique|(tenant_id, ${column}) where deleted_at is null`);
    }
    if (field.indexed || FIELD_TYPES[field.type].alwaysIndexed) {
      const columns = `(tenant_id, ${column}, created_at desc, id desc)`;
      wanted.set(indexName(modelCode, field.code, 'sort'), `plain|${columns} where deleted_at is null`);
    }
    // Read backwards, an ascending index gives records without a value first; lists have them last.
    if ((field.indexed || field.unique) && !field.required) {
      const columns = `(tenant_id, ${column} desc nulls last, id desc)`;
      wanted.set(indexName(modelCode, field.code, 'desc'), `plain|${columns} where deleted_at is null`);
    }
    if (field.searchable && hasTrigrams) {
      wanted.set(
        indexName(modelCode, field.code, 'trgm'),
        `plain|using gin (${column} gin_trgm_ops) where deleted_at is null`,
      );
    }
  }
  const created: string[] = [];
  for (const [name, definition] of wanted) {
    if (existing?.indexes.has(name)) continue;
    const [kind, rest] = definition.split('|') as [string, string];
    created.push(`create ${kind === 'unique' ? 'unique ' : ''}index ${quoteIdentifier(name)} on ${table} ${rest}`);
  }
  const schema = table.split('.')[0];
  const isOurs = (name: string): boolean => /_(key|sort|desc|trgm)$/.test(name) && name.startsWith('ix_');
  const dropped = [...(existing?.indexes ?? [])]
    .filter((name) => isOurs(name) && !wanted.has(name))
    .map((name) => `drop index ${schema}.${quoteIdentifier(name)}`);
  return { dropped, created };
}

/** The index that keeps a field unique: a violation names it, and the answer names the field. */
export function uniqueIndexName(modelCode: string, fieldCode: string): string {
  return indexName(modelCode, fieldCode, 'key');
}

/**
 * A name that no other index of the schema has. A hash tells apart what would read alike (`order` +
 * `line_sku`, `order_line` + `sku`) and what Postgres would cut at 63 bytes.
 */
function indexName(modelCode: string, fieldCode: string, kind: string): string {
  const plain = `ix_${modelCode}_${fieldCode}_${kind}`;
  if (plain.length <= 63 && !modelCode.includes('_')) return plain;
  const hash = createHash('sha1').update(`${modelCode}.${fieldCode}`).digest('hex').slice(0, 12);
  return `ix_${modelCode.slice(0, 30)}_${hash}_${kind}`;
}
