import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../outcome.mjs';

/** The part of Keelson that has its configuration; the package of the command line is without it. */
const SCRIPT = fileURLToPath(new URL('../../scripts/uninstall.mjs', import.meta.url));

/** @type {import('../command-line.mjs').Command} */
export const uninstall = {
  arguments: [],
  about: 'remove an installation: its workflows, schedules, Redis keys, files and database; in its own folder',
  example: 'keelson uninstall --dry-run',
  isOffline: true,
  options: {
    'dry-run': { type: 'boolean', about: 'only show what would go' },
    yes: { type: 'boolean', about: 'do not ask' },
  },
  async run({ options }) {
    if (!existsSync(SCRIPT)) {
      throw new UsageError(
        'An installation is removed where its configuration is: npx --offline keelson uninstall in the folder of Keelson',
      );
    }
    const args = ['dry-run', 'yes'].filter((name) => options[name]).map((name) => `--${name}`);
    const child = spawn(process.execPath, [SCRIPT, ...args], { stdio: 'inherit' });
    return new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code) => resolve(code ?? 1));
    });
  },
};
