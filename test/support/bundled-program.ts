import { readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** What has native code, or finds its own files. */
const EXTERNAL = ['@temporalio/*', 'libpg-query', 'openai', 'swagger-ui-dist'];

/** A module finds files beside itself, wherever it was put. */
const whereItWas: Plugin = {
  name: 'where-it-was',
  setup(plugin) {
    plugin.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const contents = text
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)));
      return { contents, loader: 'ts' };
    });
  },
};

/**
 * Makes one file of the program, as tests start it some 100 times: a third of the time of a start is the
 * search for its modules. The tests of `npm start` and `npm run start:prod` run it as it is.
 * @returns the path of the file
 */
export async function bundleProgram(): Promise<string> {
  const outfile = `${ROOT}node_modules/.cache/keelson/main.mjs`;
  // A copy of this checkout may share the file by a hard link.
  await rm(outfile, { force: true });
  await build({
    entryPoints: [`${ROOT}src/main.ts`],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    keepNames: true,
    external: EXTERNAL,
    // CommonJS packages in the file ask for Node's own modules.
    banner: {
      js: `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);`,
    },
    plugins: [whereItWas],
    logLevel: 'error',
  });
  return outfile;
}
