import { firstLoad, longestChain, pageToPage } from './console/loading.ts';
import { axeFindings, navigate, scrollThrough } from './console/using.ts';
import { launch, logInto } from './console/window.ts';
import { busyShare } from './quiet.ts';
import { requiredUrl } from './settings.ts';

// The budgets of the console, in a real Chromium: what a first load weighs and takes, ways from page to page,
// requests in a row, a scroll through 100,000 records, memory, accessibility. BENCH_ROUNDS, BENCH_SECONDS and
// BENCH_NAVIGATIONS shorten it.
const url = requiredUrl('BENCH_API_URL');
const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const seconds = Number(process.env.BENCH_SECONDS ?? 20);
const navigations = Number(process.env.BENCH_NAVIGATIONS ?? 200);

/** The screens of a user; what follows is found by name. */
const SCREENS = [
  '/pages/leads',
  '/pages/leads?group=status',
  '/pages/deals?shape=board',
  '/pages/leads?shape=calendar',
  '/pages/leads?shape=chart&group=status',
  '/pages/leads/import',
  '/dashboards/sales',
  '/work',
  '/account',
  '/pages/none',
];

interface Line {
  readonly what: string;
  readonly found: string;
  readonly budget: string;
  readonly isMet: boolean;
}
const lines: Line[] = [];
const atMost = (what: string, found: number, budget: number, unit: string, places = 0): void => {
  const told = (value: number): string => `${value.toFixed(places)} ${unit}`;
  lines.push({ what, found: told(found), budget: told(budget), isMet: found <= budget });
};

const busy = await busyShare();
const browser = await launch();
try {
  const first = await firstLoad(browser, url, rounds);
  atMost('First load, JavaScript (gzip)', first.jsBytes / 1_000, 220, 'kB', 1);
  atMost('First load, CSS (gzip)', first.cssBytes / 1_000, 20, 'kB', 1);
  atMost('First grid with its records', first.interactiveMs, 1_500, 'ms');
  const ways = await pageToPage(browser, url, rounds);
  atMost('Page to page, from the cache', ways.cacheMs, 150, 'ms');
  atMost('Page to page, from the server', ways.serverMs, 400, 'ms');

  const page = await logInto(browser, url, '/account');
  const chains = new Map<string, string[]>();
  for (const path of SCREENS) chains.set(path, await longestChain(page, `/console${path}`));
  const [where, chain] = [...chains].reduce((most, one) => (one[1].length > most[1].length ? one : most));
  atMost(`Requests in a row (${where}: ${chain.join(', ')})`, chain.length, 2, '');

  await page.goto(`${url}/console/pages/leads`);
  const scrolled = await scrollThrough(page, seconds);
  atMost('Scrolling 100,000 records: longest frame', scrolled.longestFrameMs, 50, 'ms');
  atMost('Scrolling 100,000 records: longest blank row', scrolled.longestBlankMs, 100, 'ms');
  console.log(
    `  ${scrolled.frames} frames in ${seconds} s; a row showed for up to ${scrolled.longestWaitMs.toFixed(0)} ms that it is being read.`,
  );
  await page.goto(`${url}/console/pages/leads`);
  const [before, after] = await navigate(page, navigations);
  atMost(
    `Memory after ${navigations} navigations, more than at first`,
    (after.bytes - before.bytes) / 2 ** 20,
    5,
    'MiB',
    1,
  );
  atMost(`Nodes after ${navigations} navigations, more than at first`, after.nodes - before.nodes, 2_000, '');
  const findings = await axeFindings(browser, url, SCREENS);
  for (const finding of findings) console.log(`  axe: ${finding}`);
  atMost(`What axe finds on ${SCREENS.length} screens in two themes`, findings.length, 0, '');
} finally {
  await browser.close();
}

const width = Math.max(...lines.map(({ what }) => what.length));
console.log('');
for (const { what, found, budget, isMet } of lines) {
  console.log(`  ${what.padEnd(width)}  ${found.padStart(12)}  of ${budget.padStart(10)}  ${isMet ? 'met' : 'MISSED'}`);
}
console.log(`\n  The machine was ${Math.round(busy * 100)} % busy with other things.`);
if (lines.some(({ isMet }) => !isMet)) process.exitCode = 1;
