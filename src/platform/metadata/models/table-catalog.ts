import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import type { ModelContent } from './model-content.ts';
import { narrowings, type ExistingTable, type FailingCasts } from './model-table.ts';
import { quoteIdentifier, tableName } from './model.ts';

/** A model's table as Postgres' catalog has it; null where it does not exist. */
export async function readTable(
  em: PlatformEntityManager,
  environment: string,
  modelCode: string,
): Promise<ExistingTable | null> {
  const columns = await em.execute<{ name: string; type: string; not_null: boolean }[]>(
    `select a.attname as name, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as not_null
     from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = ? and c.relname = ? and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped`,
    [environment, `mt_${modelCode}`],
  );
  if (columns.length === 0) return null;
  const indexes = await em.execute<{ name: string }[]>(
    'select indexname as name from pg_indexes where schemaname = ? and tablename = ?',
    [environment, `mt_${modelCode}`],
  );
  return {
    columns: new Map(columns.map(({ name, type, not_null: notNull }) => [name, { type, notNull }])),
    indexes: new Set(indexes.map(({ name }) => name)),
  };
}

/** From here on the transaction counts the records of all tenants, whatever role owns the tables. */
export async function lookAtAllTenants(em: PlatformEntityManager): Promise<void> {
  await em.execute(`select set_config('keelson.all_tenants', 'on', true)`);
}

/** Whether pg_trgm is there: without it `keyword` works, only slower. */
export async function hasTrigrams(em: PlatformEntityManager): Promise<boolean> {
  const found = await em.execute<unknown[]>(`select 1 from pg_extension where extname = 'pg_trgm'`);
  return found.length > 0;
}

/**
 * Counts the values, of all tenants and also of deleted records, that a change of their column's type would lose. Reads
 * the table, changes nothing. Zero means that the column can be altered. Inside a transaction only.
 */
export async function failingCasts(
  em: PlatformEntityManager,
  environment: string,
  modelCode: string,
  content: ModelContent,
  existing: ExistingTable | null,
): Promise<FailingCasts> {
  const failing = new Map<string, number>();
  await lookAtAllTenants(em);
  for (const { field, type } of existing ? narrowings(content, existing) : []) {
    // A time's text depends on the session's zone: here, and when the column is altered in the same transaction.
    await em.execute(`set local timezone = 'UTC'`);
    const [row] = await em.execute<{ rows: number }[]>(
      `select count(*)::int as rows from ${tableName(environment, modelCode)}
       where not platform.castable(${quoteIdentifier(field)}::text, ?)`,
      [type],
    );
    failing.set(field, row?.rows ?? 0);
  }
  return failing;
}
