import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { binFolder } from './folders.mjs';

/**
 * All places where one of the named programs can be run from: PATH, then our cache, then folders that are usual for it.
 * @param {string[]} names
 * @param {string[]} [usualFolders]
 * @returns {string[]}
 */
export function findPrograms(names, usualFolders = []) {
  const folders = [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), binFolder, ...usualFolders];
  return folders.flatMap((folder) => names.map((name) => join(folder, name)).filter(isProgram));
}

/** The first of them. */
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
