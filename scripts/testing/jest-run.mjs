import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { projectEnvironment, runCommand } from '../setup/run-command.mjs';

/**
 * Runs jest and shows its output as it comes.
 * @param {{args: string[], env: NodeJS.ProcessEnv}} options `args` are test paths and jest's own options
 * @returns {Promise<{passed: number, failed: number}>} tests, as jest counts them
 */
export async function runJest({ args, env }) {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-test-'));
  const resultFile = join(folder, 'result.json');
  try {
    const { code } = await runCommand('jest', ['--ci', '--json', `--outputFile=${resultFile}`, ...args], {
      env: projectEnvironment(env),
      inherit: true,
    });
    const counts = countsOf(resultFile);
    // Some failures belong to no test: the global setup, an unknown path, a worker that died.
    if (code !== 0 && counts.failed === 0) counts.failed = 1;
    return counts;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function countsOf(/** @type {string} */ resultFile) {
  try {
    const result = JSON.parse(readFileSync(resultFile, 'utf8'));
    // A file that could not be run has no tests to count, so it counts as one.
    return { passed: result.numPassedTests, failed: result.numFailedTests + result.numRuntimeErrorTestSuites };
  } catch {
    // Jest writes its results last: without them it has not come to its end, whatever its exit code.
    return { passed: 0, failed: 1 };
  }
}
