import pg from 'pg';

/** Another database of the same server. */
export function databaseUrl(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

export function databaseName(url: string): string {
  return new URL(url).pathname.slice(1);
}

/** Runs statements that concern databases as a whole, one after the other. */
export async function onServer(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl(url, 'postgres') });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

export function dropDatabase(name: string): string {
  return `drop database if exists "${name}" with (force)`;
}

/**
 * The name of the copy from which test files make databases of their own: migrated, with the demo's
 * configuration.
 */
export function templateOf(url: string): string {
  return `${databaseName(url)}_template`;
}

/** Makes the template of a database, whose connections end. */
export async function makeTemplate(url: string): Promise<void> {
  const [name, template] = [databaseName(url), templateOf(url)];
  await onServer(
    url,
    dropDatabase(template),
    `alter database "${name}" with allow_connections false`,
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`,
    `create database "${template}" template "${name}"`,
    `alter database "${name}" with allow_connections true`,
  );
}
