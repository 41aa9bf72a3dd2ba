import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Failure } from './outcome.mjs';

const PROJECT_NODE = fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url));

/** Whether this Node runs what is written in TypeScript. The bundled command line says so of any Node. */
export const RUNS_TYPESCRIPT = Boolean(process.features.typescript);

/** Runs the command line again, with the project's own Node. @returns {Promise<number>} the exit code */
export function rerunWithProjectNode() {
  if (!existsSync(PROJECT_NODE)) throw new Failure('Run npm install in the folder of Keelson first');
  const child = spawn(PROJECT_NODE, process.argv.slice(1), { stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}
