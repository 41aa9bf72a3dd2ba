import type { BrowserContextOptions, Page } from 'playwright-core';
import { dataOf, execute } from '../support/api.ts';
import { until } from '../support/faults.ts';
import { axeProblems, openConsoleAs, PHONE } from '../support/browser.ts';
import { newTenant, newUser, type TestUser } from '../support/world.ts';

let user: TestUser;

beforeAll(async () => {
  user = await newUser(['PLATFORM_ADMIN'], await newTenant());
  const account = dataOf(await execute(user.token, 'crm:create_account', { payload: { name: 'Acme' } }));
  const leads = [
    { name: 'Ada', status: 'new', amount: '1200.50', due_on: '2026-01-31', account: account.pid },
    { name: 'Ben', status: 'open', amount: '30', due_on: '2026-02-01', score: 10 },
    { name: 'Cleo', status: 'won', amount: '7', due_on: '2026-02-28', score: 30 },
    { name: 'Dora', status: 'open', amount: '70' },
  ];
  for (const payload of leads) dataOf(await execute(user.token, 'crm:create_lead', { payload }));
});

const open = (path: string, options: BrowserContextOptions = {}) => openConsoleAs(user, path, options);
const cell = (page: Page, text: string) => page.getByRole('gridcell', { name: text, exact: true });
const rows = async (page: Page): Promise<string[]> =>
  (await page.locator('[role=row][aria-rowindex]').allInnerTexts()).slice(1).map((text) => text.split('\n')[0] ?? '');
const query = (page: Page) => new URL(page.url()).searchParams;

describe('the groups of a list', () => {
  it('have a head with their number and figures, are in the order of an enum, and can be closed', async () => {
    const { page, problems } = await open('/pages/leads?sort=name');
    await page.getByRole('button', { name: 'Group', exact: true }).click();
    await page.getByRole('menuitemradio', { name: 'Status' }).click();
    await page.getByRole('row', { name: /open 2/ }).waitFor();
    await cell(page, 'Dora').waitFor();

    expect(query(page).get('group')).toBe('status');
    expect(await rows(page)).toEqual(['new', 'Ada', 'open', 'Ben', 'Dora', 'won', 'Cleo']);
    await page
      .getByRole('row', { name: /open 2/ })
      .filter({ hasText: '100' })
      .waitFor();
    await page.locator('footer').getByText('4 records').waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await page.getByRole('row', { name: /open 2/ }).click();
    await cell(page, 'Ben').waitFor({ state: 'detached' });
    await page.getByRole('grid').focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
    await cell(page, 'Ben').waitFor();
    expect(problems).toEqual([]);
  });

  it('may be months of a day, and records that others are related to, by name', async () => {
    const { page } = await open('/pages/leads?group=due_on:month&sort=name');
    await page.getByRole('row', { name: /February 2026 2/ }).waitFor();
    await cell(page, 'Dora').waitFor();
    expect(await rows(page)).toEqual(['January 2026', 'Ada', 'February 2026', 'Ben', 'Cleo', 'Without', 'Dora']);

    await page.getByRole('button', { name: 'Group: Follow up on' }).click();
    await page.getByRole('menuitemradio', { name: 'Account' }).click();
    await page.getByRole('row', { name: /Acme 1/ }).waitFor();
  });
});

describe('the figures of a list', () => {
  it('are those of all records that are found, and are chosen column by column', async () => {
    const { page } = await open('/pages/leads');
    const totals = page.getByRole('rowgroup', { name: 'Totals' });
    await totals.getByText('1,307.50', { exact: true }).waitFor();
    await totals.getByText('20', { exact: true }).waitFor();
    await totals.getByRole('button', { name: /Sum/ }).click();
    await page.getByRole('menuitemradio', { name: 'Most' }).click();
    await totals.getByText('1,200.50', { exact: true }).waitFor();
    expect(query(page).get('figures')).toBe('amount:max');
    await page.getByRole('searchbox').fill('Ben');
    await totals.getByText('30', { exact: true }).waitFor();
  });
});

describe('the columns of a list', () => {
  it('are pinned, widened by the pointer and by the keyboard, and higher on demand; the address keeps it', async () => {
    const { page } = await open('/pages/leads');
    const name = page.getByRole('columnheader', { name: 'Name' });
    await name.waitFor();
    const width = async () => (await name.boundingBox())?.width ?? 0;
    const before = await width();
    await page.getByRole('grid').focus();
    for (const key of ['ArrowUp', 'Shift+ArrowRight', 'Shift+ArrowRight']) await page.keyboard.press(key);
    await until('it is wider by two steps', async () => (await width()) === before + 32);
    const box = await name.boundingBox();
    const wide = (box?.width ?? 0) + 50;
    const [x, y] = [(box?.x ?? 0) + (box?.width ?? 0) - 3, (box?.y ?? 0) + 10];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 50, y, { steps: 3 });
    await page.mouse.up();
    await page.waitForURL((url) => url.searchParams.get('widths') === `name:${wide}`);

    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('button', { name: 'Pin Amount' }).click();
    await page.getByRole('checkbox', { name: 'Higher rows' }).check();
    expect(await axeProblems(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.reload();
    await page.getByRole('columnheader').nth(1).getByText('Amount').waitFor();
    await page.evaluate("document.querySelector('[role=grid]').scrollTo(600, 0)");
    const pinned = await page.getByRole('columnheader', { name: 'Amount' }).boundingBox();
    const grid = await page.getByRole('grid').boundingBox();
    expect(pinned?.x).toBe((grid?.x ?? 0) + 40);
    expect((await page.locator('[aria-rowindex="2"]').boundingBox())?.height).toBe(40);
  });
});

describe('the widths of the columns', () => {
  it('give way to each other, so that many are seen in a window of 1,280 pixels', async () => {
    const columns = ['name', 'status', 'account', 'email', 'phone', 'due_on', 'amount'];
    const viewport = { width: 1280, height: 800 };
    const { page } = await open(`/pages/leads?cols=${JSON.stringify(columns)}`, { viewport });
    await cell(page, 'Ada').waitFor();
    const hidden = await page.getByRole('grid').evaluate((grid) => grid.scrollWidth - grid.clientWidth);
    expect(hidden).toBe(0);
  });
});

describe('the order of the columns', () => {
  it('follows a header that is drawn to another place, by the pointer and by the keyboard', async () => {
    const { page, problems } = await open('/pages/leads?cols=["name","status","amount"]');
    const header = (name: string) => page.getByRole('columnheader', { name });
    await header('Amount').waitFor();
    const [from, to] = [await header('Name').boundingBox(), await header('Amount').boundingBox()];
    await page.mouse.move((from?.x ?? 0) + 30, (from?.y ?? 0) + 10);
    await page.mouse.down();
    await page.mouse.move((to?.x ?? 0) + (to?.width ?? 0) - 4, (from?.y ?? 0) + 10, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL((url) => url.searchParams.get('cols') === '["status","amount","name"]');
    // It was no click, which would sort.
    expect(query(page).get('sort')).toBeNull();
    await page.getByRole('grid').focus();
    for (const key of ['ArrowUp', 'Control+Shift+ArrowRight', 'Control+Shift+ArrowRight'])
      await page.keyboard.press(key);
    await page.waitForURL((url) => url.searchParams.get('cols') === '["amount","name","status"]');
    expect(problems).toEqual([]);
  });
});

describe('the filters of a list', () => {
  it('are built in groups of which all, any or none hold, and are read as a sentence', async () => {
    const { page, problems } = await open('/pages/leads?sort=name');
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByRole('button', { name: 'Build groups' }).click();
    const dialog = page.getByRole('dialog', { name: 'Filters' });
    await dialog.getByLabel('Which of them hold').selectOption('or');
    await dialog.getByLabel('Field').selectOption('amount');
    await dialog.getByLabel('Condition', { exact: true }).selectOption('gt');
    await dialog.getByLabel('Value').fill('1000');
    await dialog.getByRole('button', { name: 'Group' }).click();
    const inner = dialog.getByRole('group', { name: 'Group of conditions' }).nth(1);
    await inner.getByLabel('Which of them hold').selectOption('and');
    await inner.getByLabel('Value').fill('o');
    await inner.getByRole('button', { name: 'Condition', exact: true }).click();
    await inner.getByLabel('Field').nth(1).selectOption('status');
    await inner.getByRole('checkbox', { name: 'won' }).check();
    expect(await axeProblems(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Apply the filters' }).click();

    const text = 'Amount is more than 1,000 or (Name contains o and Status is one of won)';
    await page.getByRole('button', { name: text, exact: true }).waitFor();
    await page.locator('footer').getByText('2 records').waitFor();
    expect(await rows(page)).toEqual(['Ada', 'Cleo']);
    await page.getByRole('button', { name: text, exact: true }).click();
    await dialog.getByLabel('Which of them hold').first().selectOption('not');
    await dialog.getByRole('button', { name: 'Apply the filters' }).click();
    await cell(page, 'Ben').waitFor();
    expect(await rows(page)).toEqual(['Ben', 'Dora']);
    expect(problems).toEqual([]);
  });
});

describe('a list on a phone', () => {
  it('has groups, figures, and a selection with what can be done with it', async () => {
    const { page, problems } = await open('/pages/leads?group=status&sort=name', { viewport: PHONE, hasTouch: true });
    await page.getByRole('button', { name: /open 2/ }).waitFor();
    await page.locator('footer').getByText('1,307.50').waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await page.getByRole('checkbox', { name: 'Select Ben' }).check();
    await page.getByRole('checkbox', { name: 'Select Dora' }).check();
    await page.locator('footer').getByText('2 records selected').waitFor();
    await page.locator('footer').getByRole('button', { name: 'Update a lead' }).click();
    await page.getByRole('dialog', { name: 'Update a lead: 2 records' }).waitFor();

    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(PHONE.width);
    expect(await axeProblems(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});
