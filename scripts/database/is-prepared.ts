import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { parse } from 'yaml';
import type { Config } from '../../src/foundation/config/config.ts';
import { migrationNames } from '../../migrations/names.ts';

/**
 * Whether nothing is left to prepare, by one query: most starts find all there, and need not load the
 * program for that.
 * @param app the application's directory; undefined for none
 */
export async function isPrepared({ databaseUrl }: Pick<Config, 'databaseUrl'>, app?: string): Promise<boolean> {
  const tenant = app === undefined ? null : await firstTenant(app);
  if (tenant === undefined) return false;
  const client = new pg.Client({ connectionString: databaseUrl });
  try {
    await client.connect();
    const { rows } = await client.query<{ done: boolean }>(
      `select array(select name::text from platform.migration) @> $1::text[] and exists (select from platform."user")
         and ($2::text is null or exists (select from platform.tenant where name = $2)) as done`,
      [migrationNames(), tenant],
    );
    return rows[0]?.done === true;
  } catch {
    // There is no such database or table yet. What else is wrong is told by the preparation.
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** The name of the tenant that marks an application as loaded; undefined where it has none. */
async function firstTenant(app: string): Promise<string | undefined> {
  const text = await readFile(join(app, 'data', 'users.yaml'), 'utf8').catch(() => '');
  try {
    return (parse(text) as { tenants?: { name?: string }[] } | null)?.tenants?.[0]?.name;
  } catch {
    return undefined;
  }
}
