import type { SqlRunner } from '../../../../foundation/database/pool.ts';
import { tableName } from '../model.ts';

const PREFIX = 'mt_';

/** The models that have tables in an environment, those that have left it included. */
async function modelsWithTables(sql: SqlRunner, environment: string): Promise<string[]> {
  const tables = await sql.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = $1 and c.relkind = 'r' and starts_with(c.relname, $2) order by c.relname`,
    [environment, PREFIX],
  );
  return tables.map(({ name }) => name.slice(PREFIX.length));
}

/** How many records each model has, of all tenants, deleted ones included. Inside a transaction only. */
export async function countRecords(sql: SqlRunner, environment: string): Promise<ReadonlyMap<string, number>> {
  // The owner is bound by row-level security, too, unless told otherwise.
  await sql.query(`select set_config('keelson.all_tenants', 'on', true)`);
  const counts = new Map<string, number>();
  for (const code of await modelsWithTables(sql, environment)) {
    const [row] = await sql.query<{ count: number }>(
      `select count(*)::int as count from ${tableName(environment, code)}`,
    );
    counts.set(code, row?.count ?? 0);
  }
  return counts;
}

/** Removes all records of an environment. Their numbers are not given again. */
export async function truncateRecords(sql: SqlRunner, environment: string): Promise<void> {
  const tables = (await modelsWithTables(sql, environment)).map((code) => tableName(environment, code));
  if (tables.length > 0) await sql.query(`truncate table ${tables.join(', ')}`);
}
