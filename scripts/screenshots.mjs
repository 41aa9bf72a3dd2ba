// npm run screenshots: pictures of the console's screens in both themes, from a running Keelson with the demo
// (KEELSON_URL, http://localhost:6443) that was started with RATE_LIMIT_READS=100000, into the folder that is
// named (screenshots). A third argument takes those alone whose names have one of its parts: `run,webhook`.
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { chromium } from 'playwright-core';

import { ensureChromium } from './services/chromium.mjs';

const url = process.env.KEELSON_URL ?? 'http://localhost:6443';
const folder = resolve(process.argv[2] ?? 'screenshots');
const only = process.argv[3] ?? '';
const password = 'keelson-demo-1';
/** Of two tenants; and one who runs the service. */
const members = ['both@example.com', 'admin@acme.example'];

/** @typedef {import('playwright-core').Page} Page */

const filtered = `f=${encodeURIComponent('[{"fieldName":"status","operator":"in","value":["new","open"]},{"fieldName":"amount","operator":"gte","value":"500"}]')}`;

/**
 * @typedef {{path: string, act?: (page: Page) => Promise<unknown>, isPublic?: boolean,
 *   isAdmin?: boolean}} Screen
 */

/** @type {Record<string, Screen>} */
const screens = {
  'log-in': { path: '/', isPublic: true },
  list: { path: '/pages/leads' },
  filtered: { path: `/pages/leads?${filtered}&sort=-amount` },
  groups: { path: '/pages/leads?group=status&sort=-amount' },
  board: { path: '/pages/deals?shape=board' },
  calendar: { path: '/pages/leads?shape=calendar' },
  chart: { path: '/pages/leads?shape=chart&group=status&measure=sum:amount' },
  bulk: {
    path: '/pages/leads',
    act: async (page) => {
      const boxes = page.locator('[role=gridcell] input, main li input');
      for (const index of [0, 1, 2]) await boxes.nth(index).check();
      await page.locator('footer button').filter({ hasText: 'Update a lead' }).click();
      await page.locator('[role=dialog] form').waitFor();
    },
  },
  record: { path: '/pages/leads', act: (page) => open(page) },
  edit: {
    path: '/pages/leads',
    act: async (page) => {
      await open(page);
      await page.locator('[data-key=e]').click();
      await page.locator('form').waitFor();
    },
  },
  related: {
    path: '/pages/accounts',
    act: async (page) => {
      await open(page);
      await page.getByRole('tab').nth(1).click();
      await page.locator('[role=tabpanel] h3').first().waitFor();
    },
  },
  history: {
    path: '/pages/leads',
    act: async (page) => {
      await open(page);
      await page.getByRole('tab').nth(2).click();
      await page.locator('[role=tabpanel] h2, [role=tabpanel] ol li').first().waitFor();
    },
  },
  create: { path: '/pages/deals?run=crm:create_deal', act: (page) => page.locator('[role=dialog] form').waitFor() },
  search: {
    path: '/pages/leads',
    act: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').fill('al');
      await page.getByRole('option').nth(3).waitFor();
    },
  },
  keys: { path: '/pages/leads', act: (page) => page.keyboard.press('?') },
  dashboard: { path: '/dashboards/sales', act: (page) => page.locator('canvas').first().waitFor() },
  work: { path: '/work' },
  'start-run': {
    path: '/work',
    act: async (page) => {
      await page.locator('main section h2 + button').first().click();
      await page.locator('[role=dialog] form').waitFor();
    },
  },
  account: { path: '/account' },
  import: { path: '/pages/leads/import' },
  trash: { path: '/pages/leads/trash', isAdmin: true },
  resources: { path: '/build', isAdmin: true, act: (page) => page.locator('main td a').first().waitFor() },
  model: {
    path: '/build/MODEL/deal',
    isAdmin: true,
    act: async (page) => {
      await page.locator('main table + div button').click();
      await page.locator('section pre').first().waitFor();
    },
  },
  role: {
    path: '/build/PERMISSION/SALES',
    isAdmin: true,
    act: (page) => page.locator('main td input').first().waitFor(),
  },
  command: {
    path: '/build/COMMAND/crm:convert_lead',
    isAdmin: true,
    act: (page) => page.locator('main ol li').first().waitFor(),
  },
  'data-source': { path: '/build/DATASOURCE/leads_by_status', isAdmin: true, act: (page) => shownForm(page) },
  automation: { path: '/build/AUTOMATION/lead_follow_up', isAdmin: true, act: (page) => shownForm(page) },
  'dashboard-form': { path: '/build/DASHBOARD/sales', isAdmin: true, act: (page) => shownForm(page) },
  'page-form': { path: '/build/PAGE_SCHEMA/leads', isAdmin: true, act: (page) => shownForm(page) },
  texts: { path: '/build/I18N/crm.zh-cn', isAdmin: true, act: (page) => shownForm(page) },
  'new-model': { path: '/build/new', isAdmin: true, act: (page) => page.locator('main table').waitFor() },
  promotions: { path: '/promotions', isAdmin: true },
  'new-promotion': { path: '/promotions/new', isAdmin: true },
  promotion: {
    path: '/promotions',
    isAdmin: true,
    act: async (page) => {
      const first = page.locator('main ol a, main button').first();
      await first.waitFor();
      if ((await page.locator('main ol a').count()) > 0) await page.locator('main ol a').first().click();
      else await plan(page);
      await page.locator('main article').waitFor();
    },
  },
  environments: { path: '/environments', isAdmin: true },
  users: { path: '/users', isAdmin: true },
  'service-accounts': { path: '/service-accounts', isAdmin: true },
  tenants: { path: '/tenants', isAdmin: true },
  channels: { path: '/channels', isAdmin: true },
  audit: { path: '/audit', isAdmin: true },
  activity: {
    path: '/pages/leads',
    act: async (page) => {
      await page.locator('header button[aria-haspopup=dialog]').click();
      await page.locator('[role=dialog] h2').waitFor();
    },
  },
  assistant: {
    path: '/pages/leads',
    act: async (page) => {
      await page.locator('header button[aria-expanded]:not([aria-haspopup])').click();
      await page.locator('aside textarea').waitFor();
    },
  },
  health: { path: '/operate/health', isAdmin: true, act: (page) => page.locator('main figure').first().waitFor() },
  webhooks: { path: '/operate/webhooks', isAdmin: true, act: (page) => shown(page) },
  webhook: { path: '/operate/webhooks', isAdmin: true, act: (page) => openRow(page) },
  'webhook-new': {
    path: '/operate/webhooks?edit=new',
    isAdmin: true,
    act: (page) => page.locator('[role=dialog] form').waitFor(),
  },
  deliveries: { path: '/operate/deliveries', isAdmin: true, act: (page) => shown(page) },
  delivery: { path: '/operate/deliveries', isAdmin: true, act: (page) => openRow(page) },
  'no-deliveries': { path: '/operate/deliveries?state=CANCELLED', isAdmin: true, act: (page) => shown(page) },
  executions: { path: '/operate/executions', isAdmin: true, act: (page) => shown(page) },
  execution: { path: '/operate/executions', isAdmin: true, act: (page) => openRow(page) },
  imports: { path: '/operate/imports', isAdmin: true, act: (page) => shown(page) },
  runs: { path: '/operate/runs', isAdmin: true, act: (page) => shown(page) },
  run: {
    path: '/operate/runs',
    isAdmin: true,
    act: async (page) => {
      await shown(page);
      const rows = page.locator('main tbody a');
      if ((await rows.count()) === 0) return;
      await rows.first().click();
      await page.locator('main details').first().waitFor();
    },
  },
  nothing: { path: '/pages/leads?q=qqqq' },
  lost: { path: '/pages/none' },
};

/** Plans a promotion of all that differs. @param {Page} page */
async function plan(page) {
  await page.goto(`${url}/console/promotions/new`);
  await page.locator('main footer button').click();
}

/** Opens the first record. @param {Page} page */
async function open(page) {
  const rows = page.locator('[role=gridcell]:nth-child(2), main li button');
  await rows.first().click();
  await page.locator('[role=tabpanel] dl').first().waitFor();
}

/** Waits for rows, or for what is said without any. @param {Page} page */
async function shown(page) {
  await page.locator('main tbody tr, main h2').first().waitFor();
}

/** Opens the first row of a log, where there is one. @param {Page} page */
async function openRow(page) {
  await shown(page);
  const rows = page.locator('main tbody a');
  if ((await rows.count()) === 0) return;
  await rows.first().click();
  await page.locator('main section dl').first().waitFor();
}

/** @param {Page} page */
const shownForm = (page) => page.locator('main [role=group]').first().waitFor();

/**
 * Takes the screens of one person.
 * @param {string} email
 * @param {string} size
 * @param {string} colorScheme
 * @param {import('playwright-core').BrowserContextOptions} options
 */
async function takeAll(email, size, colorScheme, options) {
  const own = Object.entries(screens).filter(
    ([name, { isAdmin = false }]) =>
      only.split(',').some((part) => name.includes(part)) && isAdmin === (email !== members[0]),
  );
  if (own.length === 0) return;
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.on('pageerror', ({ message }) => console.error(message));
  let isLoggedIn = false;
  for (const [name, { path, act, isPublic = false }] of own) {
    await page.goto(`${url}/console${path}`);
    if (!isPublic && !isLoggedIn) {
      await page.locator('input[type=email]').fill(email);
      await page.locator('input[type=password]').fill(password);
      await page.keyboard.press('Enter');
      isLoggedIn = true;
    }
    await page
      .locator(
        isPublic
          ? 'form'
          : '[role=gridcell] input, main li button:enabled, main h1, main h2, main table, main [role=group], main ol a, main li label',
      )
      .first()
      .waitFor();
    await act?.(page).catch((/** @type {Error} */ { message }) => {
      console.error(`${name}, ${size}, ${colorScheme}: ${message}`);
      process.exitCode = 1;
    });
    // Where a record is open, its stream never ends.
    await page.waitForLoadState('networkidle', { timeout: 2_000 }).catch(() => {});
    await page.screenshot({ path: join(folder, `${name}-${size}-${colorScheme}.png`), animations: 'disabled' });
  }
  await context.close();
}

const sizes = {
  wide: { width: 1440, height: 900 },
  narrow: { width: 1024, height: 768 },
  phone: { width: 390, height: 844 },
};
const browser = await chromium.launch({
  executablePath: await ensureChromium(),
  args: ['--no-sandbox', '--disable-gpu'],
});
mkdirSync(folder, { recursive: true });
for (const [size, viewport] of Object.entries(sizes)) {
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    const locale = size === 'phone' && colorScheme === 'dark' ? 'zh-CN' : 'en-GB';
    const options = { viewport, colorScheme, locale, timezoneId: 'Europe/Berlin', deviceScaleFactor: 1 };
    for (const email of members) await takeAll(email, size, colorScheme, options);
  }
}
await browser.close();
