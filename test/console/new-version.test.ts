import type { Page } from 'playwright-core';
import { dataOf, execute } from '../support/api.ts';
import { openConsoleAs } from '../support/browser.ts';
import { newTenant, newUser, type TestUser } from '../support/world.ts';

const TRAY = '**/assets/ActivityTray-*.js';
const NEWER = '<script type="module" src="/console/assets/index-newer.js"></script>';

let user: TestUser;

beforeAll(async () => {
  user = await newUser(['PLATFORM_ADMIN'], await newTenant());
});

/** Opens the form of a lead and begins to fill it in. */
async function openHalfFilled() {
  const { pid } = dataOf(await execute(user.token, 'crm:create_lead', { payload: { name: 'Ada' } }));
  const { page, problems } = await openConsoleAs(user, `/pages/leads?open=${pid}&run=crm:update_lead`);
  const panel = page.getByRole('region', { name: 'Open record' });
  await panel.getByLabel('Owner').fill('Grace');
  return { page, problems, panel };
}

/** Until it is loaded again. */
const mark = (page: Page) => page.evaluate(`document.documentElement.dataset.old = ''`);
const openTray = (page: Page) => page.getByRole('button', { name: /^Activity/ }).click();

describe('a new version of the console', () => {
  it('takes the place of one whose files are gone, and keeps what is typed', async () => {
    const { page, problems, panel } = await openHalfFilled();
    let isThere = false;
    await page.route(TRAY, (route) => (isThere ? route.continue() : route.fulfill({ status: 404 })));
    await page.route('**/console', (route) => {
      isThere = true;
      return route.fulfill({ contentType: 'text/html', body: NEWER });
    });
    await mark(page);
    await openTray(page);
    await page.locator('html[data-old]').waitFor({ state: 'detached' });
    await panel.getByLabel('Owner').waitFor();
    expect(await panel.getByLabel('Owner').inputValue()).toBe('Grace');
    await openTray(page);
    await page.getByRole('dialog', { name: 'Activity' }).waitFor();
    await page.keyboard.press('Escape');
    await panel.getByRole('button', { name: 'Save' }).click();
    await panel.getByRole('definition').getByText('Grace').waitFor();
    await panel.getByRole('button', { name: 'Edit' }).click();
    await panel.getByLabel('Owner').fill('Ben');
    await page.reload();
    // Only what the console itself loads again is kept.
    await panel.getByLabel('Owner').waitFor();
    expect(await panel.getByLabel('Owner').inputValue()).toBe('Grace');
    expect(problems).toEqual([]);
  });

  it('is not looked for again and again: a part that does not come can be asked for once more', async () => {
    const { page, problems, panel } = await openHalfFilled();
    await page.route(TRAY, (route) => route.fulfill({ status: 404 }));
    await mark(page);
    await openTray(page);
    await page.locator('html[data-old]').waitFor({ state: 'detached' });
    await openTray(page);
    const again = page.getByRole('dialog', { name: 'Activity' }).getByRole('button', { name: 'Try again' });
    await again.waitFor();
    expect(await panel.getByLabel('Owner').inputValue()).toBe('Grace');
    await page.unrouteAll();
    await again.click();
    await again.waitFor({ state: 'detached' });
    await page.getByRole('dialog', { name: 'Activity' }).getByRole('listitem').first().waitFor();
    expect(problems).toEqual([]);
  });
});
