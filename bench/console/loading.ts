import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page, Request } from 'playwright-core';
import { median } from '../statistics.ts';
import { FIRST_ROW, frameWhen, logInto } from './window.ts';

/** What a first load takes. */
export interface FirstLoad {
  /** Compressed, up to the first grid. */
  readonly jsBytes: number;
  readonly cssBytes: number;
  /** From the address to a grid with records. */
  readonly interactiveMs: number;
}

interface Resource {
  readonly name: string;
  readonly encodedBodySize: number;
  readonly startTime: number;
}

/** The first grid in a window whose browser has nothing yet but its session. Medians of the rounds. */
export async function firstLoad(browser: Browser, url: string, rounds: number): Promise<FirstLoad> {
  const loads: FirstLoad[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const page = await logInto(browser, url, '/account');
    const devTools = await page.context().newCDPSession(page);
    await devTools.send('Network.clearBrowserCache');
    await page.goto(`${url}/console/pages/leads`);
    await page.locator(FIRST_ROW).first().waitFor();
    const interactiveMs = await page.evaluate<number>(
      `new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(performance.now()))))`,
    );
    const resources = await page.evaluate<Resource[]>(
      `performance.getEntriesByType('resource').map(({ name, encodedBodySize, startTime }) => ({ name, encodedBodySize, startTime }))`,
    );
    const sizeOf = (kind: string): number =>
      resources
        .filter(({ name, startTime }) => name.split('?')[0]?.endsWith(kind) && startTime < interactiveMs)
        .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
    loads.push({ jsBytes: sizeOf('.js'), cssBytes: sizeOf('.css'), interactiveMs });
    await page.context().close();
  }
  return {
    jsBytes: median(loads.map(({ jsBytes }) => jsBytes)),
    cssBytes: median(loads.map(({ cssBytes }) => cssBytes)),
    interactiveMs: median(loads.map(({ interactiveMs: ms }) => ms)),
  };
}

/** From a click on another page to its grid: the first time from the server, then from the cache. */
export async function pageToPage(browser: Browser, url: string, rounds: number) {
  const [server, cache]: number[][] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    const page = await logInto(browser, url, '/pages/deals');
    await page.getByRole('navigation').waitFor();
    await settled(page);
    server?.push(await goTo(page, 'Accounts'));
    await goTo(page, 'Leads');
    cache?.push(await goTo(page, 'Accounts'));
    await page.context().close();
  }
  return { serverMs: median(server ?? []), cacheMs: median(cache ?? []) };
}

async function goTo(page: Page, name: string): Promise<number> {
  const shown = `document.querySelector('h1')?.textContent.includes(${JSON.stringify(name)}) && document.querySelector(${JSON.stringify(FIRST_ROW)})?.textContent.trim()`;
  return frameWhen(page, shown, `document.querySelector('nav a[title=${JSON.stringify(name)}]').click()`);
}

/** Nothing is asked for any more. */
async function settled(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
}

/** Without a request for so long, a screen asks for no more. */
const QUIET_MS = 500;
/** Streams do not end; the session and the tray of what is under way belong to the frame. */
const OF_NO_SCREEN = /\/stream$|\/auth\/|\/automations\/approvals$|\/meta\/commands\/executions$|\/imports$/;

/**
 * What a screen asks the service for when it is opened from another one: each begins when one before it has
 * been answered.
 */
export async function longestChain(page: Page, path: string): Promise<string[]> {
  const spans = new Map<Request, { from: number; to: number; name: string }>();
  const begin = (request: Request): void => {
    const { pathname } = new URL(request.url());
    if (!pathname.startsWith('/api/') || OF_NO_SCREEN.test(pathname)) return;
    spans.set(request, { from: performance.now(), to: Infinity, name: `${request.method()} ${pathname}` });
  };
  const end = (request: Request): void => {
    const span = spans.get(request);
    if (span) span.to = performance.now();
  };
  const isQuiet = (): boolean =>
    [...spans.values()].every(({ from, to }) => Math.max(from, to) < performance.now() - QUIET_MS);
  page.on('request', begin).on('requestfinished', end);
  await page.evaluate(
    `history.pushState(null, '', ${JSON.stringify(path)}), dispatchEvent(new PopStateEvent('popstate'))`,
  );
  do await sleep(QUIET_MS);
  while (!isQuiet());
  page.off('request', begin).off('requestfinished', end);
  return longestOf([...spans.values()].sort((one, other) => one.from - other.from));
}

function longestOf(spans: readonly { from: number; to: number; name: string }[]): string[] {
  const chains: string[][] = [];
  spans.forEach((span, index) => {
    const before = chains.slice(0, index).filter((_, at) => (spans[at]?.to ?? Infinity) <= span.from);
    const longest = before.reduce((most, chain) => (chain.length > most.length ? chain : most), [] as string[]);
    chains.push([...longest, span.name]);
  });
  return chains.reduce((most, chain) => (chain.length > most.length ? chain : most), [] as string[]);
}
