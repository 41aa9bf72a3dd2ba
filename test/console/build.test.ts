import type { Page } from 'playwright-core';
import { axeInBothThemes, axeProblems, openConsoleAs, PHONE } from '../support/browser.ts';
import { insert, name, newCode, newModel, save as saveDrafts, size } from '../support/models.ts';
import { columnsIn, contentIn, newAdmin, type Admin } from '../support/promotions.ts';
import { newTenant, newUser, type TestTenant } from '../support/world.ts';

let tenant: TestTenant;
let author: Admin;

beforeAll(async () => {
  tenant = await newTenant();
  author = await newAdmin(tenant);
});

const effectsOf = (page: Page) => page.getByRole('region', { name: 'What saving does' });

describe('a model', () => {
  it('is changed as a table and as a text, with what saving does before it is saved, and goes back', async () => {
    const { code } = await newModel({ fields: [name] });
    await insert(tenant, code, [{ name: 'a' }, { name: 'b' }]);
    const { page, problems } = await openConsoleAs(author.user, `/build?q=${code}&type=MODEL`);
    await page.getByRole('table', { name: 'Resources' }).getByRole('link', { name: code }).click();
    const editor = page.getByRole('textbox', { name: `${code} as YAML` });
    const effects = effectsOf(page);

    await page.getByRole('button', { name: 'Add a field' }).click();
    await page.getByLabel('Label of New field').fill('Price');
    await page.getByLabel('Label of New field').press('Enter');
    await page.getByLabel('Type of Price').selectOption('decimal');
    expect(await editor.inputValue()).toContain('{ code: price, name: Price, type: decimal }');
    await effects.getByText('add column "price" numeric').waitFor();
    await effects.getByText('2 records').waitFor();
    await effects.getByText('Can be saved').waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);

    await editor.fill((await editor.inputValue()).replace('type: decimal', 'type: decimel'));
    await page.getByRole('button', { name: /^Line \d+.*decimal/ }).waitFor();
    await effects.getByText('1 problem').waitFor();
    expect(await effects.getByRole('button', { name: /^Save/ }).isDisabled()).toBe(true);
    await page.reload();
    await editor.fill((await editor.inputValue()).replace('type: decimel', 'type: decimal'));
    await effects.getByText('Can be saved').waitFor();
    await effects.getByRole('button', { name: 'Save 1 resource' }).click();
    await page.getByText('1 resource is saved').waitFor();
    expect(await columnsIn('dev', code)).toHaveProperty('price');

    await page.getByText('Version 2').first().waitFor();
    await page.getByRole('button', { name: 'Versions' }).click();
    const versions = page.getByRole('dialog', { name: 'Versions' });
    await versions.getByRole('button', { name: /^Version 1/ }).click();
    await versions.getByText('Price').first().waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await versions.getByRole('button', { name: 'Put version 1 into the editor' }).click();
    expect(await editor.inputValue()).not.toContain('price');
    await page.getByRole('button', { name: 'Discard changes' }).click();
    expect(await editor.inputValue()).toContain('price');
    expect(problems).toEqual([]);
  });

  it('is written by the keyboard with what its schema offers, and keeps the values of a field with another code', async () => {
    const { code } = await newModel({ fields: [name, size] });
    await insert(tenant, code, [{ name: 'a', size: 3 }]);
    const { page, problems } = await openConsoleAs(author.user, `/build/MODEL/${code}`, { locale: 'zh-CN' });
    const editor = page.getByRole('textbox', { name: `${code} 的 YAML` });

    await editor.focus();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('displ');
    await page.getByRole('option', { name: /^displayField/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.type('name');
    expect((await editor.inputValue()).trimEnd()).toMatch(/\ndisplayField: name$/);
    await page.getByLabel('Size 的编码').fill('weight');
    await page.getByLabel('Size 的编码').press('Enter');
    expect(await editor.inputValue()).toContain('renamedFrom: size');
    const effects = page.getByRole('region', { name: '保存的影响' });
    await effects.getByText('rename column "size" to "weight"').waitFor();
    await effects.getByRole('button', { name: '保存 1 项资源' }).press('Enter');
    await page.getByText('1 项资源已保存').waitFor();

    expect(await contentIn('dev', 'MODEL', code)).toMatchObject({ displayField: 'name' });
    expect(await columnsIn('dev', code)).toHaveProperty('weight');
    expect(problems).toEqual([]);
  });

  it('takes the type that is chosen by keys, and nothing of those that are passed', async () => {
    const { code } = await newModel({ fields: [name] });
    const { page, problems } = await openConsoleAs(author.user, `/build/MODEL/${code}`);
    const editor = page.getByRole('textbox', { name: `${code} as YAML` });
    const type = page.getByLabel('Type of Name');
    const before = await editor.inputValue();
    await type.focus();
    // Past the choice, which brings values with it.
    for (let step = 0; (await type.inputValue()) !== 'json'; step += 1) {
      expect(step).toBeLessThan(20);
      await page.keyboard.press('ArrowDown');
    }
    expect(await editor.inputValue()).toBe(before);
    await page.keyboard.press('Enter');

    expect(await editor.inputValue()).toBe(before.replace('type: string', 'type: json'));
    expect(problems).toEqual([]);
  });

  it('loses a field with values once the author has agreed to it, by name', async () => {
    const { code } = await newModel({ fields: [name, size] });
    await insert(tenant, code, [{ name: 'a', size: 1 }, { name: 'b', size: 2 }, { name: 'c' }]);
    const { page, problems } = await openConsoleAs(author.user, `/build/MODEL/${code}`);
    const effects = effectsOf(page);
    await page.getByRole('button', { name: 'More for Size' }).click();
    await page.getByRole('menuitem', { name: 'Remove the field' }).click();
    await effects.getByText('size has a value in 2 records').waitFor();
    const save = effects.getByRole('button', { name: 'Save 1 resource' });
    const agree = effects.getByRole('checkbox', { name: `Values of ${code} get out of reach or out of use` });
    await agree.waitFor();
    expect(await save.isDisabled()).toBe(true);
    expect(await axeInBothThemes(page)).toEqual([]);
    await agree.check();
    await save.click();
    await page.getByText('1 resource is saved').waitFor();

    expect(await contentIn('dev', 'MODEL', code)).toMatchObject({ fields: [{ code: 'name' }] });
    expect(problems).toEqual([]);
  });

  it('begins with a code that it may have', async () => {
    const { page, problems } = await openConsoleAs(author.user, '/build');
    await page.getByRole('button', { name: 'New resource' }).click();
    const dialog = page.getByRole('dialog', { name: 'New resource' });
    const begin = dialog.getByRole('button', { name: 'Begin' });
    await dialog.getByLabel('Code').fill('Support ticket!');
    await dialog.getByText(/^must match/i).waitFor();
    expect(await begin.isDisabled()).toBe(true);
    const code = newCode();
    await dialog.getByLabel('Code').fill(code);
    await begin.click();
    await page.getByRole('textbox', { name: `${code} as YAML` }).waitFor();

    expect(problems).toEqual([]);
  });

  it('says why nothing can be saved where the environment is locked', async () => {
    const { code } = await newModel({ fields: [name] });
    const { page, problems } = await openConsoleAs(author.user, `/build/MODEL/${code}`);
    const reason = 'The year is being closed';
    await page.route('**/api/meta/resources/plan', async (route) => {
      const answer = await route.fetch();
      const { data, ...rest } = (await answer.json()) as { readonly data: object };
      await route.fulfill({
        response: answer,
        json: { ...rest, data: { ...data, needsPromotion: true, lockReason: reason } },
      });
    });
    await page.getByLabel('Label of Name').fill('Title');
    await page.getByLabel('Label of Name').press('Enter');
    await effectsOf(page).getByText(`dev is locked: ${reason}`).waitFor();

    await effectsOf(page).getByText('Cannot be saved here').waitFor();
    expect(await effectsOf(page).getByText('Can be saved').count()).toBe(0);
    expect(await effectsOf(page).getByRole('button', { name: 'Save 1 resource' }).isDisabled()).toBe(true);
    // Its styles, which come later, leave the frame as it is.
    expect(await page.getByRole('button', { name: 'Open the navigation' }).count()).toBe(0);
    expect(problems).toEqual([]);
  });
});

describe('a role', () => {
  it('shows what it allows, field by field, and gives a right at a click', async () => {
    const { code, command } = await newModel({
      fields: [name, { ...size, readPermission: true, writePermission: true }],
    });
    const role = `T_${newCode().toUpperCase()}`;
    await saveDrafts('dev', {
      resourceType: 'PERMISSION',
      code: role,
      content: { name: 'Clerks', codes: [`record:read:${code}`, 'command:*'] },
    });
    const { page, problems } = await openConsoleAs(author.user, `/build/PERMISSION/${role}`, { viewport: PHONE });

    await page.getByLabel('Only what it allows').check();
    const right = (label: string) => page.getByRole('checkbox', { name: label, exact: true });
    expect(await right(`Read: ${code}`).isChecked()).toBe(true);
    expect(await right(`Write: ${code}`).isChecked()).toBe(false);
    expect(await right(code).first().isDisabled()).toBe(true);
    const read = right(`field:read:${code}.size (Size)`);
    const hidden = page.getByRole('cell').filter({ has: read }).getByText('hidden');
    await hidden.waitFor();
    await read.check();
    await hidden.waitFor({ state: 'detached' });
    expect(await page.getByRole('textbox', { name: `${role} as YAML` }).inputValue()).toContain(
      `field:read:${code}.size`,
    );
    expect(command).not.toBe('');
    expect(await axeInBothThemes(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});

describe('an application', () => {
  const rows = 'Title,Hours,State\nPrinter on fire,1.5,new\nNo coffee,2,new\nNo tea,3,done\nNo cake,1,done\n';
  const tickets = { name: 'tickets.csv', mimeType: 'text/csv', buffer: Buffer.from(rows) };

  it('is made from a CSV file in the console alone, with its page, and its records are imported', async () => {
    const app = newCode().slice(0, 40);
    const { page, problems } = await openConsoleAs(author.user, '/build/new');
    await page.getByLabel('Application').fill(app);
    await page.getByLabel('What is kept').fill('Ticket');
    await page.getByLabel('Code of the model').fill(app);
    await page.locator('input[type=file]').setInputFiles({
      name: 'tickets.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(
        'Title,Hours,State\nPrinter on fire,1.5,new\nNo coffee,2,new\nNo tea,3,done\nNo cake,1,done\n',
      ),
    });
    await page.getByText('Types are guessed from 4 rows').waitFor();
    expect(await page.getByLabel('Type of Hours').inputValue()).toBe('decimal');
    expect(await page.getByLabel('Type of State').inputValue()).toBe('enum');
    expect(await axeInBothThemes(page)).toEqual([]);
    await page.getByRole('button', { name: 'Make 6 drafts' }).click();

    const effects = effectsOf(page);
    await effects.getByText('Can be saved').waitFor();
    await effects.getByRole('button', { name: 'Save 6 resources' }).click();
    await page.getByText('6 resources are saved').waitFor();
    await page.getByRole('link', { name: 'Import records' }).click();
    await page.locator('input[type=file]').setInputFiles(tickets);
    await page.getByLabel('Field for Hours').waitFor();
    await page.getByRole('button', { name: 'Try the import' }).click();
    await page.getByRole('button', { name: 'Import 4 rows' }).click();
    await page.getByRole('link', { name: 'Show Tickets' }).click();
    await page.getByRole('gridcell', { name: 'Printer on fire', exact: true }).waitFor();
    await page.getByRole('button', { name: 'New Ticket' }).first().waitFor();
    expect(problems).toEqual([]);
  });

  it('is built by those alone who may change configuration', async () => {
    const reader = await newUser(['ADMIN'], tenant);
    const { page } = await openConsoleAs(reader, '/pages/leads');
    await page.getByRole('navigation').getByRole('link', { name: 'My work' }).waitFor();
    expect(await page.getByRole('link', { name: 'Resources' }).count()).toBe(0);
  });
});
