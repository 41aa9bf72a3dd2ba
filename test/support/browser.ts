import axe, { type AxeResults } from 'axe-core';
import { chromium, type Browser, type BrowserContextOptions, type BrowserServer, type Page } from 'playwright-core';
import { afterEachFile } from '../../scripts/testing/jest/after-each-file.cjs';
import { PASSWORD, type TestUser } from './world.ts';

/** It talks to nobody but the program. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

const DESKTOP = { width: 1280, height: 800 };
export const PHONE = { width: 390, height: 844 };

/** Starts the browser that all files share, where some of them need one. */
export async function startBrowser(): Promise<BrowserServer | undefined> {
  const executablePath = process.env.CHROMIUM_PATH;
  if (!executablePath) return undefined;
  const server = await chromium.launchServer({ executablePath, args: FLAGS });
  process.env.KEELSON_TEST_BROWSER = server.wsEndpoint();
  return server;
}

let connected: Promise<Browser> | undefined;

afterEachFile(async () => {
  await (await connected)?.close();
  connected = undefined;
});

/** A window of its own session, which fails its test when the page says an error or asks another origin. */
export interface Window {
  readonly page: Page;
  /** What has gone wrong in the page so far. */
  readonly problems: string[];
}

/** Opens a window at an address below `/console`. */
export async function openConsole(path: string, options: BrowserContextOptions = {}): Promise<Window> {
  connected ??= chromium.connect(process.env.KEELSON_TEST_BROWSER ?? '');
  const origin = process.env.KEELSON_TEST_URL ?? '';
  const context = await (
    await connected
  ).newContext({
    viewport: DESKTOP,
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    reducedMotion: 'reduce',
    ...options,
  });
  context.setDefaultTimeout(10_000);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', ({ message }) => problems.push(message));
  page.on('console', (line) => {
    // The browser itself says so of each answer of 400 and above.
    if (line.type() === 'error' && !line.text().startsWith('Failed to load resource')) problems.push(line.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !/^(?:blob|data|chrome|chrome-extension):/.test(request.url()))
      problems.push(request.url());
  });
  await page.goto(`${origin}/console${path}`);
  return { page, problems };
}

/** The same for a user who has logged in by the form. */
export async function openConsoleAs(
  user: TestUser,
  path: string,
  options: BrowserContextOptions = {},
): Promise<Window> {
  const opened = await openConsole(path, options);
  const { page } = opened;
  await page.locator('input[type=email]').fill(user.email);
  await page.locator('input[type=password]').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.locator('header').first().waitFor();
  return opened;
}

/** What axe finds wrong, as `rule: element`. */
export async function axeProblems(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResults>('axe.run()');
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}
