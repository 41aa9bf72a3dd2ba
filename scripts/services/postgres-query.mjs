/**
 * Connects a client, which the caller ends. Imports `pg` late, because these scripts run before it is
 * installed.
 * @param {string} url
 * @returns {Promise<import('pg').Client>}
 */
export async function connect(url) {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {}); // a lost idle connection; the next query fails
  await client.connect();
  return client;
}

/** Runs one statement on a connection of its own. */
export async function query(/** @type {string} */ url, /** @type {string} */ sql) {
  const client = await connect(url);
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Replaces the database in a Postgres URL. */
export function withDatabase(/** @type {string} */ url, /** @type {string} */ name) {
  const changed = new URL(url);
  changed.pathname = `/${encodeURIComponent(name)}`;
  return changed.href;
}
