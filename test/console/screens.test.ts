import type { Page } from 'playwright-core';
import { dataOf, execute } from '../support/api.ts';
import { axeProblems, openConsoleAs } from '../support/browser.ts';
import { newTenant, newUser, type TestUser } from '../support/world.ts';

let user: TestUser;
let pid: string;

beforeAll(async () => {
  user = await newUser(['PLATFORM_ADMIN'], await newTenant());
  const long = 'A very long name of a lead that nobody would ever read to its end, '.repeat(2).trim();
  for (const name of ['Ada', long]) {
    const payload = { name, status: 'new', amount: '123456789.25', due_on: '2026-03-05', source: 'web' };
    pid = dataOf(await execute(user.token, 'crm:create_lead', { payload })).pid;
  }
});

/** Each screen by its address, with what is there once it is drawn. */
const screens = (): Record<string, string> => ({
  '/pages/leads': '[role=gridcell] span, main li button',
  '/pages/leads?group=status': '[aria-expanded=true]',
  '/pages/leads?shape=board&group=status': '[data-card]',
  '/pages/leads?shape=calendar&at=2026-03-05': 'main [data-day], main h2, main h3',
  '/pages/leads?shape=chart&group=status': 'main table',
  [`/pages/leads?open=${pid}`]: 'dl',
  [`/pages/leads?open=${pid}&run=crm:update_lead`]: 'form',
  [`/pages/leads/${pid}?tab=history`]: '[role=tabpanel] li',
  '/pages/leads/import': 'input[type=file]',
  '/dashboards/sales': 'main [role=region] p, main section p',
  '/work': 'main h2',
  '/account': 'main h2',
});

const go = async (page: Page, path: string, sign: string) => {
  await page.goto(`${new URL(page.url()).origin}/console${path}`);
  await page.locator(sign).first().waitFor({ state: 'attached' });
  await page.locator('h1').first().waitFor();
};

/** What a keyboard should reach and Tab does not, by its name. */
const unreached = (page: Page) =>
  page.evaluate<string[]>(`(() => {
    const wanted = [...document.querySelectorAll('a[href], button, input, select, textarea, [role=tab], [role=grid]')]
      .filter((one) => !one.disabled && one.checkVisibility({ visibilityProperty: true }) && one.getAttribute('aria-hidden') !== 'true' && !one.classList.contains('visually-hidden'));
    // In a grid, arrows go on from its one stop; of tabs, one is a stop. Files are dropped onto their labelled control.
    const inside = (one) => one.parentElement.closest('[role=grid], [role=tablist], [role=toolbar]');
    return wanted.filter((one) => one.tabIndex < 0 && !inside(one)).map((one) => one.outerHTML.slice(0, 120));
  })()`);

describe('every screen', () => {
  it.each([
    [390, 'en-GB'],
    [1024, 'zh-CN'],
    [1280, 'en-GB'],
    [2560, 'zh-CN'],
  ])('fits into %i pixels (%s), is reached by Tab, and axe finds nothing', async (width, locale) => {
    const viewport = { width, height: 844 };
    const { page, problems } = await openConsoleAs(user, '/account', { viewport, locale });
    for (const [path, sign] of Object.entries(screens())) {
      await go(page, path, sign);
      const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
      expect([path, wide]).toEqual([path, width]);
      expect([path, await unreached(page)]).toEqual([path, []]);
      expect([path, await axeProblems(page)]).toEqual([path, []]);
    }
    expect(problems).toEqual([]);
  });
});

describe('the keyboard alone', () => {
  const tabTo = async (page: Page, name: RegExp) => {
    for (let presses = 0; presses < 80; presses += 1) {
      const focused = await page.evaluate<string>(
        `(document.activeElement.getAttribute('aria-label') ?? document.activeElement.labels?.[0]?.textContent ?? document.activeElement.textContent ?? '').trim()`,
      );
      if (name.test(focused)) return;
      await page.keyboard.press('Tab');
    }
    throw new Error(`Tab does not reach ${name.source}`);
  };
  const press = async (page: Page, ...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };

  it('goes through figures, an export, an import, my work and the account', async () => {
    const { page, problems } = await openConsoleAs(user, '/pages/leads');
    await page.getByRole('grid').waitFor();
    await tabTo(page, /^Sales$/);
    await press(page, 'Enter');
    await page.getByRole('region', { name: 'Deals by stage' }).waitFor();
    await tabTo(page, /^Leads$/);
    await press(page, 'Enter');
    await page.getByRole('gridcell', { name: 'Ada', exact: true }).waitFor();

    await tabTo(page, /^Export and import$/);
    const downloading = page.waitForEvent('download');
    await press(page, 'Enter', 'ArrowDown', 'Enter');
    expect((await downloading).suggestedFilename()).toMatch(/^leads\./);
    await tabTo(page, /^Export and import$/);
    await press(page, 'Enter', 'End', 'Enter');
    await page.getByText('Drop a file here').waitFor();
    const choosing = page.waitForEvent('filechooser');
    await tabTo(page, /file/i);
    await press(page, 'Enter');
    const file = { name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from('name\nKey\n') };
    await (await choosing).setFiles(file);
    await page.getByLabel('Field for name').waitFor();
    await tabTo(page, /^Try the import$/);
    await press(page, 'Enter');
    await page.getByRole('button', { name: 'Import 1 row' }).waitFor();
    await tabTo(page, /^Import 1 row$/);
    await press(page, 'Enter');
    await page.getByText('1 record created', { exact: true }).waitFor();

    await tabTo(page, /^My work/);
    await press(page, 'Enter');
    await page.getByRole('heading', { name: 'My work' }).waitFor();
    await tabTo(page, /^Account of/);
    await press(page, 'Enter');
    await page.getByRole('menuitem').first().waitFor();
    await press(page, 'Escape');
    expect(problems).toEqual([]);
  });
});
