import type { BrowserContextOptions, Page } from 'playwright-core';
import { call, dataOf, execute, list } from '../support/api.ts';
import { axeProblems, openConsoleAs, PHONE } from '../support/browser.ts';
import { newTenant, newUser, PASSWORD, type TestUser } from '../support/world.ts';

let user: TestUser;

beforeEach(async () => {
  user = await newUser(['SALES'], await newTenant());
});

const createLead = async (payload: object) => dataOf(await execute(user.token, 'crm:create_lead', { payload }));
const leads = async () => dataOf(await list(user.token, 'leads', { sortField: 'name', sortOrder: 'asc' })).records;
const open = async (path: string, options: BrowserContextOptions = {}) => openConsoleAs(user, path, options);
const names = async (page: Page): Promise<string[]> =>
  page.locator('[role=row] [role=gridcell][aria-colindex="2"]').allInnerTexts();
const cell = (page: Page, text: string) => page.getByRole('gridcell', { name: text, exact: true });

async function makeLeads(): Promise<void> {
  await createLead({ name: 'Ada', status: 'new', amount: '1200.50' });
  await createLead({ name: 'Ben', status: 'open', amount: '30' });
  await createLead({ name: 'Cleo', status: 'won', amount: '7' });
}

describe('a page', () => {
  it('shows its records with the labels of the application, and axe finds nothing', async () => {
    await makeLeads();
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, problems } = await open('/pages/leads', { colorScheme });
      await cell(page, 'Ada').waitFor();

      expect(await page.getByRole('columnheader').allInnerTexts()).toEqual(
        expect.arrayContaining(['Name', 'Status', 'Amount', 'Follow up on', 'Created']),
      );
      expect(await cell(page, '1,200.50').count()).toBe(1);
      expect(await page.locator('footer').innerText()).toContain('3 records');
      expect(await axeProblems(page)).toEqual([]);
      expect(problems).toEqual([]);
    }
  });

  it('sorts on the server by a click on a column, and its address says so', async () => {
    await makeLeads();
    const { page } = await open('/pages/leads');
    await page.getByRole('button', { name: 'Amount' }).click();
    await page.getByRole('columnheader', { name: 'Amount' }).and(page.locator('[aria-sort=ascending]')).waitFor();
    await page.locator('[aria-rowindex="2"]', { hasText: 'Cleo' }).waitFor();
    expect(await names(page)).toEqual(['Cleo', 'Ben', 'Ada']);

    await page.getByRole('button', { name: 'Amount' }).click();
    await page.locator('[aria-rowindex="2"]', { hasText: 'Ada' }).waitFor();
    expect(new URL(page.url()).searchParams.get('sort')).toBe('-amount');
    await page.goBack();
    await page.locator('[aria-rowindex="2"]', { hasText: 'Cleo' }).waitFor();
  });

  it('filters by chips and a keyword, and offers to remove them where nothing is left', async () => {
    await makeLeads();
    const { page } = await open('/pages/leads');
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByLabel('Field').selectOption('status');
    await page.getByRole('checkbox', { name: 'open' }).check();
    await page.getByRole('checkbox', { name: 'won' }).check();
    expect(await axeProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Add the filter' }).click();
    await page.getByText('Status is one of open, won').waitFor();
    await page.locator('footer').getByText('2 records').waitFor();
    await page.reload();
    await page.getByText('Status is one of open, won').waitFor();

    await page.getByRole('searchbox').fill('nobody');
    await page.getByRole('heading', { name: 'Nothing is found' }).waitFor();
    await page.getByRole('button', { name: 'Remove the filters' }).click();
    await page.locator('footer').getByText('3 records').waitFor();
  });

  it('keeps what is seen as a view', async () => {
    await makeLeads();
    const { page } = await open(
      `/pages/leads?sort=-name&f=${encodeURIComponent('[{"fieldName":"status","operator":"ne","value":"won"}]')}`,
    );
    await page.getByRole('button', { name: 'Save or change views' }).click();
    await page.getByRole('menuitem', { name: 'Save as a new view' }).click();
    await page.getByLabel('Name').fill('Not won');
    await page.getByRole('button', { name: 'Save the view' }).click();
    await page.getByRole('button', { name: 'Not won', pressed: true }).waitFor();

    await page.getByRole('button', { name: 'All', exact: true }).click();
    await page.locator('footer').getByText('3 records').waitFor();
    await page.getByRole('button', { name: 'Not won' }).click();
    await page.locator('footer').getByText('2 records').waitFor();
    expect(await names(page)).toEqual(['Ben', 'Ada']);
  });

  it('shows the columns that are chosen', async () => {
    await makeLeads();
    const { page } = await open('/pages/leads');
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'Email' }).uncheck();
    await page.getByRole('checkbox', { name: 'Notes' }).check();
    await page.keyboard.press('Escape');
    await page.getByRole('columnheader', { name: 'Notes' }).waitFor({ state: 'attached' });

    expect(await page.getByRole('columnheader', { name: 'Email' }).count()).toBe(0);
  });

  it('shows all columns that are chosen one right after the other', async () => {
    await makeLeads();
    const { page } = await open('/pages/leads');
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'Notes' }).waitFor();
    const boxes = page.getByRole('checkbox', { name: /^(Notes|Email)$/ });
    const chosen = await boxes.evaluateAll((found) => {
      const inputs = found as unknown as { click(): void; checked: boolean }[];
      for (const input of inputs) input.click();
      return inputs.map(({ checked }) => checked);
    });

    expect(chosen.toSorted()).toEqual([false, true]);
    await page.keyboard.press('Escape');
    await page.getByRole('columnheader', { name: 'Notes' }).waitFor({ state: 'attached' });
    expect(await page.getByRole('columnheader', { name: 'Email' }).count()).toBe(0);
  });

  it('draws and reads only what is to be seen of 100,000 records', async () => {
    await makeLeads();
    const { page } = await open('/pages/deals');
    const asked: string[] = [];
    await page.route('**/api/dynamic/leads/list?*', async (route) => {
      const { searchParams } = new URL(route.request().url());
      asked.push(searchParams.get('pageNum') ?? '');
      searchParams.set('pageNum', '1');
      const response = await route.fetch({
        url: `${process.env.KEELSON_TEST_URL}/api/dynamic/leads/list?${searchParams.toString()}`,
      });
      const { data, ...rest } = await response.json();
      const [first] = data.records;
      const records = Array.from({ length: 100 }, (_, index) => ({ ...first, pid: `${first.pid}${index}` }));
      await route.fulfill({ response, json: { ...rest, data: { ...data, records, total: 100_000 } } });
    });
    await page.getByRole('link', { name: 'Leads' }).click();
    await page.locator('footer').getByText('100,000 records').waitFor();
    await page.getByRole('grid').press('Control+End');
    await page.locator('[aria-rowindex="100001"] input').waitFor();

    expect(asked.sort()).toEqual(['1', '1000']);
    expect(await page.getByRole('row').count()).toBeLessThan(80);
    await page.unrouteAll();
  });

  it('says what it is when it is empty, and how to begin', async () => {
    const { page } = await open('/pages/leads');
    await page.getByRole('button', { name: 'Create the first record' }).click();

    await page.getByRole('dialog', { name: 'Create a lead' }).waitFor();
  });

  it('says so when the server fails, and goes on by itself when it is asked again', async () => {
    await makeLeads();
    const { page } = await open('/pages/deals');
    let failures = 0;
    await page.route('**/api/dynamic/leads/list?*', (route) => {
      failures += 1;
      return failures <= 3
        ? route.fulfill({ status: 500, json: { code: 'INTERNAL_ERROR', message: 'Broken', data: { traceId: 'x' } } })
        : route.continue();
    });
    await page.getByRole('link', { name: 'Leads' }).click();
    await page.getByRole('heading', { name: 'Broken' }).waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Try again' }).click();

    await cell(page, 'Ada').waitFor();
  });
});

describe('a record', () => {
  it('is made by a form of its model; what is wrong is said at its field, and nothing typed is lost', async () => {
    const { page, problems } = await open('/pages/leads');
    await page.getByRole('button', { name: 'Create a lead' }).click();
    const form = page.getByRole('dialog', { name: 'Create a lead' });
    await form.getByLabel('Email').fill('not an address');
    await form.getByLabel('Amount').fill('12.50');
    await form.getByRole('button', { name: 'Create a lead' }).click();
    await form.getByLabel('Name').and(form.locator('[aria-invalid=true]')).waitFor();
    expect(await form.getByText('is required').count()).toBe(1);
    expect(await form.getByLabel('Amount').inputValue()).toBe('12.50');
    expect(await axeProblems(page)).toEqual([]);

    await form.getByLabel('Name').fill('Dora');
    await form.getByLabel('Email').fill('dora@test.example');
    await form.getByLabel('Status').selectOption('open');
    await form.getByRole('button', { name: 'Create a lead' }).click();

    await cell(page, 'Dora').waitFor();
    expect(await leads()).toMatchObject([{ name: 'Dora', amount: '12.50', status: 'open' }]);
    expect(problems).toEqual([]);
  });

  it('opens beside its list, is changed there, and has a history', async () => {
    await makeLeads();
    const { page } = await open('/pages/leads');
    await cell(page, 'Ben').click();
    const panel = page.getByRole('region', { name: 'Open record' });
    await panel.getByRole('button', { name: 'Edit' }).click();
    await panel.getByLabel('Amount').fill('31');
    await panel.getByRole('button', { name: 'Save' }).click();

    await panel.getByRole('definition').getByText('31', { exact: true }).waitFor();
    await cell(page, '31').waitFor();
    await panel.getByRole('tab', { name: 'History' }).click();
    await panel.getByText('changed it').waitFor();
    expect(await panel.getByRole('tabpanel').innerText()).toMatch(/Amount\s+30 → 31/);
    expect(await axeProblems(page)).toEqual([]);
  });

  it('shows the records that refer to it, and leads to them', async () => {
    const account = dataOf(await execute(user.token, 'crm:create_account', { payload: { name: 'Acme' } }));
    for (const name of ['A', 'B', 'C', 'D', 'E', 'F']) await createLead({ name, account: account.pid });
    const { page, problems } = await open(`/pages/accounts?open=${account.pid}&tab=related`);
    await page.getByRole('link', { name: 'Show all 6 records' }).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await page.getByRole('link', { name: 'F', exact: true }).click();
    await page.getByRole('region', { name: 'Open record' }).getByRole('heading', { name: 'F' }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Show all 6 records' }).click();

    await page.getByText('Account is Acme').waitFor();
    await page.locator('footer').getByText('6 records').waitFor();
    await page.getByRole('heading', { name: 'Leads' }).waitFor();
    expect(problems).toEqual([]);
  });

  it('gets its former values back by Undo, and comes back from the trash, where the caller may', async () => {
    const boss = await newUser(['PLATFORM_ADMIN'], await newTenant());
    user = boss;
    const ada = await createLead({ name: 'Ada', amount: '1' });
    const { page } = await open(`/pages/leads?open=${ada.pid}&run=crm:update_lead`);
    await page.getByLabel('Amount').fill('2');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('It is as it was.').waitFor();
    expect(await leads()).toMatchObject([{ amount: '1', version: 3 }]);

    await page.getByRole('region', { name: 'Open record' }).getByRole('button', { name: 'More commands' }).click();
    await page.getByRole('menuitem', { name: 'Delete a lead' }).click();
    await page.getByRole('button', { name: 'Delete 1 record' }).click();
    await page.getByRole('heading', { name: 'There is nothing on this page yet' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await cell(page, 'Ada').waitFor();
  });

  it('that someone else has changed shows both sides, and saves what is kept', async () => {
    const ada = await createLead({ name: 'Ada', amount: '1' });
    const { page } = await open(`/pages/leads?open=${ada.pid}&run=crm:update_lead`);
    const panel = page.getByRole('region', { name: 'Open record' });
    await panel.getByLabel('Amount').fill('2');
    await panel.getByLabel('Owner').fill('Me');
    await execute(user.token, 'crm:update_lead', { targetRecordId: ada.pid, payload: { amount: '3', phone: '123' } });
    await panel.getByRole('button', { name: 'Save' }).click();
    const conflict = page.getByRole('alert', { name: 'Changed meanwhile' });
    await conflict.waitFor();
    expect(await conflict.getByRole('row').allInnerTexts()).toEqual([
      expect.stringMatching(/Field\s+Theirs\s+Yours/),
      expect.stringMatching(/Phone\s+123\s+–/),
      expect.stringMatching(/Amount\s+3\s+2/),
    ]);
    await conflict.getByRole('button', { name: 'Take theirs' }).click();
    await panel.getByRole('button', { name: 'Save' }).click();
    await panel.getByRole('definition').getByText('Me', { exact: true }).waitFor();

    expect(await leads()).toMatchObject([{ amount: '3', phone: '123', owner: 'Me' }]);
  });

  it('offers the commands that its state allows, and says why it allows another not', async () => {
    const won = await createLead({ name: 'Won', status: 'won' });
    const { page } = await open(`/pages/leads?open=${won.pid}`);
    await page.getByRole('button', { name: 'More commands' }).click();

    const item = page.getByRole('menuitem', { name: /^Convert a lead/ });
    expect(await item.getAttribute('aria-disabled')).toBe('true');
    expect(await item.innerText()).toContain('The lead has been converted already');
  });

  it('is deleted after a question that names it', async () => {
    await makeLeads();
    const { page } = await open('/pages/leads');
    await cell(page, 'Cleo').click();
    await page.getByRole('button', { name: 'More commands' }).click();
    await page.getByRole('menuitem', { name: 'Delete a lead' }).click();
    await page.getByRole('dialog', { name: 'Delete Cleo' }).getByRole('button', { name: 'Delete 1 record' }).click();

    await page.locator('footer').getByText('2 records').waitFor();
    expect((await leads()).map(({ name }: { name: string }) => name)).toEqual(['Ada', 'Ben']);
  });

  it('goes on after a session that ended: the form keeps what was typed', async () => {
    const ada = await createLead({ name: 'Ada' });
    const { page } = await open(`/pages/leads?open=${ada.pid}&run=crm:update_lead`);
    await page.getByLabel('Owner').fill('Grace');
    await call('/api/auth/logout-all', { method: 'POST', token: user.token });
    // The console may hear of it first: then the click waits for the log-in.
    const saving = page.getByRole('button', { name: 'Save' }).click();
    const again = page.getByRole('dialog', { name: /Your session has ended/ });
    await again.getByLabel('E-mail').fill(user.email);
    await again.getByLabel('Password').fill(PASSWORD);
    expect(await axeProblems(page)).toEqual([]);
    await again.getByRole('button', { name: 'Log in' }).click();
    await saving;

    await page.getByRole('definition').getByText('Grace').waitFor();
  });
});

describe('the keyboard alone', () => {
  it('moves, sorts, selects, opens, goes on, closes, creates and explains itself', async () => {
    await makeLeads();
    const { page, problems } = await open('/pages/leads?sort=name');
    await cell(page, 'Ada').waitFor();
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    await page.getByRole('grid').focus();
    await press('ArrowDown', ' ');
    await page.locator('footer').getByText('1 record selected').waitFor();
    expect(await page.getByRole('row', { selected: true }).innerText()).toContain('Ben');
    await press('Enter');
    await page.getByRole('region', { name: 'Open record' }).getByRole('heading', { name: 'Ben' }).waitFor();
    await press('j');
    await page.getByRole('region', { name: 'Open record' }).getByRole('heading', { name: 'Cleo' }).waitFor();
    await press('Escape');
    await page.getByRole('region', { name: 'Open record' }).waitFor({ state: 'detached' });
    await press('?');
    await page.getByRole('dialog', { name: 'Keys of this screen' }).waitFor();
    await press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await press('c');
    await page.getByRole('dialog', { name: 'Create a lead' }).waitFor();
    await press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await press('/');
    await page.keyboard.type('Ada');
    await cell(page, 'Ben').waitFor({ state: 'detached' });
    await cell(page, 'Ada').waitFor();
    expect(await names(page)).toEqual(['Ada']);
    expect(problems).toEqual([]);
  });
});

describe('a phone, in Chinese', () => {
  it('has everything in one column', async () => {
    await makeLeads();
    const { page, problems } = await open('/pages/leads', {
      viewport: PHONE,
      locale: 'zh-CN',
      colorScheme: 'dark',
      hasTouch: true,
    });
    await page.getByRole('button', { name: /Ada/ }).click();
    await page.getByRole('tab', { name: '历史' }).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await page.getByRole('button', { name: '编辑' }).click();
    await page.getByLabel('Owner').fill('Ada');
    await page.getByRole('button', { name: '保存' }).click();
    await page.getByRole('definition').getByText('Ada').first().waitFor();
    const close = page.getByRole('button', { name: '关闭', exact: true });
    expect((await close.boundingBox())?.x).toBeLessThan(PHONE.width - 36);
    await close.click();
    await page.getByRole('button', { name: '打开导航' }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'Deals' }).click();
    await page.getByRole('heading', { name: '此页还没有内容' }).waitFor();

    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(PHONE.width);
    expect(await axeProblems(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});
