// Builds the web console, web/ -> web/dist/, unless that has been built of the same content. Compresses the
// files, and fails when the first load is larger than its budget. npm start and npm test run it; so does
// npm run build:console.
import { rm } from 'node:fs/promises';

import { compressFiles } from './console/compress-files.mjs';
import { problemsOfSize } from './console/first-load.mjs';
import { isBuilt, markBuilt } from './console/build-stamp.mjs';
import { consoleFolder } from './console/console-folders.mjs';

const isForced = process.argv.includes('--force');
if (!isForced && isBuilt()) process.exit(0);

const { build } = await import('vite');
await rm(new URL('dist/', consoleFolder), { recursive: true, force: true });
await build({ configFile: new URL('vite.config.ts', consoleFolder).pathname, logLevel: 'warn' });
compressFiles();
const { problems, summary } = problemsOfSize();
console.log(summary);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
markBuilt();
