import { killAllGuarded, stopAllGuarded } from './guarded-process.mjs';

/** npm passes on a Ctrl-C that the terminal has already sent us: an echo, not a second wish. */
const echoMs = 1_000;

const parentCheckMs = 1_000;

/**
 * Ctrl-C, `kill` and a closed terminal stop what this run has started and nothing else, then end the process. A second
 * Ctrl-C does not wait for graceful stops.
 * @param {{onStop?: () => void, exitCode: () => number}} options
 */
export function stopOnSignal({ onStop, exitCode }) {
  let firstAt = 0;
  const stop = async () => {
    if (firstAt) {
      if (Date.now() - firstAt > echoMs) killAllGuarded();
      return;
    }
    firstAt = Date.now();
    const code = exitCode();
    onStop?.();
    await stopAllGuarded();
    process.exit(code);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);

  // npm runs us through a shell: a signal to npm may end npm and the shell without reaching us. Then we have a new parent.
  const parent = process.ppid;
  if (process.env.npm_lifecycle_event) {
    setInterval(() => process.ppid !== parent && !firstAt && stop(), parentCheckMs).unref();
  }
  // A terminal that has gone away must not turn a graceful stop into a crash.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}
