import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Failure } from './outcome.mjs';

const PROJECT_NODE = fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url));

/**
 * Runs a command that is written in TypeScript. A Node that cannot is replaced by the project's own.
 * @param {() => Promise<(invocation: import('./command-line.mjs').Invocation) => Promise<number>>} load
 * @returns {(invocation: import('./command-line.mjs').Invocation) => Promise<number>}
 */
export function typeScript(load) {
  return async (invocation) => {
    if (process.features.typescript) return (await load())(invocation);
    if (!existsSync(PROJECT_NODE)) throw new Failure('Run npm install in the folder of Keelson first');
    const child = spawn(PROJECT_NODE, process.argv.slice(1), { stdio: 'inherit' });
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => resolve(code ?? 1));
    });
  };
}
