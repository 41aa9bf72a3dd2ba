import type { Page } from 'playwright-core';
import { call, dataOf, execute, list } from '../support/api.ts';
import { AWAY, axeProblems, openConsoleAs, refused } from '../support/browser.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

let tenant: TestTenant;
let user: TestUser;
let pids: Record<string, string>;

beforeEach(async () => {
  tenant = await newTenant();
  user = await newUser(['PLATFORM_ADMIN'], tenant);
  pids = {};
  for (const [name, amount] of [
    ['Ada', '1'],
    ['Ben', '2'],
    ['Cleo', '3'],
  ] as const) {
    const made = dataOf(await execute(user.token, 'crm:create_lead', { payload: { name, amount, status: 'new' } }));
    pids[name] = made.pid;
  }
});

const open = (path = '/pages/leads?sort=name&cols=["name","status","amount","owner","account"]') =>
  openConsoleAs(user, path);
const cell = (page: Page, text: string) => page.getByRole('gridcell', { name: text, exact: true });
const at = (page: Page, row: number, column: number) =>
  page.locator(`[aria-rowindex="${row + 1}"] [aria-colindex="${column + 1}"]`);
const leads = async () => dataOf(await list(user.token, 'leads', { sortField: 'name', sortOrder: 'asc' })).records;
const leadsOf = async (owner: string): Promise<{ version: number }[]> => {
  const filters = [{ fieldName: 'owner', operator: 'eq', value: owner }];
  return dataOf(await list(user.token, 'leads', { filters, pageSize: 200 })).records;
};
const press = async (page: Page, ...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key);
};
const paste = (page: Page, text: string) =>
  page.getByRole('grid').evaluate((grid, given) => {
    const { DataTransfer: Transfer, ClipboardEvent: Event } = globalThis as unknown as {
      DataTransfer: new () => { setData(type: string, text: string): void };
      ClipboardEvent: new (type: string, init: object) => object;
    };
    const clipboardData = new Transfer();
    clipboardData.setData('text/plain', given);
    (grid as unknown as { dispatchEvent(event: object): void }).dispatchEvent(
      new Event('paste', { clipboardData, bubbles: true }),
    );
  }, text);

describe('a cell', () => {
  it('is changed in its place by the keyboard, is dimmed until the command has ended, and is undone', async () => {
    const { page, problems } = await open();
    await cell(page, 'Ada').waitFor();
    let go = () => {};
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    // The code is encoded in the address.
    await page.route('**/execute/*update_lead', async (route) => {
      await held;
      await route.continue();
    });
    await page.getByRole('grid').focus();
    await press(page, 'ArrowRight', 'ArrowRight', 'e');
    await page.getByRole('textbox', { name: 'Amount' }).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await page.keyboard.type('12.5');
    await press(page, 'Enter');
    await at(page, 1, 3).and(page.locator('[aria-busy=true]')).getByText('12.5').waitFor();
    go();
    await page.getByText('Amount of Ada is changed').waitFor();
    await at(page, 1, 3).and(page.locator(':not([aria-busy])')).getByText('12.5').waitFor();
    expect(await leads()).toMatchObject([{ amount: '12.5', version: 2 }, {}, {}]);

    await page.getByRole('button', { name: 'Undo' }).click();
    await at(page, 1, 3).getByText('1', { exact: true }).waitFor();
    expect(problems).toEqual([]);
  });

  it('is changed by the mouse alone, with the pencil that stands where it points', async () => {
    const { page, problems } = await open();
    await cell(page, 'Ada').hover();
    await at(page, 1, 1).locator('button[title^="Edit the cell"]').click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Ada Lovelace');
    await cell(page, 'Ben').click();
    await page.getByText('Name of Ada is changed').waitFor();
    expect(await leads()).toMatchObject([{ name: 'Ada Lovelace', version: 2 }, {}, {}]);
    expect(problems).toEqual([]);
  });

  it('has the editor of its type: Tab keeps and goes on, Esc leaves it as it was', async () => {
    const account = dataOf(await execute(user.token, 'crm:create_account', { payload: { name: 'Acme' } }));
    const { page } = await open();
    await cell(page, 'Ada').waitFor();
    await page.getByRole('grid').focus();
    await press(page, 'ArrowRight', 'F2');
    await page.getByRole('combobox', { name: 'Status' }).selectOption('open');
    await press(page, 'Tab', 'ArrowRight', 'ArrowRight', 'e');
    await page.getByRole('combobox', { name: 'Account' }).fill('Ac');
    await page.getByRole('option', { name: 'Acme' }).click();
    await press(page, 'Enter');
    await at(page, 1, 5).getByText('Acme').waitFor();
    await page.getByText('Account of Ada is changed').waitFor();
    expect(await leads()).toMatchObject([{ status: 'open', account: account.pid, version: 3 }, {}, {}]);

    await press(page, 'ArrowLeft', 'e');
    await page.keyboard.type('nobody');
    await press(page, 'Escape');
    expect(await at(page, 1, 4).innerText()).toBe('');
  });

  it('gets its old value back when the server refuses, and says why', async () => {
    const { page } = await open();
    await cell(page, 'Ben').waitFor();
    await page.getByRole('grid').focus();
    await press(page, 'ArrowRight', 'ArrowRight', 'e');
    await page.keyboard.type('-5');
    await press(page, 'Enter');
    await at(page, 1, 3).getByRole('alert').waitFor();

    expect(await at(page, 1, 3).innerText()).toMatch(/^1\s+Must not be less than 0/);
    expect(await axeProblems(page)).toEqual([]);
    await execute(user.token, 'crm:update_lead', { targetRecordId: pids.Ada, payload: { owner: 'Else' } });
    await press(page, 'e');
    await page.keyboard.type('5');
    await press(page, 'Enter');
    await at(page, 1, 3).getByText('Someone else has changed the record').waitFor();
    await cell(page, 'Else').waitFor();
    await press(page, 'e');
    await page.keyboard.type('6');
    await press(page, 'Enter');
    await page.getByText('Amount of Ada is changed').waitFor();
  });
});

describe('several records', () => {
  it('are selected by keys and clicks, show what would change, change with progress, and are undone', async () => {
    const won = dataOf(await execute(user.token, 'crm:create_lead', { payload: { name: 'Dora', status: 'won' } }));
    const { page, problems } = await open();
    await cell(page, 'Ada').waitFor();
    await page.getByRole('grid').focus();
    await press(page, ' ', 'Shift+ArrowDown', 'Shift+ArrowDown');
    await page.locator('footer').getByText('3 records selected').waitFor();
    await press(page, 'Control+a');
    await page.locator('footer').getByText('4 records selected').waitFor();
    await page.getByRole('checkbox', { name: 'Select Dora' }).uncheck();
    await page.locator('footer').getByRole('button', { name: 'Update a lead' }).click();
    const dialog = page.getByRole('dialog', { name: 'Update a lead: 3 records' });
    await dialog.getByLabel('Field').selectOption('owner');
    await dialog.getByLabel('Value').fill('Team');
    await dialog.getByRole('button', { name: 'Show what changes' }).click();
    await dialog.getByText('3 records will change').waitFor();
    expect(await dialog.getByRole('listitem').first().innerText()).toMatch(/Ada\s+Owner\s+Team/);
    expect(await axeProblems(page)).toEqual([]);
    expect((await leads())[0].owner).toBeNull();
    await dialog.getByRole('button', { name: 'Change 3 records' }).click();
    await page.getByText('3 records are changed').waitFor();
    expect((await leads()).map(({ owner }: { owner: string | null }) => owner)).toEqual(['Team', 'Team', 'Team', null]);
    expect(won.version).toBe(1);

    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('It is as it was.').waitFor();
    expect((await leads()).map(({ owner }: { owner: string | null }) => owner)).toEqual([null, null, null, null]);
    expect(problems).toEqual([]);
  });

  it('that a command refuses are named with the reason before anything is done', async () => {
    await execute(user.token, 'crm:update_lead', { targetRecordId: pids.Ben, payload: { status: 'won' } });
    const { page } = await open();
    await cell(page, 'Ada').click({ modifiers: ['Control'] });
    await cell(page, 'Ben').click({ modifiers: ['Shift'] });
    await page.locator('footer').getByText('2 records selected').waitFor();
    await page.locator('footer').getByRole('button', { name: 'More commands' }).click();
    await page.getByRole('menuitem', { name: 'Convert a lead' }).click();
    await page.getByRole('button', { name: 'Show what changes' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 record will change · 1 cannot').waitFor();
    expect(await dialog.getByRole('listitem').first().innerText()).toMatch(/Ben\s+.*converted/);
  });
});

describe('a change of many records', () => {
  it('that a busy node stops in its middle goes on from there, and changes each record once', async () => {
    const items = Array.from({ length: 120 }, (_, index) => ({
      payload: { name: `Lead ${String(index).padStart(3, '0')}`, amount: '1' },
    }));
    const batch = '/api/meta/commands/execute/crm:create_lead/batch';
    expect((await call(batch, { token: user.token, body: { items } })).status).toBe(200);
    const { page } = await open('/pages/leads?sort=name&cols=["name","owner"]');
    await cell(page, 'Ada').waitFor();
    await page.getByRole('grid').focus();
    await press(page, 'Control+a');
    await page.locator('footer').getByText('123 records selected').waitFor();
    await page.locator('footer').getByRole('button', { name: 'Update a lead' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Field').selectOption('owner');
    await dialog.getByLabel('Value').fill('Grace');
    await dialog.getByRole('button', { name: 'Show what changes' }).click();
    await dialog.getByText('123 records will change').waitFor();

    let requests = 0;
    await page.route('**/execute/*update_lead/batch', (route) => {
      requests += 1;
      return requests === 2 ? refused(route, AWAY) : route.continue();
    });
    await dialog.getByRole('button', { name: 'Change 123 records' }).click();
    await dialog.getByRole('alert').waitFor();
    const changed = async () => (await leadsOf('Grace')).map(({ version }) => version);
    expect(await changed()).toHaveLength(100);
    await dialog.getByRole('button', { name: 'Change 123 records' }).click();
    await page.getByText('123 records are changed').waitFor();
    expect(await changed()).toEqual(Array.from({ length: 123 }, () => 2));
    expect(requests).toBe(3);
  });
});

describe('a block of cells from a spreadsheet', () => {
  it('shows what it would change, and what of it is wrong, and changes the rest', async () => {
    const { page } = await open();
    await cell(page, 'Ada').waitFor();
    await page.getByRole('grid').focus();
    await press(page, 'ArrowRight');
    await paste(page, 'open\t1,250.75\t"Grace ""G"" H"\r\nnone\t5\t\r\nwon\t7\tMe\r\nnew\t1\tX\r\n');
    const dialog = page.getByRole('dialog', { name: 'Paste cells' });
    await dialog.getByText('2 records will change · 1 cannot').waitFor();
    await dialog.getByText('1 row has no record').waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Change 2 records' }).click();
    await page.getByText('2 records are changed').waitFor();

    expect(await leads()).toMatchObject([
      { name: 'Ada', status: 'open', amount: '1250.75', owner: 'Grace "G" H' },
      { name: 'Ben', status: 'new', amount: '2' },
      { name: 'Cleo', status: 'won', amount: '7', owner: 'Me' },
    ]);
  });
});
