import type { Page } from 'playwright-core';
import { dataOf, execute, list } from '../support/api.ts';
import { AWAY, axeInBothThemes, failing, openConsoleAs, PHONE } from '../support/browser.ts';
import { pressOn, typeIn } from '../support/by-keyboard.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

let tenant: TestTenant;
let boss: TestUser;

beforeEach(async () => {
  tenant = await newTenant();
  boss = await newUser(['PLATFORM_ADMIN'], tenant);
  for (const name of ['Ada', 'Ben', 'Cleo']) {
    const { pid } = dataOf(await execute(boss.token, 'crm:create_lead', { payload: { name } }));
    if (name !== 'Cleo') {
      await execute(boss.token, 'crm:delete_lead', { operationType: 'DELETE', targetRecordId: pid });
    }
  }
});

const names = async (): Promise<string[]> => {
  const { records } = dataOf(await list(boss.token, 'leads', { sortField: 'name', sortOrder: 'asc' }));
  return records.map(({ name }: { name: string }) => name);
};
const deleted = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(`^${name}`) });

describe('deleted records', () => {
  it('are found with who deleted them, and brought back; a node that is away is said', async () => {
    const { page, problems } = await openConsoleAs(boss, '/pages/leads');
    await page.getByRole('link', { name: 'Deleted records' }).click();
    await deleted(page, 'Ben').waitFor();
    expect(await deleted(page, 'Ben').innerText()).toContain(boss.email);
    expect(await axeInBothThemes(page)).toEqual([]);
    await page.getByRole('searchbox').fill('ad');
    await deleted(page, 'Ben').waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('keyword')).toBe('ad');
    await failing(page, '**/api/meta/commands/execute/**', AWAY);
    await page.getByRole('button', { name: 'Restore Ada' }).click();
    await page.getByRole('status').getByText('Try again in a moment').waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Restore Ada' }).click();
    await page.getByText('Ada is there again.').waitFor();
    await page.getByRole('heading', { name: 'No deleted record is like this' }).waitFor();
    await page.getByRole('link', { name: 'Back to Leads' }).click();
    await page.getByRole('gridcell', { name: 'Ada', exact: true }).waitFor();
    expect(await names()).toEqual(['Ada', 'Cleo']);
    expect(problems).toEqual([]);
  });

  it('are erased for good with a reason, in Chinese, on a phone, by the keyboard', async () => {
    const { page, problems } = await openConsoleAs(boss, '/pages/leads/trash', { viewport: PHONE, locale: 'zh-CN' });
    await pressOn(page, page.getByRole('button', { name: '永久清除“Ada”' }));
    const dialog = page.getByRole('dialog', { name: '永久清除“Ada”' });
    await dialog.waitFor();
    expect(await dialog.getByRole('button', { name: '永久清除 1 条记录' }).isDisabled()).toBe(true);
    await typeIn(page, dialog.getByLabel('原因'), 'asked for by Ada');
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(PHONE.width);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await deleted(page, 'Ada').waitFor({ state: 'detached' });
    await deleted(page, 'Ben').waitFor();
    expect(await names()).toEqual(['Cleo']);
    expect(problems).toEqual([]);
  });

  it('are offered to those alone who may bring them back or erase them', async () => {
    const { page } = await openConsoleAs(await newUser(['SALES'], tenant), '/pages/leads');
    await page.getByRole('gridcell', { name: 'Cleo', exact: true }).waitFor();
    expect(await page.getByRole('link', { name: 'Deleted records' }).count()).toBe(0);
  });
});
