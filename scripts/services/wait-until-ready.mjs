import { setTimeout as sleep } from 'node:timers/promises';

import { lastLines } from '../setup/run-command.mjs';
import { SetupProblem } from '../setup/setup-problem.mjs';

/**
 * Polls until a process that this run has started is ready.
 * @param {import('../setup/guarded-process.mjs').GuardedProcess} guarded
 * @param {() => Promise<boolean>} isReady
 * @param {number} timeoutMs
 * @throws {SetupProblem} with the end of its log, if it ends or is not ready in time
 */
export async function waitUntilReady(guarded, isReady, timeoutMs = 60_000) {
  const deadline = Date.now() + timeoutMs;
  while (!(await isReady())) {
    const code = guarded.exitCode();
    if (code === undefined && Date.now() < deadline) {
      await sleep(100);
      continue;
    }
    const what = code === undefined ? `was not ready after ${timeoutMs / 1000} s` : `ended with exit code ${code}`;
    if (code === undefined) await guarded.stop();
    throw new SetupProblem(`${guarded.name} ${what}. The end of its log:\n${lastLines(guarded.log())}`);
  }
}
