import type { Page, Response } from 'playwright-core';
import {
  AWAY,
  axeProblems,
  endSession,
  failing,
  openConsole,
  openConsoleAs,
  PHONE,
  refused,
} from '../support/browser.ts';
import { execute } from '../support/api.ts';
import { newTenant, newUser, PASSWORD, type TestTenant, type TestUser } from '../support/world.ts';

let tenant: TestTenant;
let user: TestUser;

beforeAll(async () => {
  tenant = await newTenant();
  user = await newUser(['SALES'], tenant);
  // A page without records shows no grid.
  await execute(user.token, 'crm:create_lead', { payload: { name: 'Ada' } });
});

describe('the log-in', () => {
  it.each([
    ['en-GB', 'Log in to Keelson', 'light', undefined],
    ['zh-CN', '登录 Keelson', 'dark', PHONE],
  ] as const)('in %s is "%s", and has nothing that axe finds in the %s theme', async (locale, title, theme, size) => {
    const { page, problems } = await openConsole('/', {
      locale,
      colorScheme: theme,
      ...(size && { viewport: size }),
    });

    await page.getByRole('heading', { name: title }).waitFor();
    expect(await page.getAttribute('html', 'lang')).toBe(locale.startsWith('zh') ? 'zh-CN' : 'en');
    expect(await axeProblems(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it('says so where its Chinese texts do not come, and asks for them once more', async () => {
    const { page } = await openConsole('/');
    await page.route('**/assets/zh-cn-*.js', (route) => route.fulfill({ status: 404 }));
    await page.getByRole('button', { name: '中文' }).click();
    const again = page.getByRole('button', { name: 'Try again' });
    await again.waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await page.unrouteAll();
    await again.click();
    await page.getByRole('heading', { name: '登录 Keelson' }).waitFor();
  });

  it('says what is wrong, and keeps what was typed', async () => {
    const { page } = await openConsole('/');
    await page.getByLabel('E-mail').fill(user.email);
    await page.getByLabel('Password').fill('not the password');
    await page.getByRole('button', { name: 'Log in' }).click();

    expect(await page.getByRole('alert').innerText()).toContain('The e-mail or the password is wrong');
    expect(await page.getByLabel('E-mail').inputValue()).toBe(user.email);
    expect(await axeProblems(page)).toEqual([]);
  });

  it('leads to the address that was asked for, by the keyboard alone', async () => {
    const { page, problems } = await openConsole('/pages/deals');
    await page.locator('form').waitFor();
    await page.keyboard.type(user.email);
    await page.keyboard.press('Tab');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');

    await page.getByRole('heading', { name: 'Deals' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/console/pages/deals');
    expect(problems).toEqual([]);
  });

  it('is not asked for anew where the node was away while the page was loaded', async () => {
    const { page } = await openConsoleAs(user, '/pages/leads');
    await page.getByRole('heading', { name: 'Leads' }).waitFor();
    await failing(page, '**/api/auth/refresh', AWAY);
    await page.reload();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Try again' }).click();

    await page.getByRole('heading', { name: 'Leads' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/console/pages/leads');
  });

  it('asks for an e-mail with a link when the password is forgotten', async () => {
    const { page } = await openConsole('/');
    await page.getByRole('button', { name: 'Reset a forgotten password' }).click();
    await page.getByLabel('E-mail').fill('nobody@test.example');
    await page.getByRole('button', { name: 'Send a link' }).click();

    expect(await page.getByRole('status').innerText()).toContain('nobody@test.example');
  });
});

describe('a session', () => {
  it('goes on when the page is loaded again, and in another tab, with no token where scripts can read it', async () => {
    const { page } = await openConsoleAs(user, '/pages/leads');
    await page.reload();
    await page.getByRole('grid').waitFor();
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByRole('grid').waitFor();

    const readable = await page.evaluate<string>(
      'JSON.stringify([document.cookie, { ...localStorage, ...sessionStorage }])',
    );
    expect(readable).not.toMatch(/klr_|eyJ/);
  });

  it('is renewed once for all tabs, also where the clock of the device is wrong', async () => {
    const { page } = await openConsoleAs(user, '/pages/leads');
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByRole('grid').waitFor();
    let renewals = 0;
    page.context().on('request', (request) => {
      if (request.url().endsWith('/api/auth/refresh')) renewals += 1;
    });
    for (const tab of [page, other]) await tab.clock.setFixedTime(Date.now() + 61 * 60_000);
    for (const tab of [page, other]) await tab.getByRole('link', { name: 'Deals' }).click();
    for (const tab of [page, other])
      await tab.getByRole('heading', { name: 'There is nothing on this page yet' }).waitFor();

    expect(renewals).toBe(1);
  });

  it('ends in all tabs with the log-out, and leaves nothing to the next person', async () => {
    const { page } = await openConsoleAs(user, '/pages/leads');
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.evaluate(`sessionStorage.setItem('keelson:tenant', '${tenant.id}')`);
    await other.reload();
    await other.getByRole('grid').waitFor();
    // A browser slows tabs that are not in front.
    await page.bringToFront();
    await logOut(page);
    await page.getByRole('heading', { name: 'Log in to Keelson' }).waitFor();
    await other.bringToFront();
    await other.getByRole('heading', { name: 'Log in to Keelson' }).waitFor();

    const stranger = await newUser(['SALES'], await newTenant());
    await logIn(other, stranger);
    await other.getByRole('button', { name: `Account of ${stranger.email}` }).waitFor();
    await other.getByRole('heading', { name: 'There is nothing on this page yet' }).waitFor();
  });

  it('goes on where the log-out does not reach the server, which is said', async () => {
    const { page } = await openConsoleAs(user, '/pages/leads');
    await failing(page, '**/api/auth/logout', AWAY);
    await logOut(page);
    await page.getByRole('status').getByText('Try again in a moment').waitFor();
    await page.unrouteAll();
    await logOut(page);
    await page.getByRole('heading', { name: 'Log in to Keelson' }).waitFor();
  });

  it('stays ended where a renewal that was under way is answered behind the log-out', async () => {
    const { page } = await openConsoleAs(user, '/pages/leads');
    await page.getByRole('grid').waitFor();
    let answer = (): void => undefined;
    const loggedOut = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/api/auth/refresh', async (route) => {
      await loggedOut;
      await route.continue();
    });
    await page.route('**/api/dynamic/leads/**', (route) => refused(route, DEAD));
    const renewal = page.waitForRequest('**/api/auth/refresh');
    await page.getByRole('columnheader', { name: 'Name' }).click();
    await renewal;
    await logOut(page);
    const title = page.getByRole('heading', { name: 'Log in to Keelson' });
    await title.waitFor();
    const answered = page.waitForResponse('**/api/auth/refresh');
    answer();
    await isRead(page, answered);
    expect(await title.isVisible()).toBe(true);
  });

  it('goes on with a changed password, whatever is answered to a renewal that was under way', async () => {
    const own = await newUser(['SALES'], await newTenant());
    const { page } = await openConsoleAs(own, '/work');
    let answer = (): void => undefined;
    const changed = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/api/auth/refresh', async (route) => {
      await changed;
      await refused(route, DEAD);
    });
    await page.route('**/api/auth/sessions', (route) => refused(route, DEAD));
    const renewal = page.waitForRequest('**/api/auth/refresh');
    await choose(page, 'Account');
    await renewal;
    await page.getByLabel('Present password').fill(PASSWORD);
    await page.getByLabel('New password').fill('another-password-2');
    await page.keyboard.press('Enter');
    await page.getByText('Your password is changed. Your other sessions have ended.').waitFor();
    const answered = page.waitForResponse('**/api/auth/refresh');
    answer();
    await isRead(page, answered);
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('that ends with the log-out is left, and the log-out does not wait for the next one', async () => {
    const leaver = await newUser(['SALES'], await newTenant());
    const { page } = await openConsoleAs(leaver, '/pages/leads');
    await page.route('**/api/auth/logout', async (route) => {
      await endSession(leaver);
      await route.continue();
    });
    await logOut(page);
    await page.getByRole('heading', { name: 'Log in to Keelson' }).waitFor();
    await logIn(page, leaver);
    await page.getByRole('heading', { name: 'Leads' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Leads' }).waitFor();
  });
});

const DEAD = { status: 401, code: 'UNAUTHORIZED' };

/** By the answer to a later request, the page has read this one. */
async function isRead(page: Page, answered: Promise<Response>): Promise<void> {
  await (await answered).finished();
  await page.evaluate(`fetch(location.href).then((response) => response.text())`);
}

async function logOut(page: Page): Promise<void> {
  await choose(page, 'Log out');
}

/** In the menu of the account. */
async function choose(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('menuitem', { name, exact: true }).click();
}

async function logIn(page: Page, { email }: TestUser): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Log in' }).click();
}
