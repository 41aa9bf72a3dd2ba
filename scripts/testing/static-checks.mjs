import { availableParallelism } from 'node:os';

import { projectEnvironment, runCommand } from '../setup/run-command.mjs';

/** Checks of the text alone: no service is needed. */
const checks = {
  formatting: 'oxfmt --check',
  'lint and types': 'oxlint',
  'import rules': 'depcruise --config .dependency-cruiser.cjs src workflows activities sdk web/src',
  'rooms without circles': 'node scripts/check-rooms.mjs',
  'dead code': 'knip',
  'workflows bundle': 'node scripts/bundle-workflows.ts',
  'compose file': 'node scripts/check-compose.mjs',
};

/**
 * Runs the checks, as many at once as there are cores, in the time that the tests leave. Prints a line for
 * each when it ends; `report` prints the output of those that failed.
 * @returns {Promise<{passed: number, failed: number, report: () => void}>}
 */
export async function runStaticChecks() {
  const waiting = Object.entries(checks);
  const counts = { passed: 0, failed: 0 };
  /** @type {string[]} */
  const failures = [];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [name, commandLine] = next;
      const [command = '', ...args] = commandLine.split(' ');
      const startedAt = Date.now();
      const { code, output } = await runCommand(command, args, { env: projectEnvironment(), inBackground: true });
      const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
      console.log(`${code === 0 ? 'ok    ' : 'FAILED'}  ${name.padEnd(21)} ${seconds.padStart(5)} s`);
      if (code === 0) counts.passed++;
      else {
        counts.failed++;
        failures.push(`\n$ ${commandLine}\n${output}\n`);
      }
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return { ...counts, report: () => failures.forEach((failure) => console.log(failure)) };
}
