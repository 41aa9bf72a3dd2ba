import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout. */
export const projectFolder = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/**
 * Binaries and local data live in the user's cache folder, not in the checkout: a second clone, or a `git clean`, does not
 * cost another download.
 */
const cacheFolder =
  process.env.KEELSON_CACHE_DIR || join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'keelson');

/** Programs that were downloaded or built by an earlier run. */
export const binFolder = join(cacheFolder, 'bin');

/** Data and logs of the services that a run starts itself. */
export const stateFolder = join(cacheFolder, 'state');

/** The path of a file in the state folder; the folders above it exist when this returns. */
export function stateFile(/** @type {string[]} */ ...parts) {
  const path = join(stateFolder, ...parts);
  mkdirSync(dirname(path), { recursive: true });
  return path;
}
