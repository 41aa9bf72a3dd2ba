import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { projectFolder } from './folders.mjs';
import { withProgress } from './progress.mjs';
import { mustRun } from './run-command.mjs';
import { SetupProblem } from './setup-problem.mjs';

/** The Node that runs the program and the tests: it comes from npm, so every machine has the same one. */
export const projectNode = join(projectFolder, 'node_modules', '.bin', 'node');

/**
 * Installs what package-lock.json asks for, unless that is what is there. Not by `npm ci`: that would empty the folder under
 * a Keelson that runs from it, and it refuses a lock file written where the registry lacks packages of other platforms.
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
 * npm writes what it has installed to node_modules/.package-lock.json, as its last act. Comparing with that, rather than
 * with a stamp of our own, also sees an `npm install` made by hand, an interrupted one and one without dev packages.
 */
function isInstalled() {
  if (!existsSync(projectNode)) return false;
  const wanted = lockedPackages('package-lock.json');
  const present = lockedPackages(join('node_modules', '.package-lock.json'));
  if (!wanted || !present) return false;
  return Object.entries(wanted).every(([path, { version, optional }]) => {
    if (path === '') return true; // the project itself
    // Packages for other platforms are optional and rightly missing.
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

/** npm must not run on the very Node that it is about to replace. */
function pathWithoutPackages() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.filter((folder) => !folder.endsWith(join('node_modules', '.bin'))).join(delimiter);
}
