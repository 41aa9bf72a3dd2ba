import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, gzipSync } from 'node:zlib';

import { builtFolder } from './console-folders.mjs';

/** Writes `.br` and `.gz` beside each file of text: the program sends them as they are. */
export function compressFiles() {
  const names = readdirSync(builtFolder, { recursive: true, encoding: 'utf8' });
  for (const name of names.filter((one) => /\.(html|js|css|svg)$/.test(one))) {
    const path = new URL(name, builtFolder);
    const content = readFileSync(path);
    writeFileSync(new URL(`${name}.gz`, builtFolder), gzipSync(content, { level: 9 }));
    writeFileSync(new URL(`${name}.br`, builtFolder), brotliCompressSync(content));
  }
}
