// Bundles the command line with all that it needs into one file of JavaScript: Node runs no TypeScript below
// node_modules, and nothing has to be installed beside it. `npm pack ./cli` calls this.
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const DIST = new URL('./dist/', import.meta.url);
const require = createRequire(import.meta.url);

await rm(DIST, { recursive: true, force: true });
await mkdir(DIST);
await build({
  entryPoints: [fileURLToPath(new URL('./keelson.mjs', import.meta.url))],
  outfile: fileURLToPath(new URL('keelson.mjs', DIST)),
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node22',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'linked',
  logLevel: 'warning',
  // The bundle is JavaScript: any Node runs it.
  define: { 'process.features.typescript': 'true' },
  banner: {
    js: [
      "import { createRequire as createRequireOfBundle } from 'node:module';",
      'const require = createRequireOfBundle(import.meta.url);',
      'const __dirname = import.meta.dirname;',
      'const __filename = import.meta.filename;',
      'if (!Map.groupBy) { console.error("keelson needs Node 22 or newer"); process.exit(1); }',
    ].join('\n'),
  },
});
// The parser of SQL is WebAssembly.
await copyFile(require.resolve('libpg-query/wasm/libpg-query.wasm'), new URL('libpg-query.wasm', DIST));
