import type { PlatformEntityManager } from '../../../../foundation/database/orm.ts';
import { sqlRunnerOf } from '../../../../foundation/database/sql-runner.ts';
import type { ModelContent } from '../model-content.ts';
import { quoteIdentifier, tableName } from '../model.ts';
import { REWRITTEN_BYTES_PER_SECOND } from '../models.limits.ts';
import { planTable, removedColumns } from './model-table.ts';
import { TableCatalog } from './table-catalog.ts';

/** A field that has left its model, and whose column is there. */
export interface RemovedField {
  readonly code: string;
  readonly column: string;
  /** How many records have a value, of all tenants, deleted ones included; null where it was not counted. */
  readonly values: number | null;
}

/** A model's removed fields, and how many columns Postgres has ever made for its table. */
export interface RemovedFields {
  readonly columnsMade: number;
  readonly fields: readonly RemovedField[];
}

/** The removed fields of models that have any. Inside a transaction only. */
export async function removedFieldsOf(
  em: PlatformEntityManager,
  environment: string,
  models: ReadonlyMap<string, ModelContent>,
): Promise<Map<string, RemovedFields>> {
  const catalog = await TableCatalog.read(em, environment, [...models.keys()]);
  const found = new Map<string, RemovedFields>();
  for (const [code, content] of models) {
    const existing = catalog.table(code);
    const columns = existing ? [...removedColumns(content, existing)] : [];
    const fields = columns.map(([field, { type }]) => ({ code: field, column: type, values: null }));
    if (existing && fields.length > 0) found.set(code, { columnsMade: existing.columnsMade, fields });
  }
  return found;
}

/**
 * The same of one model, with the numbers of their values: reads the whole table. Inside a transaction
 * only.
 */
export async function countedRemovedFields(
  em: PlatformEntityManager,
  environment: string,
  modelCode: string,
  content: ModelContent,
): Promise<RemovedFields> {
  const catalog = await TableCatalog.read(em, environment, [modelCode]);
  const existing = catalog.table(modelCode);
  const columns = existing ? [...removedColumns(content, existing)] : [];
  const counts = columns.map(([code]) => `count(${quoteIdentifier(code)})`).join(', ');
  const [row] =
    columns.length === 0
      ? []
      : await sqlRunnerOf(em).query<{ counts: string[] }>(
          `select array[${counts}]::text[] as counts from ${tableName(environment, modelCode)}`,
        );
  const fields = columns.map(([code, { type }], index) => ({ code, column: type, values: Number(row?.counts[index]) }));
  return { columnsMade: existing?.columnsMade ?? 0, fields };
}

/** What writing a table anew takes, by its size. */
export async function rewriteEstimate(
  em: PlatformEntityManager,
  environment: string,
  modelCode: string,
): Promise<{ readonly megabytes: number; readonly seconds: number }> {
  const [size] = await sqlRunnerOf(em).query<{ bytes: number }>(
    `select coalesce(pg_total_relation_size(to_regclass($1)), 0)::float8 as bytes`,
    [tableName(environment, modelCode)],
  );
  const bytes = size?.bytes ?? 0;
  return { megabytes: Math.ceil(bytes / 1024 / 1024), seconds: Math.ceil(bytes / REWRITTEN_BYTES_PER_SECOND) };
}

/**
 * Keeps readers and writers from a model's table until the transaction ends. @throws Postgres'
 * lock_not_available
 */
export async function lockAlone(em: PlatformEntityManager, environment: string, modelCode: string): Promise<void> {
  await sqlRunnerOf(em).query(`set local lock_timeout = '2s'`);
  await sqlRunnerOf(em).query(`lock table ${tableName(environment, modelCode)} in access exclusive mode`);
}

export async function dropColumns(
  em: PlatformEntityManager,
  environment: string,
  modelCode: string,
  fields: readonly string[],
): Promise<void> {
  if (fields.length === 0) return;
  const drops = fields.map((code) => `drop column ${quoteIdentifier(code)}`).join(', ');
  await sqlRunnerOf(em).query(`alter table ${tableName(environment, modelCode)} ${drops}`);
}

/**
 * Where the table stands while its records are copied: its indexes and its sequence keep their names there.
 */
const ASIDE = 'platform';

/**
 * Makes a model's table anew, with its records: Postgres counts dropped columns for as long as a table
 * lives. The caller has locked it. Inside a transaction only.
 */
export async function rewriteTable(
  em: PlatformEntityManager,
  environment: string,
  modelCode: string,
  content: ModelContent,
): Promise<void> {
  const runner = sqlRunnerOf(em);
  const catalog = await TableCatalog.read(em, environment, [modelCode]);
  const existing = catalog.table(modelCode);
  if (!existing) return;
  const [table, old] = [tableName(environment, modelCode), tableName(ASIDE, modelCode)];
  await runner.query(`alter table ${table} set schema ${ASIDE}`);
  const { statements } = planTable(environment, modelCode, content, null, catalog.hasKeywordIndexes);
  const isIndex = (statement: string): boolean => /^create (unique )?index /.test(statement);
  const kept = [...removedColumns(content, existing)].map(
    ([code, { type }]) => `alter table ${table} add column ${quoteIdentifier(code)} ${type}`,
  );
  for (const statement of [...statements.filter((one) => !isIndex(one)), ...kept]) await runner.query(statement);
  // The owner is bound by row-level security, too, unless told otherwise.
  for (const each of [table, old]) await runner.query(`alter table ${each} no force row level security`);
  const columns = [...existing.columns.keys()].map(quoteIdentifier).join(', ');
  await runner.query(
    `insert into ${table} (${columns}) overriding system value select ${columns} from ${old} order by id`,
  );
  await runner.query(`alter table ${table} force row level security`);
  for (const statement of statements.filter(isIndex)) await runner.query(statement);
  await continueSequence(em, old, table);
  await runner.query(`drop table ${old}`);
  await runner.query(`analyze ${table}`);
}

/** No number of a record is given again. */
async function continueSequence(em: PlatformEntityManager, from: string, to: string): Promise<void> {
  const runner = sqlRunnerOf(em);
  const [names] = await runner.query<{ source: string; target: string }>(
    `select pg_get_serial_sequence($1, 'id') as source, pg_get_serial_sequence($2, 'id') as target`,
    [from, to],
  );
  if (names)
    await runner.query(`select setval($1::regclass, last_value, is_called) from ${names.source}`, [names.target]);
}
