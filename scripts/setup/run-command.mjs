import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { delimiter, join } from 'node:path';

import { projectFolder } from './folders.mjs';
import { SetupProblem } from './setup-problem.mjs';

const outputLimit = 1_000_000;

/** Running commands. Ctrl-C reaches them through the process group; a `kill` of this script does not. */
const running = new Set();
process.on('exit', () => {
  for (const child of running) child.kill('SIGTERM');
});

/**
 * Environment with the project's own Node: `node_modules/.bin` comes first in PATH. Node's compile cache
 * halves the time of later starts.
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
 * Runs a command to its end. `output` has stdout and stderr in order (empty with `inherit`). A command that
 * cannot be started has code 127, as in a shell.
 * `inBackground` gives it a low priority.
 * @param {string} command
 * @param {string[]} args
 * @param {{cwd?: string, env?: NodeJS.ProcessEnv, uid?: number, gid?: number, inherit?: boolean,
 *   inBackground?: boolean, input?: import('node:stream').Readable}} [options]
 * @returns {Promise<{code: number, output: string}>}
 */
export function runCommand(
  command,
  args,
  { inherit = false, inBackground = false, input, cwd = projectFolder, ...options } = {},
) {
  return new Promise((resolve) => {
    const outputs = inherit ? 'inherit' : 'pipe';
    const child = spawn(command, args, { ...options, cwd, stdio: [input ? 'pipe' : 'ignore', outputs, outputs] });
    running.add(child);
    if (inBackground && child.pid) setPriority(child.pid, constants.priority.PRIORITY_LOW);
    let output = '';
    const collect = (/** @type {Buffer} */ chunk) => (output = (output + chunk).slice(-outputLimit));
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    // A reader that stops early (tar, on a broken archive) reports that by its exit code, so a broken pipe is
    // ignored.
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
 * Runs a command that must succeed, and returns its output.
 * @param {string} purpose beginning of the error message
 * @param {Parameters<typeof runCommand>} command
 * @throws {SetupProblem} with the end of the command's output
 */
export async function mustRun(purpose, ...command) {
  const { code, output } = await runCommand(...command);
  if (code === 0) return output;
  throw new SetupProblem(`${purpose} (${command[0]}, exit code ${code}):\n${lastLines(output)}`);
}

/** The end of a log, which usually has the reason of a failure. */
export function lastLines(/** @type {string} */ text, count = 30) {
  return text
    .trimEnd()
    .split('\n')
    .slice(-count)
    .map((line) => `    ${line}`)
    .join('\n');
}
