import type { PlatformEntityManager } from '../../../../foundation/database/orm.ts';
import type { ModelContent } from '../model-content.ts';
import type { ExistingTable } from './existing-table.ts';
import { renamesOf, withRenames } from './field-renames.ts';
import { narrowings, type FailingCasts } from './model-table.ts';
import { quoteIdentifier, tableName } from '../model.ts';

type Column = ExistingTable['columns'] extends ReadonlyMap<string, infer Value> ? Value : never;

/** The tables of models as Postgres' catalog has them. Three statements, however many models. */
export class TableCatalog {
  /** Whether `keyword` can use indexes here: without them it works, only slower. */
  readonly hasKeywordIndexes: boolean;
  readonly #tables: ReadonlyMap<string, ExistingTable>;

  private constructor(hasKeywordIndexes: boolean, tables: ReadonlyMap<string, ExistingTable>) {
    this.hasKeywordIndexes = hasKeywordIndexes;
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
    if (modelCodes.length === 0) return new TableCatalog(false, new Map());
    const [settings] = await em.execute<{ keyword_indexes: boolean }[]>(
      `select set_config('keelson.all_tenants', 'on', true),
         exists (select 1 from pg_opclass where opcname = 'keyword_ops') as keyword_indexes`,
    );
    const names = [environment, JSON.stringify(modelCodes.map((code) => `mt_${code}`))];
    const columns = await em.execute<{ table: string; name: string; type: string; not_null: boolean }[]>(
      `select c.relname as table, a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
         a.attnotnull as not_null
       from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = ? and c.relname in (select jsonb_array_elements_text(?::jsonb))
         and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped`,
      names,
    );
    const parts = await em.execute<{ table: string; name: string; part: 'indexes' | 'invalidIndexes' | 'checks' }[]>(
      `with t as (select c.oid, c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
         where n.nspname = ? and c.relname in (select jsonb_array_elements_text(?::jsonb)))
       select t.relname as table, i.relname as name,
         case when x.indisvalid then 'indexes' else 'invalidIndexes' end as part
       from t join pg_index x on x.indrelid = t.oid join pg_class i on i.oid = x.indexrelid
       union all select t.relname, k.conname, 'checks'
       from t join pg_constraint k on k.conrelid = t.oid and k.contype = 'c'`,
      names,
    );
    const tables = new Map<string, ReturnType<typeof emptyTable>>();
    for (const { table, name, type, not_null: notNull } of columns) {
      if (!tables.has(table)) tables.set(table, emptyTable());
      tables.get(table)?.columns.set(name, { type, notNull });
    }
    for (const { table, name, part } of parts) tables.get(table)?.[part].add(name);
    return new TableCatalog(settings?.keyword_indexes ?? false, tables);
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

function emptyTable() {
  return {
    columns: new Map<string, Column>(),
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
    await em.execute(`set local timezone = 'UTC'`);
    const [row] = await em.execute<{ rows: number }[]>(
      `select count(*)::int as rows from ${tableName(environment, modelCode)}
       where not platform.castable(${quoteIdentifier(column)}::text, ?)`,
      [type],
    );
    failing.set(field, row?.rows ?? 0);
  }
  return failing;
}
