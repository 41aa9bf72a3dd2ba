import { userInfo } from 'node:os';

import { SetupProblem } from '../setup/setup-problem.mjs';
import { findPostgresFolder, obtainPostgres } from './postgres-binaries.mjs';
import { query, withDatabase } from './postgres-query.mjs';
import { defaultPort, startPostgres } from './postgres-server.mjs';
import { likelyPorts } from './remembered-port.mjs';
import { withoutPassword } from './without-password.mjs';

const defaultDatabase = 'keelson';

/** Oldest version for the migrations. */
const minimumVersion = 14;

/**
 * Provides Postgres from the first of: DATABASE_URL, a running server, binaries of this machine, the npm
 * package. Creates the database if it is missing, unless it is told not to.
 * @param {{databaseName?: string, createsDatabase?: boolean, notice: (line: string) => void}} options
 * @returns {Promise<{url: string, started?: import('../setup/guarded-process.mjs').GuardedProcess}>}
 * @throws {SetupProblem}
 */
export async function ensurePostgres({ databaseName, createsDatabase = true, notice }) {
  const ensured = (/** @type {string} */ url) => ensureDatabase(url, createsDatabase);
  const given = process.env.DATABASE_URL;
  if (given && !/^postgres(ql)?:\/\/./.test(given)) {
    throw new SetupProblem('DATABASE_URL has to be of the form postgres://user:password@host:5432/name.');
  }
  if (given) return { url: await ensured(databaseName ? withDatabase(given, databaseName) : given) };
  const running = await findRunning(notice);
  const { url, started } = running
    ? { url: running, started: undefined }
    : await startPostgres(findPostgresFolder() ?? (await obtainPostgres()));
  return { url: await ensured(withDatabase(url, databaseName ?? defaultDatabase)), started };
}

/** @returns {Promise<string | undefined>} the URL of a server that accepts us */
async function findRunning(/** @type {(line: string) => void} */ notice) {
  const users = new Set([process.env.PGUSER, 'postgres', userInfo().username].filter((user) => user !== undefined));
  for (const port of likelyPorts('postgres', defaultPort)) {
    let reason = '';
    for (const user of users) {
      const url = `postgres://${encodeURIComponent(user)}@127.0.0.1:${port}/postgres`;
      const trouble = await postgresTrouble(url);
      if (!trouble) return url;
      if (trouble.includes('ECONNREFUSED')) break;
      reason ||= trouble;
      if (trouble.includes('timeout')) break; // not Postgres: another user will not help
    }
    if (reason) {
      notice(`Port ${port} has no Postgres for us (${reason}), so another one is used. DATABASE_URL would name yours.`);
    }
  }
  return undefined;
}

/** @returns {Promise<string | undefined>} why a server cannot be used; undefined if it can */
async function postgresTrouble(/** @type {string} */ url) {
  try {
    const [server] = await query(
      url,
      `select current_setting('server_version_num')::int / 10000 as version,
              rolsuper or (rolcreatedb and rolcreaterole) as "mayCreate"
         from pg_roles where rolname = current_user`,
    );
    if (server.version < minimumVersion) return `version ${server.version} is older than ${minimumVersion}`;
    return server.mayCreate ? undefined : 'the user may not create databases and roles';
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return /SASL|password/.test(message) ? 'it asks for a password' : message;
  }
}

/**
 * @param {string} url
 * @param {boolean} isCreated where it is missing
 * @returns {Promise<string>} the same URL
 * @throws {SetupProblem} if the server cannot be reached or the database neither exists nor can be created
 */
async function ensureDatabase(url, isCreated) {
  try {
    await query(url, 'select 1').catch(async (error) => {
      if (error.code !== '3D000') throw error; // anything but "database does not exist"
      if (isCreated) await createDatabase(url);
    });
    return url;
  } catch (error) {
    const source = process.env.DATABASE_URL ? 'DATABASE_URL is set, but ' : '';
    const reason = error instanceof Error ? error.message || String(error) : String(error);
    throw new SetupProblem(`${source}${withoutPassword(url)} cannot be used: ${reason}`);
  }
}

/** Replaces a database by an empty one, for tests. Closes its connections. */
export async function recreateDatabase(/** @type {string} */ url) {
  await query(withDatabase(url, 'postgres'), `drop database if exists ${quotedDatabaseOf(url)} with (force)`);
  await createDatabase(url);
}

/** Two starts at once create it once: 42P04 and 23505 say that the other was faster. */
async function createDatabase(/** @type {string} */ url) {
  const created = query(withDatabase(url, 'postgres'), `create database ${quotedDatabaseOf(url)}`);
  await created.catch((error) => {
    if (error.code !== '42P04' && error.code !== '23505') throw error;
  });
}

function quotedDatabaseOf(/** @type {string} */ url) {
  const name = decodeURIComponent(new URL(url).pathname.slice(1));
  return `"${name.replaceAll('"', '""')}"`;
}
