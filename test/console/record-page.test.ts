import { dataOf, execute, list } from '../support/api.ts';
import { axeProblems, openConsoleAs } from '../support/browser.ts';
import { until } from '../support/faults.ts';
import { subscribe } from '../support/webhooks.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

let tenant: TestTenant;
let user: TestUser;
let pid: string;

beforeEach(async () => {
  tenant = await newTenant();
  user = await newUser(['PLATFORM_ADMIN'], tenant);
  pid = dataOf(await execute(user.token, 'crm:create_lead', { payload: { name: 'Ada', amount: '1' } })).pid;
});

const update = (payload: object, { token } = user) =>
  execute(token, 'crm:update_lead', { targetRecordId: pid, payload }).then(dataOf);
const lead = async () => dataOf(await list(user.token, 'leads')).records[0];
const open = (rest = '') => openConsoleAs(user, `/pages/leads/${pid}${rest}`);

describe('the history of a record', () => {
  it('leads back to an earlier state, and that can be undone', async () => {
    await update({ amount: '2', phone: '123' });
    await update({ amount: '3' });
    const { page, problems } = await open('?tab=history');
    await page.getByText('Amount').first().waitFor();
    expect(await page.getByRole('tabpanel').innerText()).toMatch(/Amount\s+2 → 3[^]*Amount\s+1 → 2/);
    await page
      .getByRole('tabpanel')
      .getByRole('listitem')
      .nth(2)
      .getByRole('button', { name: 'Restore this state' })
      .click();
    await page.getByText(/^The record is as it was/).waitFor();
    expect(await lead()).toMatchObject({ amount: '1', version: 4 });
    await page.getByText('3 → 1').waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('1 → 3').waitFor();
    expect(await lead()).toMatchObject({ amount: '3', phone: '123' });
    expect(problems).toEqual([]);
  });

  it('tells what a change has caused: its command, events and deliveries', async () => {
    await subscribe(tenant, user, 'http://127.0.0.1:1/', { name: 'all', eventType: 'record.updated' });
    await update({ amount: '2' });
    const { page } = await open('?tab=history');
    await page.getByRole('button', { name: 'What it has caused' }).first().click();
    await page.getByText('crm:update_lead').first().waitFor();
    await page.getByText('succeeded').first().waitFor();
    await page.getByText('record.updated').waitFor();
    await page.getByText(/attempt/).waitFor();
    expect(await axeProblems(page)).toEqual([]);
  });
});

/** A second key comes before the browser has drawn what the first has done. */
const ESCAPE_TWICE = `
  const press = () => document.activeElement.dispatchEvent(
    new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true }),
  );
  press();
  queueMicrotask(press);
`;

describe('the keys of an open record', () => {
  it('count from the moment its menu closes', async () => {
    const { page, problems } = await openConsoleAs(user, `/pages/leads?open=${pid}`);
    const panel = page.getByRole('region', { name: 'Open record' });
    await panel.getByRole('button', { name: 'More commands' }).click();
    await page.locator('[role=menuitem]:focus, [role=menu]:focus').first().waitFor();
    await page.evaluate(ESCAPE_TWICE);
    await panel.waitFor({ state: 'detached' });
    expect(problems).toEqual([]);
  });
});

describe('what refers to a record', () => {
  it('is made there, with the record in its field', async () => {
    const account = dataOf(await execute(user.token, 'crm:create_account', { payload: { name: 'Acme' } }));
    const { page, problems } = await openConsoleAs(user, `/pages/accounts/${account.pid}?tab=related`);
    const contacts = page.getByRole('region', { name: 'Contacts' });
    await contacts.getByRole('button', { name: 'Create a contact' }).click();
    const form = page.getByRole('dialog', { name: 'Create a contact' });
    await until('its name is there', async () => (await form.getByLabel('Account').inputValue()) === 'Acme');
    await form.getByLabel('Name').fill('Ada');
    expect(await axeProblems(page)).toEqual([]);
    await form.getByRole('button', { name: 'Create a contact' }).click();
    await contacts.getByRole('link', { name: 'Ada' }).waitFor();

    const { records } = dataOf(await list(user.token, 'contacts'));
    expect(records).toMatchObject([{ name: 'Ada', account: account.pid }]);
    expect(problems).toEqual([]);
  });
});

describe('a record that someone else changes', () => {
  it('says so while it is open, and shows the change when the reader wants to', async () => {
    const ben = await newUser(['PLATFORM_ADMIN'], tenant);
    const { page, problems } = await open();
    await page.getByRole('definition').getByText('Ada').first().waitFor();
    await update({ amount: '77' }, ben);
    const note = page.getByRole('status').filter({ hasText: 'has changed this record' });
    await note.waitFor();
    expect(await page.getByRole('definition').getByText('77', { exact: true }).count()).toBe(0);
    expect(await axeProblems(page)).toEqual([]);
    await note.getByRole('button', { name: 'Show the change' }).click();
    await page.getByRole('definition').getByText('77', { exact: true }).waitFor();
    await note.waitFor({ state: 'detached' });
    expect(problems).toEqual([]);
  });

  it('is merged field by field: what is marked is kept', async () => {
    const { page } = await open('?run=crm:update_lead');
    await page.getByLabel('Amount').fill('2');
    await page.getByLabel('Phone').fill('me');
    await page.getByLabel('Owner').fill('Me');
    await update({ amount: '3', phone: 'them', email: 'ada@test.example' });
    await page.getByRole('button', { name: 'Save' }).click();
    const conflict = page.getByRole('alert', { name: 'Changed meanwhile' });
    await conflict.getByRole('radio', { name: 'Phone: Theirs' }).check();
    expect(await axeProblems(page)).toEqual([]);
    await conflict.getByRole('button', { name: 'Keep what is marked' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('definition').getByText('Me', { exact: true }).waitFor();

    expect(await lead()).toMatchObject({ amount: '2', phone: 'them', owner: 'Me', email: 'ada@test.example' });
  });
});
