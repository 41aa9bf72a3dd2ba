import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { stateFolder } from '../setup/folders.mjs';

/** Where Postgres data goes when root's own folders are closed to the user that Postgres then runs as. */
const folderForRoot = '/var/lib/keelson';

/**
 * Postgres refuses to run as root (usual in containers and CI). Then it runs as the system's own Postgres user, or as
 * nobody.
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
 * The folder for Postgres data and downloaded binaries: the state folder, if the user that Postgres runs as can get there.
 * @returns {string}
 */
export function postgresHome() {
  return !unprivilegedUser() || isOpenToOthers(stateFolder) ? stateFolder : folderForRoot;
}

/** Creates a folder that belongs to the user that Postgres runs as. */
export function makePostgresFolder(/** @type {string} */ name) {
  const folder = join(postgresHome(), name);
  mkdirSync(folder, { recursive: true });
  const user = unprivilegedUser();
  if (user) chownSync(folder, user.uid, user.gid);
  return folder;
}

/**
 * Whether every folder on the way may be passed through by any user. Folders that are still to be made will be.
 * @returns {boolean}
 */
function isOpenToOthers(/** @type {string} */ folder) {
  const mode = statSync(folder, { throwIfNoEntry: false })?.mode;
  if (mode !== undefined && (mode & 0o001) === 0) return false;
  return folder === dirname(folder) || isOpenToOthers(dirname(folder));
}
