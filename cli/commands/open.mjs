import { spawn } from 'node:child_process';
import { EXIT, UsageError } from '../outcome.mjs';

const PAGES = /** @type {Record<string, string>} */ ({
  docs: '/api/docs',
  openapi: '/api/openapi.json',
  health: '/api/health',
});
const OPENERS = /** @type {Record<string, readonly string[]>} */ ({
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
});

/** @type {import('../command-line.mjs').Command} */
export const open = {
  arguments: ['[page]'],
  about: `open the service in a browser: ${Object.keys(PAGES).join(', ')} (docs); without a terminal, print the address`,
  isOffline: true,
  example: 'keelson open docs',
  async run({ serviceUrl, output, args: [page = 'docs'] }) {
    const path = PAGES[page];
    if (path === undefined) throw new UsageError(`There is no page ${page}: ${Object.keys(PAGES).join(', ')}`);
    const url = `${serviceUrl()}${path}`;
    await output.show({ url }, () => url);
    if (process.stdout.isTTY) openInBrowser(url);
    return EXIT.ok;
  },
};

function openInBrowser(/** @type {string} */ url) {
  const [command = '', ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  // The address is printed anyway.
  child.once('error', () => undefined);
  child.unref();
}
