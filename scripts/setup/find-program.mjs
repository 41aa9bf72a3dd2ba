import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { binFolder } from './folders.mjs';

/**
 * Finds executables with one of these names in PATH, the cache folder, and the usual folders, in this order.
 * @param {string[]} names
 * @param {string[]} [usualFolders]
 * @returns {string[]}
 */
export function findPrograms(names, usualFolders = []) {
  const folders = [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), binFolder, ...usualFolders];
  return folders.flatMap((folder) => names.map((name) => join(folder, name)).filter(isProgram));
}

/** Finds the first of them. */
export function findProgram(/** @type {Parameters<typeof findPrograms>} */ ...query) {
  return findPrograms(...query)[0];
}

function isProgram(/** @type {string} */ path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
