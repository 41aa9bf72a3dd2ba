import axe, { type AxeResults } from 'axe-core';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type BrowserServer,
  type Page,
  type Request,
  type Route,
} from 'playwright-core';
import { afterEachFile } from '../../scripts/testing/jest/after-each-file.cjs';
import { whenATestFails } from '../../scripts/testing/jest/when-a-test-fails.cjs';
import { call } from './api.ts';
import { until } from './faults.ts';
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
/** Open windows by the test that has opened them. */
const contexts = new Map<string | undefined, BrowserContext[]>();

afterEachFile(async () => {
  await (await connected)?.close();
  connected = undefined;
  contexts.clear();
});

/** A window of its own session, which fails its test when the page says an error or asks another origin. */
export interface Window {
  readonly page: Page;
  /** What has gone wrong in the page so far. */
  readonly problems: string[];
}

/** Windows of other tests are closed: what they follow and look for costs the browser its time. */
async function newContext(browser: Browser, options: BrowserContextOptions): Promise<BrowserContext> {
  const { currentTestName: test } = expect.getState();
  for (const [other, opened] of contexts) {
    if (other === test) continue;
    contexts.delete(other);
    await Promise.all(opened.map((context) => context.close()));
  }
  const context = await browser.newContext({
    viewport: DESKTOP,
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    reducedMotion: 'reduce',
    ...options,
  });
  contexts.set(test, [...(contexts.get(test) ?? []), context]);
  watchRequests(context);
  return context;
}

/** Requests of the windows of a test that have no answer yet. */
const waiting = new WeakMap<BrowserContext, Set<Request>>();

function watchRequests(context: BrowserContext): void {
  const open = new Set<Request>();
  waiting.set(context, open);
  context.on('request', (request) => open.add(request));
  context.on('requestfinished', (request) => open.delete(request));
  context.on('requestfailed', (request) => open.delete(request));
}

/** Of a failure's window, in characters. */
const MOST_TOLD = 4_000;

whenATestFails(async () => {
  const opened = contexts.get(expect.getState().currentTestName) ?? [];
  const told = opened.flatMap((context) => {
    const requests = [...(waiting.get(context) ?? [])].map((request) => `${request.method()} ${request.url()}`);
    return [...context.pages().map(look), Promise.resolve(`Without an answer: ${requests.join(', ') || 'none'}`)];
  });
  return (await Promise.all(told)).join('\n\n');
});

/** What a screen reader would find in a window. */
async function look(page: Page): Promise<string> {
  const content = await page
    .locator('body')
    .ariaSnapshot({ timeout: 5_000 })
    .catch(({ message }: Error) => message);
  // Options that are not chosen, and links, say little.
  const lines = content.split('\n').filter((line) => !/- (?:option .*"|link .*|listitem:|\/url: .*)$/.test(line));
  return `${page.url()} shows\n${lines.join('\n').slice(0, MOST_TOLD)}`;
}

/** Opens a window at an address below `/console`. */
export async function openConsole(path: string, options: BrowserContextOptions = {}): Promise<Window> {
  connected ??= chromium.connect(process.env.KEELSON_TEST_BROWSER ?? '');
  const origin = process.env.KEELSON_TEST_URL ?? '';
  const context = await newContext(await connected, options);
  // A slow machine takes its time.
  context.setDefaultTimeout(60_000);
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

/** Resolves when what fades has faded. */
const FADED = `Promise.all(
  document.getAnimations()
    .filter((one) => one.playState === 'running' && one.effect.getTiming().iterations !== Infinity)
    .map((one) => one.finished.catch(() => null)),
).then(() => null)`;

/** What axe finds wrong, as `rule: element`. */
export async function axeProblems(page: Page): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(axe.source);
  // A button that has just become active is still pale.
  await page.evaluate(FADED);
  const { violations } = await page.evaluate<AxeResults>("axe.run({ resultTypes: ['violations'] })");
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

/** The same in both themes; the light one is left. */
export async function axeInBothThemes(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    found.push(...(await axeProblems(page)));
  }
  return found;
}

interface Refusal {
  readonly status: number;
  readonly code: string;
  /** In seconds. */
  readonly retryAfter?: number;
}

/** Has requests answered as a busy node does, or not at all, until `unrouteAll`. */
export async function failing(page: Page, url: string, how: Refusal | 'dead'): Promise<void> {
  await page.unrouteAll();
  await page.route(url, (route) => (how === 'dead' ? route.abort('connectionrefused') : refused(route, how)));
  await page.route('**/console/is-routed', (route) => route.fulfill({ status: 204 }));
  // The browser tells its pages of routes a moment later: a request of that moment would go through.
  await until('requests are routed', () =>
    page.evaluate<boolean>(`fetch('/console/is-routed').then(({ status }) => status === 204)`),
  );
}

/** Answers one request as a busy node does. */
export function refused(route: Route, { status, code, retryAfter }: Refusal): Promise<void> {
  return route.fulfill({
    status,
    headers: retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
    json: { code, message: 'Not now', data: { traceId: '0'.repeat(32) } },
  });
}

export const BUSY: Refusal = { status: 429, code: 'RATE_LIMITED', retryAfter: 30 };
export const AWAY: Refusal = { status: 503, code: 'SERVICE_UNAVAILABLE', retryAfter: 60 };

/** Ends the session of a user behind the back of their window. */
export async function endSession(user: TestUser): Promise<void> {
  await call('/api/auth/logout-all', { method: 'POST', token: user.token });
}

/** Logs in where the session has ended. */
export async function logInAgain(page: Page, user: TestUser): Promise<void> {
  const again = page.getByRole('dialog', { name: /Your session has ended/ });
  await again.getByLabel('E-mail').fill(user.email);
  await again.getByLabel('Password').fill(PASSWORD);
  await again.getByRole('button', { name: 'Log in' }).click();
  await again.waitFor({ state: 'detached' });
}
