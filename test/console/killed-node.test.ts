import type { Page } from 'playwright-core';
import { dataOf, execute, list } from '../support/api.ts';
import { newAutomation, runIs, startRun } from '../support/automations.ts';
import {
  giveFile,
  goTo,
  inList,
  openByKeys,
  pickFrom,
  press,
  pressOn,
  reach,
  READERS,
  typeIn,
  type Reader,
} from '../support/by-keyboard.ts';
import { holdRecord, until } from '../support/faults.ts';
import { newRole } from '../support/models.ts';
import { startOwnProgram, type OwnProgram } from '../support/own-program.ts';
import { startProgram, type Program } from '../support/program.ts';
import { logIn } from '../support/sessions.ts';
import { newTenant, newUser, PASSWORD, type TestTenant, type TestUser } from '../support/world.ts';

const [english, chinese] = READERS as [Reader, Reader];

let own: OwnProgram;
let program: Program;
let tenant: TestTenant;
let user: TestUser;

beforeAll(async () => {
  own = await startOwnProgram('killed_console');
  ({ program } = own);
});

afterAll(async () => {
  await program.stop();
  await own.stop();
});

beforeEach(async () => {
  tenant = await newTenant();
  user = await newUser(['PLATFORM_ADMIN'], tenant);
});

const kill = () => program.stop('SIGKILL');
/** It comes back at the same port. */
const restart = async () => {
  program = await startProgram(own.settings);
};
const createLead = async (name: string): Promise<string> =>
  dataOf(await execute(user.token, 'crm:create_lead', { payload: { name } })).pid;
/** Whether all styles have come. */
const isStyled = (page: Page) =>
  page.evaluate<boolean>(`[...document.querySelectorAll('link[rel=stylesheet]')].every(({ sheet }) => sheet)`);
const leads = async () => dataOf(await list(user.token, 'leads', {})).records;

describe('a node that is killed', () => {
  it('while a form is filled in: what was typed is saved when it is back, and others are heard again', async () => {
    const { t } = english;
    const pid = await createLead('Ada');
    const { page, problems } = await openByKeys(english, user, `/pages/leads?open=${pid}&run=crm:update_lead`);
    const panel = page.getByRole('region', { name: t('Open record') });
    await typeIn(page, panel.getByLabel('Owner'), 'Grace');
    await kill();
    await press(page, 'Enter');
    await panel.getByText(t('The server does not answer.')).waitFor();
    await restart();
    await pressOn(page, panel.getByRole('button', { name: t('Save') }));
    await panel.getByRole('definition').getByText('Grace').waitFor();
    expect(await leads()).toMatchObject([{ owner: 'Grace', version: 2 }]);
    const ben = await newUser(['PLATFORM_ADMIN'], tenant);
    await execute(ben.token, 'crm:update_lead', { targetRecordId: pid, payload: { amount: '77' } });
    await pressOn(page, panel.getByRole('button', { name: t('Show the change') }));
    await panel.getByRole('definition').getByText('77', { exact: true }).waitFor();
    expect(problems).toEqual([]);
  });

  it('while it changes a record: the change is made once', async () => {
    const { t } = chinese;
    const pid = await createLead('Ada');
    const { page, problems } = await openByKeys(chinese, user, `/pages/leads?open=${pid}&run=crm:update_lead`);
    const panel = page.getByRole('region', { name: t('Open record') });
    await typeIn(page, panel.getByLabel('Owner'), 'Grace');
    const held = await holdRecord(tenant.id, 'dev.mt_lead', pid);
    await press(page, 'Enter');
    await held.waiting();
    await kill();
    await held.release();
    await panel.getByText(t('The server does not answer.')).waitFor();
    await restart();
    await pressOn(page, panel.getByRole('button', { name: t('Save') }));
    await panel.getByRole('definition').getByText('Grace').waitFor();
    expect(await leads()).toMatchObject([{ owner: 'Grace', version: 2 }]);
    expect(problems).toEqual([]);
  });

  it('while it imports a file: the import goes on where it was, and its end is seen', async () => {
    const { t } = english;
    const { page, problems } = await openByKeys(english, user, '/pages/leads/import');
    const names = Array.from({ length: 600 }, (_, index) => `Lead ${index}`);
    const chooser = page.getByRole('button', { name: t('Choose a file') });
    await giveFile(page, chooser, 'leads.csv', ['Name', ...names, '']);
    await pressOn(page, page.getByRole('button', { name: t('Try the import') }));
    await pressOn(page, page.getByRole('button', { name: t('Import {count} rows', { count: '600' }) }));
    await page.getByRole('progressbar').waitFor();
    await kill();
    await restart();
    await page.getByRole('link', { name: t('Show {page}', { page: 'Leads' }) }).waitFor();
    const { total } = dataOf(await list(user.token, 'leads', { pageSize: 1 }));
    expect(total).toBe(600);
    expect(problems).toEqual([]);
  });

  it('while the assistant waits for an answer: it goes on when it is back', async () => {
    const { t } = chinese;
    const { page, problems } = await openByKeys(chinese, user, '/pages/leads');
    await pressOn(page, page.getByRole('button', { name: t('Ask the assistant') }));
    const panel = page.getByRole('complementary', { name: t('Assistant') });
    await reach(page, panel.getByLabel(t('Ask the assistant')));
    await page.keyboard.type('run crm:create_lead {"name": "From the chat"}');
    await press(page, 'Enter');
    const agree = panel.getByRole('form').getByRole('button', { name: 'Create a lead' });
    await agree.waitFor();
    await kill();
    await restart();
    await pressOn(page, agree, 'Shift+Tab');
    await panel.getByText(t('You agreed')).waitFor();
    expect(await leads()).toMatchObject([{ name: 'From the chat' }]);
    expect(problems).toEqual([]);
  });

  it('while people go on to another page: it says so, and is there again with one key', async () => {
    const { t } = english;
    await createLead('Ada');
    const { page, problems } = await openByKeys(english, user, '/pages/deals');
    const link = page.getByRole('navigation').getByRole('link', { name: 'Leads' });
    await reach(page, link);
    await kill();
    await pressOn(page, link);
    const again = page.getByRole('main').getByRole('button', { name: t('Try again') });
    await again.waitFor();
    await restart();
    await pressOn(page, again);
    await page.getByRole('gridcell', { name: 'Ada', exact: true }).waitFor();
    expect(problems).toEqual([]);
  });

  it('while they go on to a screen that they have not seen yet: it is there again with one key', async () => {
    const { t } = chinese;
    await createLead('Ada');
    const { page, problems } = await openByKeys(chinese, user, '/work');
    await page.getByText(t('Nothing waits for your decision.')).waitFor();
    await kill();
    await goTo(page, chinese, 'Leads');
    const again = page.getByRole('main').getByRole('button', { name: t('Try again') });
    await page.getByRole('heading', { name: t('The server does not answer.') }).waitFor();
    await restart();
    await pressOn(page, again);
    await inList(page, 'Ada').waitFor();
    await until('all styles are there', () => isStyled(page));
    expect(problems).toEqual([]);
  });

  it('while an editor of a form is not there yet: what was typed beside it stays', async () => {
    const { t } = english;
    const pid = await createLead('Ada');
    const { page, problems } = await openByKeys(english, user, `/pages/leads?open=${pid}`);
    const panel = page.getByRole('region', { name: t('Open record') });
    await panel.getByRole('button', { name: t('Edit') }).waitFor();
    await kill();
    await press(page, 'e');
    await typeIn(page, panel.getByLabel('Owner'), 'Grace');
    const again = panel.getByRole('button', { name: t('Try again') });
    await again.waitFor();
    await restart();
    await pressOn(page, again);
    await panel.getByRole('combobox', { name: 'Account' }).waitFor();
    await pressOn(page, panel.getByRole('button', { name: t('Save') }));
    await panel.getByRole('definition').getByText('Grace').waitFor();
    expect(problems).toEqual([]);
  });

  it('while they look for a record: it is found when it is back', async () => {
    const { t } = english;
    const pid = await createLead('Ada Lovelace');
    const { page, problems } = await openByKeys(english, user, '/work');
    await page.getByText(t('Nothing waits for your decision.')).waitFor();
    await press(page, 'Control+k');
    const search = page.getByRole('dialog', { name: t('Search or run') });
    await search.getByRole('combobox').waitFor();
    await kill();
    await page.keyboard.type('Lovelace');
    await search.getByText(t('The server does not answer.')).waitFor();
    await restart();
    await pressOn(page, search.getByRole('button', { name: t('Try again') }));
    await search.getByRole('option', { name: /^Ada Lovelace/ }).waitFor();
    await reach(page, search.getByRole('combobox'), 'Shift+Tab');
    await press(page, 'Enter');
    await page.waitForURL(new RegExp(`open=${pid}`));
    await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
    expect(problems).toEqual([]);
  });

  it('while figures are read: each says so, and all are there again with one key', async () => {
    const { t } = chinese;
    await execute(user.token, 'crm:create_deal', {
      payload: { name: 'Big', stage: 'proposal', amount: '70', currency: 'USD' },
    });
    const { page, problems } = await openByKeys(chinese, user, '/dashboards/sales');
    const tile = page.getByRole('region', { name: 'Open deals in USD', exact: true });
    await tile.getByText('70', { exact: true }).waitFor();
    await kill();
    const reload = page.getByRole('button', { name: t('Read the figures again') });
    await pressOn(page, reload);
    await tile.getByText(t('The server does not answer.')).waitFor();
    await restart();
    await pressOn(page, reload, 'Shift+Tab');
    await tile.getByText('70', { exact: true }).waitFor();
    await page.getByRole('main').getByRole('alert').first().waitFor({ state: 'detached' });
    expect(problems).toEqual([]);
  });

  it('while they decide: what they say stays, and is decided once', async () => {
    const { t } = english;
    const role = await newRole(['record:read:lead']);
    const approver = await newUser([role], tenant);
    const code = await newAutomation({
      name: 'Ask',
      steps: [{ id: 'ok', type: 'approval', role, message: '"Go on?"' }],
    });
    const { runPid } = dataOf(await startRun(user.token, code));
    await runIs(user.token, runPid, ['WAITING']);
    const { page, problems } = await openByKeys(english, approver, '/work');
    const card = page.getByRole('article').filter({ hasText: 'Go on?' });
    await typeIn(page, card.getByLabel(t('Comment')), 'fine');
    await kill();
    await press(page, 'Enter');
    await card.getByText(t('The server does not answer.')).waitFor();
    await restart();
    await pressOn(page, card.getByRole('button', { name: t('Approve') }));
    await page.getByText(t('Nothing waits for your decision.')).waitFor();
    await runIs(user.token, runPid, ['SUCCEEDED']);
    expect(problems).toEqual([]);
  });

  it('while they look after their account: the password is changed, and the other session is ended', async () => {
    const { t } = chinese;
    await logIn(user.email);
    const { page, problems } = await openByKeys(chinese, user, '/account');
    const end = page.getByRole('button', { name: t('End the session of {device}', { device: 'node' }) });
    await end.first().waitFor();
    await kill();
    await pressOn(page, end.first());
    await page.getByRole('status').getByText(t('The server does not answer.').replace(/。$/, '')).waitFor();
    await typeIn(page, page.getByLabel(t('Present password')), PASSWORD);
    await typeIn(page, page.getByLabel(t('New password')), 'another-password-2');
    await press(page, 'Enter');
    await page.getByRole('alert').getByText(t('The server does not answer.')).first().waitFor();
    await restart();
    await pressOn(page, page.getByRole('button', { name: t('Change the password') }));
    await page.getByText(t('Your password is changed. Your other sessions have ended.')).waitFor();
    await page.getByText(t('This session')).waitFor();
    expect(await end.count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it('while a file is made of a page: they are told, and have it the next time', async () => {
    const { t } = english;
    await createLead('Ada');
    const { page, problems } = await openByKeys(english, user, '/pages/leads');
    await inList(page, 'Ada').waitFor();
    const exchange = page.getByRole('button', { name: t('Export and import') });
    const csv = page.getByRole('menuitem', { name: t('Export as CSV') });
    await kill();
    await pickFrom(page, exchange, csv);
    await page.getByRole('status').getByText('The server does not answer.').waitFor();
    await restart();
    const downloading = page.waitForEvent('download');
    await pickFrom(page, exchange, csv);
    const chunks = await (await (await downloading).createReadStream()).toArray();
    expect(Buffer.concat(chunks).toString()).toMatch(/Ada/);
    expect(problems).toEqual([]);
  });

  it('while a state is restored: they are told, and it is restored once', async () => {
    const { t } = chinese;
    const pid = await createLead('Ada');
    await execute(user.token, 'crm:update_lead', { targetRecordId: pid, payload: { owner: 'Grace' } });
    const { page, problems } = await openByKeys(chinese, user, `/pages/leads/${pid}?tab=history`);
    const back = page.getByRole('button', { name: t('Restore this state') });
    await reach(page, back);
    await kill();
    await press(page, 'Enter');
    await page.getByRole('status').getByText(t('The server does not answer.').replace(/。$/, '')).waitFor();
    await restart();
    await pressOn(page, back);
    await page.getByText('Grace → –').waitFor();
    expect(await leads()).toMatchObject([{ owner: null, version: 3 }]);
    expect(problems).toEqual([]);
  });
});
