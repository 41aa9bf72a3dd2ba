import type { PlatformEntityManager } from '../database/orm.ts';
import type { ExistingTable } from './model-table.ts';

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

/** Whether pg_trgm is there: without it `keyword` works, only slower. */
export async function hasTrigrams(em: PlatformEntityManager): Promise<boolean> {
  const found = await em.execute<unknown[]>(`select 1 from pg_extension where extname = 'pg_trgm'`);
  return found.length > 0;
}
