import { text } from 'node:stream/consumers';
import { dataOf, execute, list } from '../support/api.ts';
import { AWAY, axeProblems, BUSY, endSession, failing, logInAgain, openConsoleAs, PHONE } from '../support/browser.ts';
import { upload } from '../support/files.ts';
import { name, newModel, newRole, save } from '../support/models.ts';
import { newTenant, newUser, type TestUser } from '../support/world.ts';

let user: TestUser;

beforeEach(async () => {
  user = await newUser(['SALES'], await newTenant());
});

const leads = async () => dataOf(await list(user.token, 'leads', { sortField: 'name', sortOrder: 'asc' })).records;
const csv = (text: string, name = 'leads.csv') => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });

describe('an import', () => {
  it('maps the columns of a file, tries it, shows what is wrong in its row, and brings the others; then those, corrected', async () => {
    await execute(user.token, 'crm:create_lead', { payload: { name: 'Before' } });
    const { page, problems } = await openConsoleAs(user, '/pages/leads');
    await page.getByRole('button', { name: 'Export and import' }).click();
    await page.getByRole('menuitem', { name: 'Import a file' }).click();
    await page.getByText('Drop a file here').waitFor();
    expect(await axeProblems(page)).toEqual([]);
    const file = csv('Name;E-mail;Amount;Shoe size\nAda;ada@x.example;12,5;40\nBen;nobody;7;41\n');
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByLabel('Field for Name').waitFor();
    expect(await page.getByLabel('Field for Name').inputValue()).toBe('name');
    expect(await page.getByLabel('Field for E-mail').inputValue()).toBe('email');
    expect(await page.getByLabel('Field for Amount').inputValue()).toBe('amount');
    expect(await page.getByLabel('Field for Shoe size').inputValue()).toBe('');
    await page.getByLabel('Field for Amount').selectOption('');
    expect(await axeProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Try the import' }).click();
    await page.getByText('An import would do this: 1 record created, 1 row left out').waitFor();
    const wrong = page.getByRole('region', { name: 'Wrong rows' }).getByRole('row', { name: /^3 Ben/ });
    await wrong.waitFor();
    expect(await wrong.getByRole('cell').nth(1).innerText()).toMatch(/^nobody\s+.+/);
    expect(await axeProblems(page)).toEqual([]);
    expect(await leads()).toHaveLength(1);
    await page.reload();
    await page.getByRole('button', { name: 'Import 1 row' }).click();
    await page.getByText('1 record created, 1 row left out', { exact: true }).waitFor();
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download these rows' }).click();
    const failed = await text(await (await downloading).createReadStream());
    await page.getByRole('button', { name: 'Import another file' }).click();
    await page.locator('input[type=file]').setInputFiles(csv(failed.replace('nobody', 'ben@x.example')));
    await page.getByLabel('Field for import error').waitFor();
    expect(await page.getByLabel('Field for import error').inputValue()).toBe('');
    await page.getByLabel('Field for Amount').selectOption('');
    await page.getByRole('button', { name: 'Try the import' }).click();
    await page.getByRole('button', { name: 'Import 1 row' }).click();
    await page.getByText('1 record created', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Show Leads' }).click();
    await page.getByRole('gridcell', { name: 'Ada', exact: true }).waitFor();

    expect((await leads()).map(({ name }: { name: string }) => name)).toEqual(['Ada', 'Before', 'Ben']);
    expect(problems).toEqual([]);
  });

  it('says what is wrong with a file, in Chinese and on a phone, too', async () => {
    const { page, problems } = await openConsoleAs(user, '/pages/leads/import', { viewport: PHONE, locale: 'zh-CN' });
    const input = page.locator('input[type=file]');
    await input.setInputFiles({ name: 'a.pdf', mimeType: 'application/pdf', buffer: Buffer.from('x') });
    await page.getByText('a.pdf 不是 CSV、工作簿或 JSON Lines 文件。').waitFor();
    await input.setInputFiles(csv('name,name\nx,y\n'));
    await page.getByRole('button', { name: '选择其他文件' }).waitFor();
    expect(await page.getByRole('alert').innerText()).toContain('name');
    await page.getByRole('button', { name: '选择其他文件' }).click();
    await input.setInputFiles(csv('name\nAda\n'));
    await page.getByRole('button', { name: '试运行导入' }).click();
    await page.getByRole('button', { name: '导入 1 行' }).waitFor();

    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(PHONE.width);
    expect(await axeProblems(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});

describe('an import that is stopped', () => {
  it('does not say that its file has no rows, whatever was done', async () => {
    const { page } = await openConsoleAs(user, '/pages/leads/import');
    await page.locator('input[type=file]').setInputFiles(csv('Name\nAda\n'));
    await page.route(/\/api\/imports\/\w+$/, async (route) => {
      const response = await route.fetch();
      const { data, ...envelope } = (await response.json()) as { data: object };
      const stopped = { status: 'CANCELLED', total: null, done: 0, created: 0, failed: 0 };
      await route.fulfill({ response, json: { ...envelope, data: { ...data, ...stopped } } });
    });
    await page.getByRole('button', { name: 'Try the import' }).click();
    await page.getByText('It has ended before its first row.').waitFor();
  });
});

describe('a fault in the middle of an import', () => {
  it('keeps the mapping, says what to do, and goes on: a dead or slow node, a busy one, a session that ends', async () => {
    const { page } = await openConsoleAs(user, '/pages/leads/import');
    const file = { name: 'leads.ndjson', mimeType: 'application/x-ndjson' };
    const lines = '{"Who":"Ada","Sum":"x"}\n{"Who":"Ben","Sum":"7"}\n';
    const drop = () => page.locator('input[type=file]').setInputFiles({ ...file, buffer: Buffer.from(lines) });
    await failing(page, '**/api/files', 'dead');
    await drop();
    await page.getByRole('alert').getByText('The server does not answer.').waitFor();
    await page.unrouteAll();
    await page.route('**/imports/columns*', (route) => setTimeout(() => void route.continue(), 1_000));
    await drop();
    await page.getByLabel('Field for Who').selectOption('name');
    await page.getByLabel('Field for Sum').selectOption('amount');
    const send = () => page.getByRole('button', { name: 'Try the import' }).click();
    await failing(page, '**/api/dynamic/leads/imports', BUSY);
    await send();
    await page.getByRole('alert').getByText('Try again in 30 s.').waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await failing(page, '**/api/dynamic/leads/imports', AWAY);
    await send();
    await page.getByRole('alert').getByText('Try again in a moment.').waitFor();
    expect(await page.getByLabel('Field for Sum').inputValue()).toBe('amount');
    await page.unrouteAll();
    await endSession(user);
    await send();
    await logInAgain(page, user);

    const wrong = page.getByRole('region', { name: 'Wrong rows' }).getByRole('row', { name: /^1 Ada x/ });
    await wrong.waitFor();
    await page.getByRole('button', { name: 'Import 1 row' }).click();
    await page.getByText('1 record created, 1 row left out', { exact: true }).waitFor();
  });
});

describe('an export', () => {
  it('has the records, the order and the columns that are seen', async () => {
    for (const [name, status] of [
      ['Ada', 'new'],
      ['Ben', 'open'],
      ['Cleo', 'open'],
    ]) {
      await execute(user.token, 'crm:create_lead', { payload: { name, status } });
    }
    const filter = encodeURIComponent('[{"fieldName":"status","operator":"eq","value":"open"}]');
    // A link may be older than the model, and name a field that is no more.
    const columns = encodeURIComponent('["name","gone","status"]');
    const { page } = await openConsoleAs(user, `/pages/leads?sort=-name&f=${filter}&cols=${columns}`);
    await page.getByRole('button', { name: 'Export and import' }).click();
    const downloading = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'Export as CSV' }).click();
    const download = await downloading;

    expect(download.suggestedFilename()).toBe('leads.csv');
    const chunks = await (await download.createReadStream()).toArray();
    const rows = Buffer.concat(chunks).toString().replace('\uFEFF', '').trim().split('\r\n');
    expect(rows.slice(1).map((row) => row.split(',').slice(-2))).toEqual([
      ['Cleo', 'open'],
      ['Ben', 'open'],
    ]);
  });
});

describe('a file of a record', () => {
  it('opens over the screen: images and PDF as they are, others as a download', async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    const file = async (content: Buffer, name: string, type: string) =>
      dataOf(await upload(user, content, { name, type })).pid as string;
    const pdf = Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n');
    const deals = [
      ['Picture', await file(png, 'seal.png', 'image/png'), 'img'],
      ['Paper', await file(pdf, 'contract.pdf', 'application/pdf'), 'iframe'],
    ] as const;
    for (const [name, contract, element] of deals) {
      const deal = dataOf(await execute(user.token, 'crm:create_deal', { payload: { name, contract } }));
      const { page, problems } = await openConsoleAs(user, `/pages/deals/${deal.pid}`);
      await page.getByRole('button', { name: /^Open (seal|contract)|^(seal|contract)/ }).click();
      await page.getByRole('dialog').locator(element).waitFor();
      expect(await axeProblems(page)).toEqual([]);
      const downloading = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Download' }).click();
      expect((await downloading).suggestedFilename()).toMatch(/^(seal|contract)/);
      expect(problems).toEqual([]);
    }
  });

  it('is read over the screen where it is a text, unless it is large', async () => {
    const paper = { code: 'paper', name: 'Paper', type: 'file' } as const;
    const model = await newModel({ displayField: 'name', fields: [name, paper] });
    await save('dev', {
      resourceType: 'PAGE_SCHEMA',
      code: model.code,
      content: { name: 'Papers', modelCode: model.code, columns: ['name', 'paper'] },
    });
    const reader = await newUser([await newRole(model.permissions)], await newTenant());
    const shownOf = async (content: string) => {
      const { pid } = dataOf(await upload(reader, Buffer.from(content), { name: 'list.csv', type: 'text/csv' }));
      const payload = { name: 'A list', paper: pid };
      const made = dataOf(await execute(reader.token, model.command, { operationType: 'CREATE', payload }));
      const { page } = await openConsoleAs(reader, `/pages/${model.code}/${made.pid}`);
      await page.getByRole('button', { name: /list\.csv/ }).click();
      return { page, dialog: page.getByRole('dialog') };
    };
    const { page, dialog } = await shownOf('name,town\n李雷,<b>北京</b>\n');
    await dialog.locator('pre', { hasText: '李雷,<b>北京</b>' }).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    const large = await shownOf('x'.repeat(1024 * 1024 + 1));
    await large.dialog.getByText('The file is too large for a preview.').waitFor();
  });
});
