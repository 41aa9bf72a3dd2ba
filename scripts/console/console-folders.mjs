import { pathToFileURL } from 'node:url';

import { projectFolder } from '../setup/folders.mjs';

const root = pathToFileURL(`${projectFolder}/`);
export const consoleFolder = new URL('web/', root);
export const builtFolder = new URL('dist/', consoleFolder);
/** What the bundle is made of, beside the packages. */
export const sourceFolders = [consoleFolder, new URL('sdk/src/', root)];
export const lockFile = new URL('package-lock.json', root);
