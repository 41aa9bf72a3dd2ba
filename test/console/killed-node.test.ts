import { dataOf, execute, list } from '../support/api.ts';
import { giveFile, openByKeys, press, pressOn, reach, READERS, typeIn, type Reader } from '../support/by-keyboard.ts';
import { holdRecord } from '../support/faults.ts';
import { startOwnProgram, type OwnProgram } from '../support/own-program.ts';
import { startProgram, type Program } from '../support/program.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

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
});
