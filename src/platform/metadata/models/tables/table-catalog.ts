import type { ExistingColumn, ExistingTable } from './existing-table.ts';
import type { PlatformEntityManager } from '../../../../foundation/database/orm.ts';
import { sqlRunnerOf } from '../../../../foundation/database/sql-runner.ts';
import type { ModelContent } from '../model-content.ts';
import { renamesOf, withRenames } from './field-renames.ts';
import { narrowings, type FailingCasts } from './model-table.ts';
import { quoteIdentifier, tableName } from '../model.ts';
import { BIG_TABLE_ROWS } from '../models.limits.ts';

/** The tables of models as Postgres' catalog has them. Three statements, however many models. */
export class TableCatalog {
  /** Whether `keyword` can use indexes here: without them it works, only slower. */
  readonly hasKeywordIndexes: boolean;
  /** Whether constraints against overlaps are possible here. */
  readonly hasRangeIndexes: boolean;
  readonly #tables: ReadonlyMap<string, ExistingTable>;

  private constructor(
    hasKeywordIndexes: boolean,
    hasRangeIndexes: boolean,
    tables: ReadonlyMap<string, ExistingTable>,
  ) {
    this.hasKeywordIndexes = hasKeywordIndexes;
    this.hasRangeIndexes = hasRangeIndexes;
    this.#tables = tables;
  }

  /**
   * Reads the tables of these models. From here on the transaction counts the records of all tenants,
   * whatever role owns the tables. Inside a transaction only.
   */
  static async read(
    em: PlatformEntityManager,
    environment: string,
    modelCodes: readonly string[],
  ): Promise<TableCatalog> {
    if (modelCodes.length === 0) return new TableCatalog(false, false, new Map());
    const [settings] = await sqlRunnerOf(em).query<{ keywordIndexes: boolean; rangeIndexes: boolean }>(
      `select set_config('keelson.all_tenants', 'on', true),
         exists (select 1 from pg_opclass where opcname = 'keyword_ops') as keyword_indexes,
         exists (select 1 from pg_extension where extname = 'btree_gist') as range_indexes`,
    );
    const names = [environment, modelCodes.map((code) => `mt_${code}`)];
    const columns = await sqlRunnerOf(em).query<{
      table: string;
      name: string;
      type: string;
      notNull: boolean;
      columnsMade: number;
    }>(
      `select c.relname as table, a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
         a.attnotnull as not_null, c.relnatts::int as columns_made
       from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = $1 and c.relname = any($2)
         and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped`,
      names,
    );
    const parts = await sqlRunnerOf(em).query<{
      table: string;
      name: string;
      part: 'indexes' | 'invalidIndexes' | 'checks';
    }>(
      `with t as (select c.oid, c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
         where n.nspname = $1 and c.relname = any($2))
       select t.relname as table, i.relname as name,
         case when x.indisvalid then 'indexes' else 'invalidIndexes' end as part
       from t join pg_index x on x.indrelid = t.oid join pg_class i on i.oid = x.indexrelid
       union all select t.relname, k.conname, 'checks'
       from t join pg_constraint k on k.conrelid = t.oid and k.contype = 'c'`,
      names,
    );
    const tables = new Map<string, ReturnType<typeof emptyTable>>();
    for (const { table, name, type, notNull, columnsMade } of columns) {
      if (!tables.has(table)) tables.set(table, emptyTable(columnsMade));
      tables.get(table)?.columns.set(name, { type, notNull });
    }
    for (const { table, name, part } of parts) tables.get(table)?.[part].add(name);
    return new TableCatalog(settings?.keywordIndexes ?? false, settings?.rangeIndexes ?? false, tables);
  }

  /** The table of a model; null where it does not exist. */
  table(modelCode: string): ExistingTable | null {
    return this.#tables.get(`mt_${modelCode}`) ?? null;
  }

  /** As `table`, under the names that the columns get when the model follows `before`. */
  tableFor(
    environment: string,
    modelCode: string,
    content: ModelContent,
    before: ModelContent | undefined,
  ): ExistingTable | null {
    const existing = this.table(modelCode);
    const renames = existing ? renamesOf(content, before, existing) : [];
    return existing && withRenames(tableName(environment, modelCode), modelCode, existing, renames);
  }
}

function emptyTable(columnsMade: number) {
  return {
    columnsMade,
    columns: new Map<string, ExistingColumn>(),
    indexes: new Set<string>(),
    invalidIndexes: new Set<string>(),
    checks: new Set<string>(),
  };
}

/**
 * Counts the values, of all tenants and also of deleted records, that a change of their column's type would
 * lose. Reads the table, changes nothing. Zero means that the column can be altered. `existing` is from a
 * `TableCatalog` of the transaction.
 */
export async function failingCasts(
  em: PlatformEntityManager,
  environment: string,
  modelCode: string,
  content: ModelContent,
  existing: ExistingTable | null,
): Promise<FailingCasts> {
  const failing = new Map<string, number>();
  for (const { field, column, type } of existing ? narrowings(content, existing) : []) {
    // A time's text depends on the session's zone: here, and when the column is altered in the same
    // transaction.
    await sqlRunnerOf(em).query(`set local timezone = 'UTC'`);
    const [row] = await sqlRunnerOf(em).query<{ rows: number }>(
      `select count(*)::int as rows from ${tableName(environment, modelCode)}
       where not platform.castable(${quoteIdentifier(column)}::text, $1)`,
      [type],
    );
    failing.set(field, row?.rows ?? 0);
  }
  return failing;
}

/** Whether a model's table holds so many records that reading all of them must not hold up writers. */
export async function isBigTable(em: PlatformEntityManager, environment: string, modelCode: string): Promise<boolean> {
  const [row] = await sqlRunnerOf(em).query<{ rows: number }>(
    `select count(*)::int as rows from (select from ${tableName(environment, modelCode)} limit $1) t`,
    [BIG_TABLE_ROWS + 1],
  );
  return (row?.rows ?? 0) > BIG_TABLE_ROWS;
}
