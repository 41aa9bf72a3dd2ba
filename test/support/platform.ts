import { sqlRunnerOf } from '../../src/foundation/database/sql-runner.ts';
import { inEnglish } from './in-english.ts';
import { container } from './world.ts';

/** Looks behind the API with the owner's rights: no tenant wall, no soft delete. */
export async function runSql<R extends object>(text: string, values: readonly unknown[] = []): Promise<R[]> {
  return sqlRunnerOf((await container()).orm.em.fork()).query<R>(text, values);
}

/** The columns of a model's table in `dev`: name -> type, with `not null` where it refuses null. */
export async function columnsOf(modelCode: string): Promise<Record<string, string>> {
  const columns = await runSql<{ name: string; type: string }>(
    `select a.attname as name, format_type(a.atttypid, a.atttypmod) || case when a.attnotnull then ' not null' else '' end as type
     from pg_attribute a where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped`,
    [`dev.mt_${modelCode}`],
  );
  return Object.fromEntries(columns.map(({ name, type }) => [name, type]));
}

/** What the indexes of a model's table in `dev` hold, sorted; unique ones say so first. */
export async function indexesOf(modelCode: string): Promise<string[]> {
  const indexes = await runSql<{ definition: string }>(
    `select regexp_replace(indexdef, '^CREATE (UNIQUE |)INDEX .* USING ', '\\1') as definition
     from pg_indexes where schemaname = 'dev' and tablename = $1`,
    [`mt_${modelCode}`],
  );
  return indexes.map(({ definition }) => definition.replace('UNIQUE', 'unique')).sort();
}

/** The code and data with which something fails. */
export async function failureOf(work: Promise<unknown>): Promise<{ code: unknown; data: unknown }> {
  try {
    await work;
  } catch (error) {
    const { code, data } = error as { code?: unknown; data?: unknown };
    return { code, data: data && inEnglish(data) };
  }
  throw new Error('nothing failed');
}
