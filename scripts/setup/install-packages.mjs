import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { projectFolder } from './folders.mjs';
import { withProgress } from './progress.mjs';
import { mustRun } from './run-command.mjs';
import { SetupProblem } from './setup-problem.mjs';

/** Node of the program and the tests: installed by npm, so every machine has the same version. */
export const projectNode = join(projectFolder, 'node_modules', '.bin', 'node');

/**
 * Installs the packages of package-lock.json, unless they are installed. Does not use `npm ci`, which would
 * empty the folder of a running Keelson, and refuses a lock file written without packages of other platforms.
 * @throws {SetupProblem}
 */
export async function installPackages() {
  if (isInstalled()) return;
  await withProgress('Installing packages', () =>
    mustRun('The packages could not be installed', 'npm', ['install', '--no-save', '--include=dev', '--no-progress'], {
      env: { ...process.env, PATH: pathWithoutPackages() },
    }),
  );
  if (!existsSync(projectNode)) {
    throw new SetupProblem(
      'npm has not set up the package "node". It needs its install script: check `npm config get ignore-scripts`.',
    );
  }
}

/**
 * Compares the lock file with node_modules/.package-lock.json, which npm writes last. Unlike a stamp of our
 * own, this detects manual and interrupted installs, and installs without dev packages.
 */
function isInstalled() {
  if (!existsSync(projectNode)) return false;
  const wanted = lockedPackages('package-lock.json');
  const present = lockedPackages(join('node_modules', '.package-lock.json'));
  if (!wanted || !present) return false;
  return Object.entries(wanted).every(([path, { version, optional }]) => {
    if (path === '') return true; // the project itself
    // Packages for other platforms are optional.
    return present[path] ? present[path].version === version : optional;
  });
}

/** @returns {Record<string, {version?: string, optional?: boolean}> | undefined} */
function lockedPackages(/** @type {string} */ file) {
  try {
    return JSON.parse(readFileSync(join(projectFolder, file), 'utf8')).packages;
  } catch {
    return undefined;
  }
}

/** Keeps npm from running on the Node that it replaces. */
function pathWithoutPackages() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.filter((folder) => !folder.endsWith(join('node_modules', '.bin'))).join(delimiter);
}
