import { connect, query, withDatabase } from '../scripts/services/postgres-query.mjs';
import { recreateDatabase } from '../scripts/services/postgres.mjs';
import { SetupProblem } from '../scripts/setup/setup-problem.mjs';

export const databaseName = 'keelson_bench';

/** Not used by other programs, which use low numbers, nor by test runs, which use 9 and higher. */
export const redisDatabase = 8;

/** Marks a logical database that benchmark runs may empty. */
const markerKey = 'keelson:bench-database';

/**
 * Empties the benchmark's two databases and locks them for this run.
 * @param {{DATABASE_URL?: string, REDIS_URL?: string}} urls
 * @returns {Promise<() => Promise<void>>} a function that removes both
 * @throws {SetupProblem} if another run uses them, or they contain other data
 */
export async function claimOwnDatabases({ DATABASE_URL = '', REDIS_URL = '' }) {
  const server = withDatabase(DATABASE_URL, 'postgres');
  const lock = await connect(server);
  const { rows } = await lock.query('select pg_try_advisory_lock(hashtext($1)) as mine', [databaseName]);
  if (!rows[0].mine) throw new SetupProblem('Another benchmark is running on this Postgres. Wait for its end.');
  await emptyRedis(REDIS_URL, true);
  await recreateDatabase(DATABASE_URL);
  return async () => {
    await query(server, `drop database if exists ${databaseName} with (force)`);
    await emptyRedis(REDIS_URL, false);
    await lock.end();
  };
}

/** Runs `action` with an empty database of that name on that server, and drops it afterwards. */
export async function withOwnDatabase(
  /** @type {string} */ serverUrl,
  /** @type {string} */ name,
  /** @type {(databaseUrl: string) => Promise<void>} */ action,
) {
  const server = withDatabase(serverUrl, 'postgres');
  const drop = () => query(server, `drop database if exists ${name} with (force)`);
  await drop();
  await query(server, `create database ${name}`);
  try {
    await action(withDatabase(serverUrl, name));
  } finally {
    await drop();
  }
}

/** Empties a logical database, unless another program has filled it. */
async function emptyRedis(/** @type {string} */ url, /** @type {boolean} */ claim) {
  const { Redis } = await import('ioredis');
  const client = new Redis(url);
  try {
    if ((await client.exists(markerKey)) === 0 && (await client.dbsize()) > 0) {
      throw new SetupProblem(
        `The logical Redis database ${redisDatabase} is in use. Name another Redis for the benchmark by REDIS_URL.`,
      );
    }
    await client.flushdb();
    if (claim) await client.set(markerKey, 'benchmark runs may empty this');
  } finally {
    client.disconnect();
  }
}
