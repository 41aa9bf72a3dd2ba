import { ensurePostgres } from './services/postgres.mjs';
import { ensureRedis } from './services/redis.mjs';
import { ensureTemporal } from './services/temporal.mjs';

/**
 * @typedef {'postgres' | 'redis' | 'temporal'} ServiceName
 * @typedef {import('./setup/guarded-process.mjs').GuardedProcess} GuardedProcess
 */

/**
 * @typedef {object} ServiceOptions
 * @property {ServiceName[]} [only] default: all three
 * @property {string} [databaseName] replaces the one in DATABASE_URL, or `keelson`
 * @property {boolean} [createsDatabase] whether a missing database is made (true)
 * @property {number} [redisDatabase] logical database; replaces the one in REDIS_URL, or 0
 * @property {import('./services/temporal.mjs').TemporalOptions} [temporal]
 * @property {(line: string) => void} [notice] prints a warning
 */

/**
 * @typedef {object} Services
 * @property {{DATABASE_URL?: string, REDIS_URL?: string, TEMPORAL_ADDRESS?: string,
 *   TEMPORAL_UI_URL?: string}} env for the program
 * @property {string} [temporalUiUrl]
 * @property {string[]} started names of the services that this call has started
 * @property {() => Promise<void>} stop stops those, last started first
 */

/**
 * Makes sure that Postgres, Redis and Temporal run, and that the database exists. Packages must be installed.
 * Services that it starts end with the calling process, even if that is killed.
 * @param {ServiceOptions} [options]
 * @returns {Promise<Services>}
 * @throws {import('./setup/setup-problem.mjs').SetupProblem}
 */
export async function ensureServices({
  only = ['postgres', 'redis', 'temporal'],
  databaseName,
  createsDatabase,
  redisDatabase,
  temporal: temporalOptions,
  notice = (line) => console.log(`  ${line}`),
} = {}) {
  /** @type {GuardedProcess[]} */
  const started = [];
  const stop = async () => {
    for (const guarded of [...started].reverse()) await guarded.stop();
  };
  /** @type {Services} */
  const services = { env: {}, started: [], stop };
  const note = (/** @type {GuardedProcess | undefined} */ guarded) => {
    if (!guarded) return;
    started.push(guarded);
    services.started.push(guarded.name);
    void guarded.exited.then((code) => guarded.stopAsked() || notice(`${guarded.name} has ended (exit code ${code}).`));
  };
  try {
    if (only.includes('postgres')) {
      const postgres = await ensurePostgres({ databaseName, createsDatabase, notice });
      note(postgres.started);
      services.env.DATABASE_URL = postgres.url;
    }
    if (only.includes('redis')) {
      const redis = await ensureRedis({ notice });
      note(redis.started);
      services.env.REDIS_URL = redisDatabase === undefined ? redis.url : withRedisDatabase(redis.url, redisDatabase);
    }
    if (only.includes('temporal')) {
      const temporal = await ensureTemporal({ ...temporalOptions, notice });
      note(temporal.started);
      services.env.TEMPORAL_ADDRESS = temporal.address;
      services.temporalUiUrl = temporal.uiUrl;
      if (temporal.uiUrl !== undefined) services.env.TEMPORAL_UI_URL = temporal.uiUrl;
    }
    return services;
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Replaces the logical database in a Redis URL. */
export function withRedisDatabase(/** @type {string} */ url, /** @type {number} */ index) {
  const changed = new URL(url);
  changed.pathname = `/${index}`;
  return changed.href;
}
