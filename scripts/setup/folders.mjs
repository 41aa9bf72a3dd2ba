import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Root of the checkout. */
export const projectFolder = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Outside the checkout, so that a second clone or a `git clean` needs no new download. */
const cacheFolder =
  process.env.KEELSON_CACHE_DIR || join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'keelson');

/** Downloaded and built programs. */
export const binFolder = join(cacheFolder, 'bin');

/** Data and logs of started services. */
export const stateFolder = join(cacheFolder, 'state');

/** Path of a file in the state folder. Creates the folders above it. */
export function stateFile(/** @type {string[]} */ ...parts) {
  const path = join(stateFolder, ...parts);
  mkdirSync(dirname(path), { recursive: true });
  return path;
}
