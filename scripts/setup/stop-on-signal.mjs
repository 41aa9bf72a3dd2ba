import { killAllGuarded, stopAllGuarded } from './guarded-process.mjs';

/** Time in which a second signal is npm's copy of the first: the terminal sends Ctrl-C to both. */
const echoMs = 1_000;

const parentCheckMs = 1_000;

/**
 * On Ctrl-C, `kill` and a closed terminal, stops the processes of this run and ends. A second Ctrl-C kills
 * them.
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

  // A signal to npm may end npm and its shell without reaching this process, which then gets a new parent.
  const parent = process.ppid;
  if (process.env.npm_lifecycle_event) {
    setInterval(() => process.ppid !== parent && !firstAt && stop(), parentCheckMs).unref();
  }
  // A closed terminal must not make a graceful stop crash.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}
