import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { projectFolder } from './folders.mjs';

const guardScript = fileURLToPath(new URL('guard.mjs', import.meta.url));

/**
 * Long-lived process that ends with this one (see guard.mjs).
 * @typedef {object} GuardedProcess
 * @property {string} name
 * @property {() => number | undefined} exitCode undefined while it runs
 * @property {Promise<number>} exited its exit code
 * @property {import('node:stream').Readable | null} stdout null when the output goes to a file
 * @property {import('node:stream').Readable | null} stderr
 * @property {() => boolean} stopAsked whether `stop` was called
 * @property {() => Promise<number>} stop asks it to stop; kills it after `graceMs`
 * @property {() => void} kill
 * @property {() => string} log content of its log file
 */

/** @type {Set<GuardedProcess>} in the order of their start */
const running = new Set();

/**
 * @param {object} options
 * @param {string} options.name
 * @param {string} options.command
 * @param {string[]} options.args
 * @param {string} [options.cwd]
 * @param {NodeJS.ProcessEnv} [options.env]
 * @param {number} [options.uid]
 * @param {number} [options.gid]
 * @param {NodeJS.Signals} [options.stopSignal]
 * @param {number} [options.graceMs]
 * @param {string} [options.logFile] receives stdout and stderr; default: streams
 * @returns {GuardedProcess}
 */
export function startGuarded({ name, env, logFile, ...options }) {
  const instructions = JSON.stringify({ cwd: projectFolder, stopSignal: 'SIGTERM', graceMs: 15_000, ...options });
  const output = logFile ? openSync(logFile, 'w') : 'pipe';
  const guard = spawn(process.execPath, [guardScript, instructions], {
    cwd: projectFolder,
    env,
    detached: true,
    stdio: ['pipe', output, output],
  });
  if (typeof output === 'number') closeSync(output);
  guard.stdin?.on('error', () => {}); // it has ended; see `exited`

  /** @type {number | undefined} */
  let exitCode;
  /** @type {Promise<number>} */
  const exited = new Promise((resolve) => {
    guard.on('error', () => resolve(127));
    guard.on('exit', (code) => resolve(code ?? 1));
  }).then((code) => {
    exitCode = code;
    running.delete(guarded);
    return code;
  });

  let stopAsked = false;
  /** @type {GuardedProcess} */
  const guarded = {
    name,
    exitCode: () => exitCode,
    exited,
    stdout: guard.stdout,
    stderr: guard.stderr,
    stopAsked: () => stopAsked,
    stop() {
      stopAsked = true;
      guard.stdin?.write('stop\n');
      return exited;
    },
    kill: () => void guard.stdin?.write('kill\n'),
    log: () => (logFile ? readFileSync(logFile, 'utf8') : ''),
  };
  running.add(guarded);
  return guarded;
}

/** Stops all processes of this run, last started first: the program before its services. */
export async function stopAllGuarded() {
  for (const guarded of [...running].reverse()) await guarded.stop();
}

/** Kills all processes of this run, on a second Ctrl-C. */
export function killAllGuarded() {
  for (const guarded of running) guarded.kill();
}
