import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { stateFolder } from '../setup/folders.mjs';

/** Postgres folder for root, whose own folders are closed to the unprivileged user. */
const folderForRoot = '/var/lib/keelson';

/**
 * Finds a user for Postgres, which refuses to run as root (usual in containers and CI): `postgres` or
 * `nobody`.
 * @returns {{uid: number, gid: number} | undefined} undefined if we are not root
 */
export function unprivilegedUser() {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    try {
      const number = (/** @type {string} */ flag) =>
        Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
      return { uid: number('-u'), gid: number('-g') };
    } catch {
      continue; // no such user
    }
  }
  return undefined;
}

/**
 * Folder for Postgres data and downloaded binaries: the state folder, if Postgres' user can reach it.
 * @returns {string}
 */
export function postgresHome() {
  return !unprivilegedUser() || isOpenToOthers(stateFolder) ? stateFolder : folderForRoot;
}

/** Creates a folder owned by Postgres' user. */
export function makePostgresFolder(/** @type {string} */ name) {
  const folder = join(postgresHome(), name);
  mkdirSync(folder, { recursive: true });
  const user = unprivilegedUser();
  if (user) chownSync(folder, user.uid, user.gid);
  return folder;
}

/**
 * Whether any user may pass through every folder of a path. Missing folders count as open.
 * @returns {boolean}
 */
function isOpenToOthers(/** @type {string} */ folder) {
  const mode = statSync(folder, { throwIfNoEntry: false })?.mode;
  if (mode !== undefined && (mode & 0o001) === 0) return false;
  return folder === dirname(folder) || isOpenToOthers(dirname(folder));
}
