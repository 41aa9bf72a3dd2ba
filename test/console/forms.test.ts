import type { Page } from 'playwright-core';
import { dataOf, execute, list } from '../support/api.ts';
import { openConsoleAs } from '../support/browser.ts';
import { name, newModel, newRole, save, type TestModel } from '../support/models.ts';
import { newTenant, newUser, type TestUser } from '../support/world.ts';

let user: TestUser;
let shop: TestModel;
let loan: TestModel;

beforeAll(async () => {
  shop = await newModel({ displayField: 'name', fields: [{ ...name, searchable: true }] });
  loan = await newModel({
    displayField: 'name',
    fields: [
      { ...name, required: true, searchable: true },
      { code: 'shop', name: 'Shop', type: 'relation', target: shop.code, required: true },
      { code: 'lent_on', name: 'Lent on', type: 'date', required: true, default: '$today' },
      { code: 'keeper', name: 'Keeper', type: 'user', required: true, default: '$user.pid' },
      { code: 'state', name: 'State', type: 'enum', values: ['out', 'ended'], transitions: { out: ['ended'] } },
      { code: 'why', name: 'Why', type: 'string' },
    ],
    checks: [{ assert: 'record.state != "ended" || record.why != null', message: 'Say why', fields: ['why'] }],
  });
  const end = `test:end_${loan.code}`;
  await save(
    'dev',
    {
      resourceType: 'COMMAND',
      code: end,
      content: {
        name: 'End',
        modelCode: loan.code,
        operations: ['UPDATE'],
        transition: { field: 'state', from: ['out'], to: 'ended' },
        fields: ['why'],
      },
    },
    {
      resourceType: 'PAGE_SCHEMA',
      code: loan.code,
      content: {
        name: 'Loans',
        modelCode: loan.code,
        columns: ['name', 'shop', 'lent_on', 'state'],
        sortFields: [{ fieldName: 'name', order: 'desc' }],
      },
    },
  );
  const permissions = [...shop.permissions, ...loan.permissions, `command:execute:${end}`, 'user:lookup'];
  user = await newUser([await newRole(permissions)], await newTenant());
  for (const one of ['Corner shop', 'Harbour shop']) dataOf(await create(shop, { name: one }));
});

const create = (model: TestModel, payload: object) =>
  execute(user.token, model.command, { operationType: 'CREATE', payload });
const stored = async (one: string) =>
  dataOf(await list(user.token, loan.code, { filters: [{ fieldName: 'name', operator: 'eq', value: one }] }))
    .records[0];
const newLoan = async (one: string) => {
  const [{ pid }] = dataOf(await list(user.token, shop.code, {})).records;
  return dataOf(await create(loan, { name: one, shop: pid, state: 'out' }));
};
const open = (query: string) => openConsoleAs(user, `/pages/${loan.code}?${query}`);
const focused = (page: Page) => page.evaluate<string>('document.activeElement.labels?.[0]?.textContent ?? ""');

describe('a form', () => {
  it('takes what is found first by Enter, shows the defaults that it knows, and no problem that is mended', async () => {
    const { page, problems } = await open(`run=${loan.command}`);
    const dialog = page.getByRole('dialog');
    const send = dialog.getByRole('button', { name: loan.code });
    const day = new Intl.DateTimeFormat('sv-SE', { timeZone: 'UTC' });
    expect(await dialog.getByLabel('Lent on').inputValue()).toBe(day.format());
    expect(await dialog.getByRole('combobox', { name: 'Keeper' }).getAttribute('aria-required')).toBeNull();
    await send.click();
    await dialog.getByText('Is required').nth(1).waitFor();
    await dialog.getByLabel('Name').fill('Drill');
    expect(await dialog.getByText('Is required').count()).toBe(1);
    await dialog.getByRole('combobox', { name: 'Shop' }).pressSequentially('harb');
    await page.getByRole('option', { name: 'Harbour shop' }).and(page.locator('[data-highlighted]')).waitFor();
    await page.keyboard.press('Enter');
    expect(await dialog.getByRole('combobox', { name: 'Shop' }).inputValue()).toBe('Harbour shop');
    await send.click();
    await dialog.waitFor({ state: 'detached' });

    expect(await stored('Drill')).toMatchObject({ lent_on: day.format() });
    expect(problems).toEqual([]);
  });

  it('of an open record has the focus, and says what a transition changes', async () => {
    const { pid } = await newLoan('Ladder');
    const { page } = await open(`open=${pid}`);
    await page.getByRole('region', { name: 'Open record' }).getByRole('button', { name: 'More commands' }).click();
    await page.getByRole('menuitem', { name: 'End' }).click();
    await page.getByText('State: out → ended').waitFor();
    await page.locator('input:focus').waitFor();
    expect(await focused(page)).toBe('Why');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'More commands' }).and(page.locator(':focus')).waitFor();
  });
});

describe('a board', () => {
  it('asks for what the command of a move lacks', async () => {
    await newLoan('Saw');
    const { page } = await open('shape=board');
    await page.locator('[data-card]', { hasText: 'Saw' }).dragTo(page.getByRole('region', { name: 'ended' }));
    await page.getByLabel('Why').fill('Broken');
    await page.getByRole('form', { name: 'End' }).getByRole('button', { name: 'End' }).click();
    await page.getByText('End: done').waitFor();
    expect(await stored('Saw')).toMatchObject({ state: 'ended', why: 'Broken' });
  });
});

describe('a list', () => {
  it('shows the order of its page; a click anywhere on a header turns it', async () => {
    await newLoan('Wheelbarrow');
    const { page } = await open('');
    const header = page.getByRole('columnheader', { name: 'Name' });
    await header.and(page.locator('[aria-sort=descending]')).waitFor();
    const { x, y, width, height } = (await header.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    await page.mouse.click(x + width - 20, y + height / 2);
    await header.and(page.locator('[aria-sort=ascending]')).waitFor();
    await page.mouse.click(x + width - 20, y + height / 2);
    await header.and(page.locator('[aria-sort=descending]')).waitFor();
    expect(new URL(page.url()).search).toBe('');
  });

  it('is narrowed by a related record as people name it, whose page is one click away', async () => {
    await newLoan('Tent');
    const { page } = await open('');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByLabel('Field').selectOption({ label: 'Shop' });
    expect(await page.getByLabel('Condition').locator('option').allInnerTexts()).toEqual([
      'is',
      'is not',
      'is empty',
      'is not empty',
    ]);
    await page.keyboard.press('Escape');
    await page.getByRole('gridcell', { name: 'Tent', exact: true }).click();
    await page.getByRole('region', { name: 'Open record' }).getByRole('link', { name: /shop/ }).click();
    await page.getByRole('heading', { level: 1, name: /shop/ }).waitFor();
  });

  it('says of a condition on its reader whom it is about', async () => {
    const filter = JSON.stringify([{ fieldName: 'keeper', operator: 'eq', value: '$me' }]);
    const { page } = await open(`f=${encodeURIComponent(filter)}`);
    await page.getByText('Keeper is me').waitFor();
  });
});
