import { dataOf, execute } from '../support/api.ts';
import { axeProblems, openConsoleAs } from '../support/browser.ts';
import { newCode, save } from '../support/models.ts';
import { newTenant, newUser, type TestUser } from '../support/world.ts';

let user: TestUser;

beforeEach(async () => {
  user = await newUser(['SALES'], await newTenant());
});

const createLead = async (payload: object) => dataOf(await execute(user.token, 'crm:create_lead', { payload }));
const open = (path: string) => openConsoleAs(user, path);

describe('Ctrl K', () => {
  it('finds pages, commands and records', async () => {
    await createLead({ name: 'Zenobia' });
    const { page } = await open('/pages/deals');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').waitFor();
    await page.keyboard.type('zenobia');
    await page.getByRole('option', { name: /Zenobia/ }).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await page.keyboard.press('Enter');

    await page.getByRole('region', { name: 'Open record' }).getByRole('heading', { name: 'Zenobia' }).waitFor();
  });

  it('finds a record once, though its model has several pages, and though another page fails', async () => {
    await createLead({ name: 'Zenobia' });
    const content = { name: 'Leads again', modelCode: 'lead', columns: ['name'] };
    await save('dev', { resourceType: 'PAGE_SCHEMA', code: newCode(), content });
    const { page } = await open('/pages/leads');
    await page.route('**/api/dynamic/accounts/list?*', (route) => route.fulfill({ status: 503, json: {} }));
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('zenobia');
    await page.getByRole('option', { name: 'Zenobia' }).waitFor();
    await page.getByRole('dialog').getByRole('alert').waitFor();

    expect(await page.getByRole('option', { name: 'Zenobia' }).count()).toBe(1);
    await page.unrouteAll();
  });
});
