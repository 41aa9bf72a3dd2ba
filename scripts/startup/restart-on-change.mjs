import { setTimeout as sleep } from 'node:timers/promises';

import { projectFolder } from '../setup/folders.mjs';
import { explain } from '../setup/setup-problem.mjs';

/** What the program is made of. `keelson watch` applies the files of an application. */
const folders = ['src', 'workflows', 'activities', 'migrations'];

/** An editor or Git writes several files at once. */
const quietForMs = 200;

/** @typedef {Awaited<ReturnType<typeof import('./program.mjs').startProgram>>} Started */

/**
 * Starts the program again whenever its source changes, until `isStopping`. One that does not start, or ends
 * by itself, waits for the next change.
 * @param {Started} started
 * @param {{start: () => Promise<Started>, prepare: () => Promise<void>, isStopping: () => boolean}} options
 *   `prepare` migrates
 */
export async function restartOnChange({ program }, { start, prepare, isStopping }) {
  const { watch } = await import('chokidar'); // is installed by now
  /** @type {Set<string>} */
  const changed = new Set();
  let wake = () => {};
  const isOther = (/** @type {string} */ path, /** @type {import('node:fs').Stats | undefined} */ stats) =>
    Boolean(stats?.isFile()) && !/\.(ts|sql)$/.test(path);
  watch(folders, { cwd: projectFolder, ignoreInitial: true, ignored: isOther }).on('all', (_event, path) => {
    changed.add(path);
    wake();
  });

  tellEnd(program);
  let isPrepared = true;
  for (;;) {
    if (changed.size === 0) await new Promise((resolve) => (wake = () => resolve(undefined)));
    await sleep(quietForMs);
    const [first = '', ...others] = changed;
    if ([...changed].some((path) => path.startsWith('migrations/'))) isPrepared = false;
    changed.clear();
    console.log(`\n${first}${others.length > 0 ? ` and ${others.length} more` : ''} changed: restarting ...`);
    const startedAt = Date.now();
    await program.stop();
    try {
      if (!isPrepared && !isStopping()) await prepare();
      isPrepared = true;
      if (isStopping()) return;
      const started = await start();
      program = started.program;
      tellEnd(program);
      started.logs.show();
      console.log(`Keelson is ready again (${((Date.now() - startedAt) / 1000).toFixed(1)} s).`);
    } catch (error) {
      if (isStopping()) return;
      console.error(`\n${explain(error)}\nThe next change starts it again.`);
    }
  }
}

/** @param {Started['program']} program */
function tellEnd({ exited, stopAsked }) {
  void exited.then((code) => {
    if (!stopAsked()) console.error(`Keelson has ended (exit code ${code}). The next change starts it again.`);
  });
}
