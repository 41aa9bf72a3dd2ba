import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';

import { projectFolder } from './folders.mjs';
import { SetupProblem } from './setup-problem.mjs';

const outputLimit = 1_000_000;

/** Commands under way. They share our process group, so Ctrl-C reaches them; a plain `kill` of this script does not. */
const running = new Set();
process.on('exit', () => {
  for (const child of running) child.kill('SIGTERM');
});

/**
 * The environment for everything that needs the project's own Node: `node_modules/.bin` comes first in PATH, so that
 * `node` is the version package.json pins, whatever the machine has. What Node has compiled it keeps for the next process, which
 * starts in half the time.
 * @param {NodeJS.ProcessEnv} [additions]
 * @returns {NodeJS.ProcessEnv}
 */
export function projectEnvironment(additions = {}) {
  const PATH = [join(projectFolder, 'node_modules', '.bin'), process.env.PATH].join(delimiter);
  const NODE_COMPILE_CACHE =
    process.env.NODE_COMPILE_CACHE ?? join(projectFolder, 'node_modules', '.cache', 'compiled');
  return { ...process.env, ...additions, PATH, NODE_COMPILE_CACHE };
}

/**
 * Runs a command to its end. `output` has stdout and stderr in the order they came (empty with `inherit`). A command that
 * cannot be started at all has code 127, as in a shell.
 * @param {string} command
 * @param {string[]} args
 * @param {{cwd?: string, env?: NodeJS.ProcessEnv, uid?: number, gid?: number, inherit?: boolean,
 *   input?: import('node:stream').Readable}} [options]
 * @returns {Promise<{code: number, output: string}>}
 */
export function runCommand(command, args, { inherit = false, input, cwd = projectFolder, ...options } = {}) {
  return new Promise((resolve) => {
    const outputs = inherit ? 'inherit' : 'pipe';
    const child = spawn(command, args, { ...options, cwd, stdio: [input ? 'pipe' : 'ignore', outputs, outputs] });
    running.add(child);
    let output = '';
    const collect = (/** @type {Buffer} */ chunk) => (output = (output + chunk).slice(-outputLimit));
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    // A reader that stops early (tar, on a broken archive) says so by its exit code; the broken pipe adds nothing to it.
    if (child.stdin) input?.on('error', () => child.kill()).pipe(child.stdin.on('error', () => {}));
    const finish = (/** @type {number} */ code) => {
      running.delete(child);
      resolve({ code, output: output.trimEnd() });
    };
    child.on('error', (error) => {
      output += error.message;
      finish(127);
    });
    child.on('close', (code) => finish(code ?? 1));
  });
}

/**
 * Runs a command that has to succeed and answers its output.
 * @param {string} purpose what failed, in the user's words, if it fails
 * @param {Parameters<typeof runCommand>} command
 * @throws {SetupProblem} with the end of the command's output
 */
export async function mustRun(purpose, ...command) {
  const { code, output } = await runCommand(...command);
  if (code === 0) return output;
  throw new SetupProblem(`${purpose} (${command[0]}, exit code ${code}):\n${lastLines(output)}`);
}

/** The end of a log or an output, where the reason of a failure usually stands. */
export function lastLines(/** @type {string} */ text, count = 30) {
  return text
    .trimEnd()
    .split('\n')
    .slice(-count)
    .map((line) => `    ${line}`)
    .join('\n');
}
