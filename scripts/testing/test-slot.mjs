import { connect, withDatabase } from '../services/postgres-query.mjs';
import { recreateDatabase } from '../services/postgres.mjs';
import { withRedisDatabase } from '../services.mjs';
import { SetupProblem } from '../setup/setup-problem.mjs';

/** Redis has 16 logical databases; people use the low ones. */
const firstIndex = 9;
const lastIndex = 15;

/** Marks a logical database that test runs may empty. */
const markerKey = 'keelson:test-database';

/**
 * Gives a test run a database of its own and a logical Redis database of its own, both empty: `keelson_test`
 * and 9, or the next pair if another run on this machine (a second clone) has those. The claim ends with
 * `release`, or with this process.
 * @param {{DATABASE_URL: string, REDIS_URL: string}} servers
 * @returns {Promise<{env: {DATABASE_URL: string, REDIS_URL: string}, release: () => Promise<void>}>}
 * @throws {SetupProblem} if all pairs are in use
 */
export async function claimTestSlot(servers) {
  const lock = await connect(withDatabase(servers.DATABASE_URL, 'postgres'));
  for (let index = firstIndex; index <= lastIndex; index++) {
    const name = index === firstIndex ? 'keelson_test' : `keelson_test_${index - firstIndex + 1}`;
    const { rows } = await lock.query('select pg_try_advisory_lock(hashtext($1)) as mine', [name]);
    if (!rows[0].mine) continue;
    const redisUrl = withRedisDatabase(servers.REDIS_URL, index);
    if (!(await emptyRedis(redisUrl))) continue;
    const databaseUrl = withDatabase(servers.DATABASE_URL, name);
    await recreateDatabase(databaseUrl);
    // Tests kill programs, not the server: a commit need not wait for the disk.
    await lock.query(`alter database ${name} set synchronous_commit = off`);
    return { env: { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl }, release: () => lock.end() };
  }
  throw new SetupProblem(
    `The logical Redis databases ${firstIndex} to ${lastIndex} are all in use, by other test runs or by something else. ` +
      'Name another Redis for the tests by REDIS_URL.',
  );
}

/**
 * Empties a logical database, left-overs of an earlier run, but never one that something else has filled.
 * @returns {Promise<boolean>} whether it is ours and empty
 */
async function emptyRedis(/** @type {string} */ url) {
  const { Redis } = await import('ioredis');
  const client = new Redis(url);
  try {
    const isOurs = (await client.exists(markerKey)) === 1 || (await client.dbsize()) === 0;
    if (isOurs) await client.multi().flushdb().set(markerKey, 'test runs may empty this').exec();
    return isOurs;
  } finally {
    client.disconnect();
  }
}
