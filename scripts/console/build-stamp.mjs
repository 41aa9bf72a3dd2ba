import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

import { builtFolder, lockFile, sourceFolders } from './console-folders.mjs';

const stampFile = new URL('.built-of', builtFolder);

/** Whether the console has been built of what is there now. */
export function isBuilt() {
  try {
    return readFileSync(stampFile, 'utf8') === hashOfSources();
  } catch {
    return false;
  }
}

export function markBuilt() {
  writeFileSync(stampFile, hashOfSources());
}

/** Of names and contents, so that a checkout of another time is the same. */
function hashOfSources() {
  const hash = createHash('sha256').update(readFileSync(lockFile));
  for (const folder of sourceFolders) {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
    for (const name of names.filter((one) => !/^(dist|node_modules)\b/.test(one) && /\.\w+$/.test(one))) {
      hash.update(`\0${name}\0`).update(readFileSync(new URL(name, folder)));
    }
  }
  return hash.digest('hex');
}
