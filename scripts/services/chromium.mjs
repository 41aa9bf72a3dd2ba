import { existsSync } from 'node:fs';

import { findProgram } from '../setup/find-program.mjs';
import { withProgress } from '../setup/progress.mjs';
import { lastLines, runCommand } from '../setup/run-command.mjs';
import { SetupProblem } from '../setup/setup-problem.mjs';

const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const usualFolders = ['/usr/bin', '/snap/bin', '/Applications/Google Chrome.app/Contents/MacOS'];

/**
 * Finds the browser of the console's tests, or installs Debian's package, as root.
 * @returns {Promise<string>} its path
 * @throws {SetupProblem}
 */
export async function ensureChromium() {
  const given = process.env.CHROMIUM_PATH;
  if (given) {
    if (existsSync(given)) return given;
    throw new SetupProblem(`CHROMIUM_PATH=${given} does not exist.`);
  }
  const found = findProgram([...names, 'Google Chrome'], usualFolders);
  if (found) return found;
  const { code, output } = await withProgress('Installing Chromium', () =>
    runCommand('apt-get', ['install', '-y', '--no-install-recommends', 'chromium-headless-shell']),
  );
  const installed = findProgram(names, usualFolders);
  if (code === 0 && installed) return installed;
  throw new SetupProblem(
    `The tests of the console need Chromium. Install it, or name it by CHROMIUM_PATH.\n${lastLines(output, 5)}`,
  );
}
