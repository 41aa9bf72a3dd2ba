import type { Page } from 'playwright-core';
import { dataOf, execute, list } from '../support/api.ts';
import { axeProblems, BUSY, endSession, failing, logInAgain, openConsoleAs, PHONE } from '../support/browser.ts';
import { newModel, newRole, save, type TestModel } from '../support/models.ts';
import { newTenant, newUser, type TestUser } from '../support/world.ts';

let user: TestUser;
let model: TestModel;

beforeAll(async () => {
  const states = ['draft', 'sent', 'paid'];
  model = await newModel({
    fields: [
      { code: 'name', name: 'Name', type: 'string', required: true },
      {
        code: 'state',
        name: 'State',
        type: 'enum',
        values: states,
        transitions: { draft: ['sent'], sent: ['paid', 'draft'] },
      },
      { code: 'amount', name: 'Amount', type: 'decimal' },
      { code: 'due_on', name: 'Due on', type: 'date' },
    ],
  });
  const pay = `test:pay_${model.code}`;
  await save(
    'dev',
    {
      resourceType: 'COMMAND',
      code: pay,
      content: {
        name: 'Pay',
        modelCode: model.code,
        operations: ['UPDATE'],
        transition: { field: 'state', from: ['sent'], to: 'paid' },
      },
    },
    {
      resourceType: 'PAGE_SCHEMA',
      code: model.code,
      content: { name: 'Bills', modelCode: model.code, columns: ['name', 'state', 'amount', 'due_on'] },
    },
  );
  const role = await newRole([...model.permissions, `command:execute:${pay}`, `record:write:${model.code}`]);
  user = await newUser([role], await newTenant());
  for (const payload of [
    { name: 'Ada', state: 'draft', amount: '10', due_on: '2026-03-02' },
    { name: 'Ben', state: 'sent', amount: '20.5', due_on: '2026-03-02' },
    { name: 'Cleo', state: 'sent', amount: '5', due_on: '2026-04-15' },
  ]) {
    dataOf(await execute(user.token, model.command, { operationType: 'CREATE', payload }));
  }
});

const open = (query: string, options = {}) => openConsoleAs(user, `/pages/${model.code}?${query}`, options);
const column = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const card = (page: Page, name: string) => page.locator('[data-card]', { hasText: name });
const stored = async (name: string) =>
  dataOf(await list(user.token, model.code, { filters: [{ fieldName: 'name', operator: 'eq', value: name }] }))
    .records[0];

describe('a board', () => {
  it('has a column for each state; dragging, keys and a menu move a record by the command that leads there', async () => {
    const { page, problems } = await open('');
    await page.getByRole('button', { name: 'Grid' }).click();
    await page.getByRole('menuitemradio', { name: 'Board' }).click();
    await column(page, 'sent').getByText('Cleo').waitFor();
    await column(page, 'sent')
      .getByRole('heading')
      .filter({ hasText: /sent\s*2\s*Amount · Sum\s*25.5/ })
      .waitFor();
    expect(await axeProblems(page)).toEqual([]);

    await card(page, 'Ben').dragTo(column(page, 'paid'));
    await page.getByText('State of Ben is changed').waitFor();
    await column(page, 'paid').getByText('Ben').waitFor();
    expect(await stored('Ben')).toMatchObject({ state: 'paid', version: 2 });

    await card(page, 'Ada').focus();
    await page.keyboard.press('Shift+ArrowRight');
    await page.getByText('State of Ada is changed').waitFor();
    await column(page, 'sent').getByText('Ada').waitFor();
    await page.locator(':focus', { hasText: 'Ada' }).waitFor();

    await page.getByRole('button', { name: 'Move Ben' }).click();
    const back = page.getByRole('menuitem', { name: /To sent/ });
    await back.getByText('No command leads from paid to sent').waitFor();
    expect(await back.getAttribute('aria-disabled')).toBe('true');
    await page.keyboard.press('Escape');
    expect(problems).toEqual([]);
  });

  it('puts a record back that the server refuses to move, and says why', async () => {
    const { page } = await open('shape=board');
    await card(page, 'Cleo').waitFor();
    await page.route('**/execute/**', (route) =>
      route.fulfill({ status: 409, json: { code: 'CONFLICT', message: 'It is not yet due', data: { traceId: 'x' } } }),
    );
    await card(page, 'Cleo').focus();
    await page.keyboard.press('Shift+ArrowRight');
    await column(page, 'sent').getByRole('alert').getByText('It is not yet due').waitFor();
    await page.unrouteAll();
  });
});

describe('a calendar', () => {
  it('shows a month by its days; moving a record to another day is a command, and goes on month by month', async () => {
    const { page, problems } = await open('shape=calendar&at=2026-03-10');
    const day = (date: string) => page.locator(`[data-day="${date}"]`);
    await day('2026-03-02').getByRole('button', { name: 'Ada' }).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await day('2026-03-02').getByRole('button', { name: 'Ada' }).dragTo(day('2026-03-19'));
    await page.getByText('Due on of Ada is changed').waitFor();
    await day('2026-03-19').locator('button:not([aria-busy])', { hasText: 'Ada' }).focus();
    await page.keyboard.press('Shift+ArrowDown');
    await day('2026-03-26').locator('button:not([aria-busy])', { hasText: 'Ada' }).waitFor();
    expect(await stored('Ada')).toMatchObject({ due_on: '2026-03-26' });
    await page.getByRole('button', { name: 'The month after' }).click();
    await day('2026-04-15').getByRole('button', { name: 'Cleo' }).click();
    await page.getByRole('region', { name: 'Open record' }).getByRole('heading', { name: 'Cleo' }).waitFor();
    expect(new URL(page.url()).searchParams.get('at')).toBe('2026-04-01');
    expect(problems).toEqual([]);
  });

  it('is a list of days on a phone', async () => {
    const { page } = await open('shape=calendar&at=2026-04-10', { viewport: PHONE, colorScheme: 'dark' });
    await page.getByRole('heading', { name: /15 Apr/ }).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(PHONE.width);
  });
});

describe('a chart', () => {
  it('draws a figure of each group, has it as a table, leads to the records, and is kept in a view', async () => {
    const { page, problems } = await open('shape=chart&group=due_on');
    await page.getByRole('row', { name: /March 2026/ }).waitFor();
    await page.getByLabel('What is measured').selectOption('sum:amount');
    await page.getByRole('row', { name: /March 2026\s+30.5/ }).waitFor();
    await page.locator('canvas').waitFor();
    expect(await axeProblems(page)).toEqual([]);

    await page.getByRole('button', { name: 'Save or change views' }).click();
    await page.getByRole('menuitem', { name: 'Save as a new view' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Income');
    await page.getByRole('button', { name: 'Save the view' }).click();
    await page.getByRole('button', { name: 'Income', pressed: true }).waitFor();
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await page.getByRole('grid').waitFor();
    await page.getByRole('button', { name: 'Income' }).click();
    await page.getByRole('row', { name: /April 2026\s+5/ }).waitFor();
    await page.getByRole('button', { name: 'April 2026' }).click();
    await page.getByRole('gridcell', { name: 'Cleo', exact: true }).waitFor();
    await page.locator('footer').getByText('1 record').waitFor();
    expect(problems).toEqual([]);
  });
});

describe('a fault while a record is moved', () => {
  it('leaves it where it was, says what to do, and the move is made after a log-in', async () => {
    const { page } = await open('shape=board');
    const move = async () => {
      await card(page, 'Cleo').focus();
      await page.keyboard.press('Shift+ArrowRight');
    };
    const told = column(page, 'sent').getByRole('alert');
    await card(page, 'Cleo').waitFor();
    await failing(page, '**/execute/**', BUSY);
    await move();
    await told.getByText('Not now. Try again in 30 s.').waitFor();
    await failing(page, '**/execute/**', 'dead');
    await move();
    await told.getByText('The server does not answer. Nothing that you typed is lost.').waitFor();
    await page.unrouteAll();
    await endSession(user);
    await move();
    await logInAgain(page, user);

    await column(page, 'paid').getByText('Cleo').waitFor();
  });
});
