import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { stateFile } from '../setup/folders.mjs';
import { startGuarded } from '../setup/guarded-process.mjs';
import { freePort } from '../setup/ports.mjs';
import { withProgress } from '../setup/progress.mjs';
import { mustRun } from '../setup/run-command.mjs';
import { query } from './postgres-query.mjs';
import { makePostgresFolder, unprivilegedUser } from './postgres-user.mjs';
import { rememberPort } from './remembered-port.mjs';
import { waitUntilReady } from './wait-until-ready.mjs';

export const defaultPort = 5432;

/**
 * Starts a server on the loopback address, with persistent data.
 * @param {string} binaries the folder with `initdb` and `postgres`
 * @returns {Promise<{url: string, started: import('../setup/guarded-process.mjs').GuardedProcess}>}
 */
export async function startPostgres(binaries) {
  return withProgress('Starting Postgres', async () => {
    const dataFolder = await makeDataFolder(binaries);
    const port = await freePort(defaultPort);
    const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
    const settings = {
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '', // their default folder may not be writable, and they are not needed
      max_connections: '200', // API, worker and tests have a pool each
    };
    const started = startGuarded({
      name: 'Postgres',
      command: join(binaries, 'postgres'),
      args: [
        '-D',
        dataFolder,
        '-p',
        String(port),
        ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ],
      cwd: dataFolder,
      ...unprivilegedUser(),
      stopSignal: 'SIGINT', // "fast shutdown": does not wait for clients
      logFile: stateFile('logs', 'postgres.log'),
    });
    rememberPort('postgres', port, started);
    await waitUntilReady(started, () =>
      query(url, 'select 1').then(
        () => true,
        () => false,
      ),
    );
    return { url, started };
  });
}

/** Creates one data folder per major version, because the formats differ. */
async function makeDataFolder(/** @type {string} */ binaries) {
  const user = unprivilegedUser();
  const version = await mustRun('Postgres does not run', join(binaries, 'postgres'), ['--version'], {
    cwd: '/',
    ...user,
  });
  const major = Number(/\d+/.exec(version)?.[0]);
  const parent = makePostgresFolder(`postgres-${major}`);
  const dataFolder = join(parent, 'data');
  if (existsSync(dataFolder)) return dataFolder;

  // Made under another name, so that an interrupted run leaves no incomplete data folder.
  const unfinished = join(parent, 'unfinished');
  rmSync(unfinished, { recursive: true, force: true });
  const locale =
    major >= 17 ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'] : [`--locale=${utf8Locale}`];
  await mustRun(
    'The Postgres data folder could not be made',
    join(binaries, 'initdb'),
    ['-D', unfinished, '--username=postgres', '--auth=trust', '--encoding=UTF8', ...locale],
    { cwd: parent, ...user },
  );
  renameSync(unfinished, dataFolder);
  return dataFolder;
}

/** Case conversion beyond ASCII needs a UTF-8 locale; before version 17 Postgres uses the system's. */
const utf8Locale = process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8';
