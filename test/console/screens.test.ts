import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { dataOf, execute } from '../support/api.ts';
import { startRun } from '../support/automations.ts';
import { AWAY, axeProblems, openConsoleAs, refused } from '../support/browser.ts';
import { name } from '../support/models.ts';
import { newAdmin, newUnits, type Admin } from '../support/promotions.ts';
import { newTenant, newUser, type TestUser } from '../support/world.ts';

/** Those that no one in a session sees, and the root of all. */
const OTHERS = ['/', '/console', '/reset-password'];
/** What a browser's screen may be, and in which language and theme it is looked at there. */
const SIZES = [
  { width: 390, height: 844, locale: 'zh-CN', colorScheme: 'dark' },
  { width: 1024, height: 768, locale: 'zh-CN', colorScheme: 'light' },
  { width: 1280, height: 800, locale: 'en-GB', colorScheme: 'dark' },
  { width: 2560, height: 1440, locale: 'en-GB', colorScheme: 'light' },
] as const;

/** An address for each of the console's routes. */
let addresses: Record<string, string>;
let boss: TestUser;
let admin: Admin;

beforeAll(async () => {
  const tenant = await newTenant();
  boss = await newUser(['PLATFORM_ADMIN'], tenant);
  admin = await newAdmin(tenant);
  const lead = dataOf(await execute(boss.token, 'crm:create_lead', { payload: { name: 'Ada', amount: '1' } }));
  const run = dataOf(await startRun(boss.token, 'lead_follow_up', { leadPid: lead.pid }));
  const { units } = await newUnits([name]);
  const promotion = dataOf(await admin.create(units));
  addresses = {
    '/pages/$pageKey': '/pages/leads',
    '/pages/$pageKey/$pid': `/pages/leads/${lead.pid}`,
    '/pages/$pageKey/import': '/pages/leads/import',
    '/pages/$pageKey/trash': '/pages/leads/trash',
    '/dashboards/$code': '/dashboards/sales',
    '/work': '/work',
    '/account': '/account',
    '/operate/webhooks': '/operate/webhooks',
    '/operate/deliveries': '/operate/deliveries',
    '/operate/executions': '/operate/executions',
    '/operate/runs': '/operate/runs',
    '/operate/runs/$runPid': `/operate/runs/${run.runPid}`,
    '/operate/imports': '/operate/imports',
    '/operate/health': '/operate/health',
    '/operate/traces/$traceId': `/operate/traces/${'0'.repeat(32)}`,
    '/promotions': '/promotions',
    '/promotions/new': '/promotions/new?source=dev&target=staging',
    '/promotions/$pid': `/promotions/${promotion.pid}`,
    '/build': '/build',
    '/build/new': '/build/new',
    '/build/$type/$code': '/build/MODEL/lead',
    '/environments': '/environments',
    '/users': '/users',
    '/service-accounts': '/service-accounts',
    '/tenants': '/tenants',
    '/channels': '/channels',
    '/audit': '/audit',
  };
});

/** Goes to another screen without loading the console again. */
async function goTo(page: Page, path: string): Promise<void> {
  // It stays until the next screen's program is there.
  await page.evaluate(`document.querySelector('main').firstElementChild?.setAttribute('data-before', '')`);
  await page.evaluate(
    `history.pushState(null, '', ${JSON.stringify(`/console${path}`)}), dispatchEvent(new PopStateEvent('popstate'))`,
  );
  await page.locator('main > [data-before]').waitFor({ state: 'detached' });
  await isShown(page);
}

/** Has what the screen asks for. */
async function isShown(page: Page): Promise<void> {
  await page.locator('main h1').first().waitFor();
  await page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' });
}

/** Where a screen is wider than its window, and what a pointer cannot reach, as it lies beyond an edge. */
const OUTSIDE = `(() => {
  const found = [];
  if (document.documentElement.scrollWidth > innerWidth) found.push('scrolls sideways');
  for (const one of document.querySelectorAll('button, a, input, select, textarea')) {
    const { left, right, width } = one.getBoundingClientRect();
    if (width === 0 || (left >= 0 && right <= innerWidth + 1)) continue;
    let around = one.parentElement;
    while (around && !/auto|scroll/.test(getComputedStyle(around).overflowX)) around = around.parentElement;
    if (!around && !one.matches('[href="#main"]')) found.push(one.outerHTML.slice(0, 160));
  }
  return found;
})()`;

const PRESS_AGAIN = `[...document.querySelectorAll('main button')].find((one) => one.textContent === 'Try again')?.click()`;

/** Whether the focus is on something in the content that can be seen, if anything there takes it. */
const HAS_SEEN_FOCUS = `(() => {
  const { activeElement } = document;
  if (!document.querySelector('main :is(a, button, input, select, textarea, [tabindex="0"])')) return true;
  const { width, height } = activeElement.getBoundingClientRect();
  return document.querySelector('main').contains(activeElement) && width > 0 && height > 0;
})()`;

describe('the screens of the console', () => {
  it('are all looked at here', () => {
    const routes = readFileSync(join(import.meta.dirname, '../../web/src/routes.tsx'), 'utf8');
    const paths = [...routes.matchAll(/\bpath: '([^']+)'/g)].map(([, path]) => path);
    expect(Object.keys(addresses).toSorted()).toEqual(paths.filter((path) => !OTHERS.includes(path!)).toSorted());
  });

  it.each(SIZES)(
    'have a heading, fit $width pixels in $locale, and axe finds nothing',
    async ({ width, height, ...options }) => {
      const { page, problems } = await openConsoleAs(boss, '/', { viewport: { width, height }, ...options });
      const found: Record<string, unknown> = {};
      for (const path of Object.values(addresses)) {
        await goTo(page, path);
        const outside = await page.evaluate<string[]>(OUTSIDE);
        const all = [...outside, ...(await axeProblems(page))];
        if (all.length > 0) found[path] = all;
      }
      expect(found).toEqual({});
      expect(problems).toEqual([]);
    },
  );

  it('are reached and entered by the keyboard alone', async () => {
    const { page } = await openConsoleAs(boss, '/');
    const lost: string[] = [];
    for (const path of Object.values(addresses)) {
      await goTo(page, path);
      await page.evaluate(`document.activeElement.blur()`);
      await page.getByRole('link', { name: 'Skip to the content' }).focus();
      await page.keyboard.press('Enter');
      await page.keyboard.press('Tab');
      if (!(await page.evaluate<boolean>(HAS_SEEN_FOCUS))) lost.push(path);
    }
    expect(lost).toEqual([]);
  });

  it('say so where the node is away, and go on when it is back', async () => {
    const { page, problems } = await openConsoleAs(boss, '/');
    const again = page.locator('main').getByRole('button', { name: 'Try again' });
    for (const path of Object.values(addresses)) {
      // It asks for nothing before there is a file.
      if (path.endsWith('/import')) continue;
      await page.route(/\/api\/(?!auth\/(?:me|refresh)$|meta\/app$)/, (route) => refused(route, AWAY));
      // What another screen has read is not known here.
      await page.goto(new URL(`/console${path}`, page.url()).href);
      await again.first().waitFor();
      await page.unrouteAll();
      // What is read again by itself may take the button away.
      while ((await again.count()) > 0) await page.evaluate(PRESS_AGAIN);
      await isShown(page);
    }
    expect(problems).toEqual([]);
  });
});
