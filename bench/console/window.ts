import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { LOGIN } from '../bench-data.ts';

const FLAGS = ['--no-sandbox', '--disable-gpu', '--js-flags=--expose-gc', '--enable-precise-memory-info'];

/** The first record of a grid, with what is in its cells. */
export const FIRST_ROW = '[aria-rowindex="2"] [role=gridcell]:nth-child(2) span';

export function launch(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM_PATH ?? '';
  return chromium.launch({ executablePath, args: FLAGS });
}

/** A window in which the user of the benchmarks is logged in. */
export async function logInto(browser: Browser, url: string, path: string, options = {}): Promise<Page> {
  const page = await (await newWindow(browser, options)).newPage();
  await page.goto(`${url}/console${path}`);
  await page.locator('input[type=email]').fill(LOGIN.email);
  await page.locator('input[type=password]').fill(LOGIN.password);
  await page.keyboard.press('Enter');
  await page.locator('header').first().waitFor();
  return page;
}

function newWindow(browser: Browser, options: object): Promise<BrowserContext> {
  return browser.newContext({
    viewport: { width: 1440, height: 900 },
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    ...options,
  });
}

/** Milliseconds from an action on until a condition holds in the page, to one frame. */
export function frameWhen(page: Page, condition: string, action: string): Promise<number> {
  return page.evaluate<number>(`new Promise((done, fail) => {
    const from = performance.now();
    ${action};
    const look = () => {
      if (${condition}) return done(performance.now() - from);
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
    setTimeout(() => fail(new Error('not within 30 s')), 30000);
  })`);
}
