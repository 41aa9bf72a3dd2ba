import { execute } from '../support/api.ts';
import { newAutomation, wait } from '../support/automations.ts';
import { AWAY, axeInBothThemes, failing, openConsoleAs, PHONE } from '../support/browser.ts';
import { pressOn, reach } from '../support/by-keyboard.ts';
import { newRole } from '../support/models.ts';
import { newTenant, newUser, type TestUser } from '../support/world.ts';

let user: TestUser;
let code: string;
let name: string;

beforeAll(async () => {
  code = await newAutomation({
    input: [
      { code: 'lead', name: 'Lead', type: 'relation', target: 'lead', required: true },
      { code: 'days', name: 'Days', type: 'integer', default: 3 },
    ],
    steps: [wait('pause', 1)],
  });
  name = code;
  const codes = [`automation:run:${code}`, 'automation:run:lead_follow_up', 'record:read:lead', 'execution:read'];
  user = await newUser([await newRole([...codes, 'command:execute:crm:create_lead'])], await newTenant());
  await execute(user.token, 'crm:create_lead', { payload: { name: 'Ada' } });
});

describe('a run', () => {
  it('is started by a form of the automation, which keeps what was typed where the node is away', async () => {
    const { page, problems } = await openConsoleAs(user, '/work');
    await page.getByRole('button', { name: 'Start a run' }).click();
    const dialog = page.getByRole('dialog', { name: 'Start a run' });
    await dialog.getByLabel('Automation').selectOption(code);
    expect(await dialog.getByLabel('Days').inputValue()).toBe('3');
    expect(await axeInBothThemes(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Start' }).click();
    await dialog.getByText('is required', { exact: true }).waitFor();
    await dialog.getByLabel('Lead').fill('ad');
    await page.getByRole('option', { name: 'Ada' }).click();
    await failing(page, '**/api/automations/**', AWAY);
    await dialog.getByRole('button', { name: 'Start' }).click();
    await dialog.getByText('Nothing that you typed is lost. Try again in a moment.').waitFor();
    await page.unrouteAll();
    await dialog.getByRole('button', { name: 'Start' }).click();
    await page.getByRole('heading', { name }).waitFor();
    expect(new URL(page.url()).pathname).toMatch(/^\/console\/operate\/runs\/\w{26}$/);
    expect(problems).toEqual([]);
  });

  it('is started on a phone, in Chinese, by the keyboard, from the list of the runs of its automation', async () => {
    const options = { viewport: PHONE, locale: 'zh-CN' };
    const { page, problems } = await openConsoleAs(user, `/operate/runs?automation=${code}`, options);
    await page.getByRole('button', { name: '发起流程' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: '发起流程' });
    expect(await dialog.getByLabel('自动化').inputValue()).toBe(code);
    await reach(page, dialog.getByLabel('Lead'));
    await page.keyboard.type('ad');
    await page.getByRole('option', { name: 'Ada' }).waitFor();
    await page.keyboard.press('Enter');
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(PHONE.width);
    await pressOn(page, dialog.getByRole('button', { name: '发起', exact: true }));
    await page.getByRole('heading', { name }).waitFor();
    expect(problems).toEqual([]);
  });

  it('is offered to those alone who may run something', async () => {
    const reader = await newUser([await newRole(['record:read:lead'])], await newTenant());
    const { page } = await openConsoleAs(reader, '/work');
    await page.getByText('You have not started a run.').waitFor();
    expect(await page.getByRole('button', { name: 'Start a run' }).count()).toBe(0);
  });
});
