import { readFileSync, statSync } from 'node:fs';

import { builtFolder } from './console-folders.mjs';

/** Largest first load, up to the first grid. Bytes, compressed by gzip. */
const budgets = { js: 220_000, css: 20_000 };

/** Screens of the first load that are loaded when they are shown. */
const firstScreens = ['src/screens/page/PageScreen.tsx'];

/**
 * @typedef {{file: string, src?: string, isEntry?: boolean, imports?: string[], css?: string[]}} Chunk
 */

/** Weighs what a browser loads before the first grid is there. */
export function problemsOfSize() {
  /** @type {Record<string, Chunk>} */
  const manifest = JSON.parse(readFileSync(new URL('manifest.json', builtFolder), 'utf8'));
  const files = new Set();
  const visit = (/** @type {string} */ key) => {
    const chunk = manifest[key];
    if (!chunk || files.has(chunk.file)) return;
    files.add(chunk.file);
    for (const style of chunk.css ?? []) files.add(style);
    (chunk.imports ?? []).forEach(visit);
  };
  for (const [key, { isEntry }] of Object.entries(manifest)) if (isEntry) visit(key);
  firstScreens.forEach(visit);
  const sizeOf = (/** @type {string} */ kind) =>
    [...files]
      .filter((file) => file.endsWith(`.${kind}`))
      .reduce((sum, file) => sum + statSync(new URL(`${file}.gz`, builtFolder)).size, 0);
  const sizes = { js: sizeOf('js'), css: sizeOf('css') };
  const problems = Object.entries(budgets).flatMap(([kind, budget]) => {
    const size = sizes[/** @type {keyof typeof sizes} */ (kind)];
    return size > budget ? [`The first load has ${size} bytes of ${kind}; at most ${budget} are allowed.`] : [];
  });
  return {
    problems,
    summary: `First load of the console: ${kilo(sizes.js)} kB of JavaScript, ${kilo(sizes.css)} kB of CSS (gzip)`,
  };
}

const kilo = (/** @type {number} */ bytes) => (bytes / 1000).toFixed(1);
