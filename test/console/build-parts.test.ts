import type { Page } from 'playwright-core';
import { call, dataOf, execute } from '../support/api.ts';
import { runIs, startRun } from '../support/automations.ts';
import { axeInBothThemes, openConsoleAs } from '../support/browser.ts';
import type { ConsoleText } from '../support/console-texts.ts';
import { until } from '../support/faults.ts';
import { byKeyboard, byMouse, type Hand } from '../support/hand.ts';
import { newCode, save } from '../support/models.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

const HANDS = [byMouse, byKeyboard];

let tenant: TestTenant;
let author: TestUser;

beforeEach(async () => {
  tenant = await newTenant();
  author = await newUser(['PLATFORM_ADMIN', 'SALES'], tenant);
});

const newLead = async (payload: object) => dataOf(await execute(author.token, 'crm:create_lead', { payload }));
const open = (path: string, { locale }: Hand) => openConsoleAs(author, path, { locale });
const editorOf = (page: Page, code: string, { t }: Hand) =>
  page.getByRole('textbox', { name: t('{code} as YAML', { code }) });

async function rewrite(page: Page, code: string, hand: Hand, from: string, to: string): Promise<void> {
  const editor = editorOf(page, code, hand);
  const text = await editor.inputValue();
  expect(text).toContain(from);
  await hand.write(editor, text.replace(from, to));
}

describe('a command', () => {
  it.each(HANDS)('has its steps as a list, and is tried on a record without writing, in $locale', async (hand) => {
    const { t, press, write } = hand;
    const lead = await newLead({ name: 'Ada', amount: '7' });
    await newLead({ name: 'Ben', amount: '1' });
    const { page, problems } = await open('/build/COMMAND/crm:convert_lead', hand);
    const steps = page.getByRole('list', { name: t('Steps') }).getByRole('listitem');
    await steps.first().waitFor();
    expect(await steps.first().innerText()).toMatch(new RegExp(`${t('creates a record')}\\s+account`));
    expect(await steps.count()).toBe(5);
    await page
      .getByRole('list', { name: t('Before it writes') })
      .getByText('record.status != "won"')
      .waitFor();

    await write(page.getByRole('searchbox', { name: t('Look for a record') }), 'Ada');
    await page
      .getByRole('combobox', { name: t('On which record') })
      .and(page.locator('select:has-text("Ada"):not(:has-text("Ben"))'))
      .waitFor();
    await write(page.getByRole('textbox', { name: 'Deal name' }), 'Big');
    await press(page.getByRole('button', { name: t('Try it without writing') }));
    const outcome = page.getByRole('status').getByText(t('It would write {count} records', { count: 4 }));
    await outcome.waitFor();
    expect(await outcome.innerText()).toContain('lead.converted');
    await page.getByText(': – → Big').first().waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);

    const { data } = (await call(`/api/dynamic/leads/${lead.pid}`, { token: author.token })).body;
    expect(data).toMatchObject({ status: 'new', version: 1 });
    expect(problems).toEqual([]);
  });

  it.each(HANDS)('has its examples tried as they are in the editor, in $locale', async (hand) => {
    const { t, press } = hand;
    const code = 'crm:convert_lead';
    const { page, problems } = await open(`/build/COMMAND/${code}`, hand);
    const button = page.getByRole('button', { name: t('Try {count} examples', { count: 3 }) });
    await press(button);
    await page
      .getByRole('status')
      .getByText(t('{count} hold', { count: 3 }))
      .waitFor();

    await rewrite(page, code, hand, 'status: \'"won"\'', 'status: \'"lost"\'');
    await press(button);
    const examples = page.getByRole('list', { name: t('Examples') });
    await examples.getByText(t('fails'), { exact: true }).first().waitFor();
    await examples
      .getByText(/result\.lead\.status/)
      .first()
      .waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it('offers what an expression may name, by the keyboard', async () => {
    const code = 'crm:update_lead';
    const { page, problems } = await open(`/build/COMMAND/${code}`, byKeyboard);
    const editor = editorOf(page, code, byKeyboard);
    await editor.focus();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('result:\n');
    await page.keyboard.type('state: rec');
    await page.getByRole('option', { name: 'record', exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.type('.');
    await page.getByRole('option', { name: 'status', exact: true }).waitFor();
    await page.keyboard.type('stat');
    await page.keyboard.press('Enter');

    expect(await editor.inputValue()).toContain('\nresult:\n  state: record.status');
    expect(problems).toEqual([]);
  });
});

describe('a data source', () => {
  it.each(HANDS)('is tried with params, and says which of them is missing, in $locale', async (hand) => {
    const { t, press, write } = hand;
    const code = newCode();
    await save('dev', {
      resourceType: 'DATASOURCE',
      code,
      content: {
        name: 'Leads of a name',
        kind: 'model',
        modelCode: 'lead',
        params: [{ code: 'wanted', name: 'Name of the lead', type: 'string', required: true }],
        fields: ['name', 'status'],
        conditions: [{ fieldName: 'name', operator: 'eq', value: '$params.wanted' }],
      },
    });
    await newLead({ name: 'Ada', amount: '1' });
    await newLead({ name: 'Ben', amount: '1' });
    const { page, problems } = await open(`/build/DATASOURCE/${code}`, hand);
    const button = page.getByRole('button', { name: t('Read its first rows') });
    await press(button);
    await page.getByRole('alert').waitFor();
    await write(page.getByRole('textbox', { name: 'Name of the lead' }), 'Ada');
    await press(button);

    const rows = page.getByRole('group', { name: t('Rows') });
    await rows.getByRole('cell', { name: 'Ada' }).waitFor();
    expect(await rows.getByRole('row').count()).toBe(2);
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await axeInBothThemes(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});

describe('an automation', () => {
  it.each(HANDS)('has a run watched on its steps, which is approved, in $locale', async (hand) => {
    const { t, press } = hand;
    const lead = await newLead({ name: 'Ada', amount: '1' });
    const { runPid } = dataOf(await startRun(author.token, 'lead_follow_up', { leadPid: lead.pid }));
    const { page, problems } = await open('/build/AUTOMATION/lead_follow_up', hand);
    const steps = page.getByRole('list', { name: t('Steps') });
    const stepOf = (id: string) =>
      steps.getByRole('listitem').filter({ has: page.locator('code', { hasText: new RegExp(`^${id}$`) }) });
    await steps.getByText(t('asks someone')).waitFor();
    await steps.getByText(t('Waiting'), { exact: true }).waitFor();
    await runIs(author.token, runPid, ['WAITING']);
    await stepOf('approval').getByText(t('Waiting'), { exact: true }).waitFor();
    await stepOf('task').getByText(t('Done'), { exact: true }).waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);

    await press(page.getByRole('link', { name: t('Open the run') }));
    const waits = page.getByRole('region', { name: t('What it waits for') });
    await waits.getByText('Contact Ada?').waitFor();
    await press(waits.getByRole('button', { name: t('Approve') }));
    await waits.waitFor({ state: 'detached' });
    await page.goBack();
    await stepOf('open').getByText(t('Done'), { exact: true }).waitFor();
    await page.getByRole('status').getByText(t('Done'), { exact: true }).waitFor();

    const { data } = (await call(`/api/dynamic/leads/${lead.pid}`, { token: author.token })).body;
    expect(data.status).toBe('open');
    expect(problems).toEqual([]);
  });
});

describe('a dashboard', () => {
  it.each(HANDS)('shows the figures of its tiles as they are in the editor, in $locale', async (hand) => {
    const code = 'sales';
    await newLead({ name: 'Ada', amount: '1', status: 'won' });
    const { page, problems } = await open(`/build/DASHBOARD/${code}`, hand);
    const tile = (title: string) => page.getByRole('region', { name: title, exact: true });
    await tile('Leads by status').getByText('1', { exact: true }).first().waitFor();
    await rewrite(page, code, hand, 'title: Leads by status', 'title: All leads');
    await tile('All leads').getByText('1', { exact: true }).first().waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);

    await rewrite(page, code, hand, 'fieldName: stage }', 'fieldName: stagg }');
    await page.getByRole('main').getByRole('alert').first().waitFor();
    expect(problems).toEqual([]);
  });
});

describe('a role', () => {
  it.each(HANDS)('is explained: why someone may do something, or not, in $locale', async (hand) => {
    const { t, press, write } = hand;
    const seller = await newUser(['SALES'], tenant);
    const { page, problems } = await open('/build/PERMISSION/SALES', hand);
    await press(page.getByRole('button', { name: t('Explain a right') }));
    const dialog = page.getByRole('dialog', { name: t('Why can someone do something, or not?') });
    await write(dialog.getByRole('searchbox', { name: t('Name or e-mail') }), seller.email);
    const asked = dialog.getByRole('combobox', { name: t('Permission') });
    await write(asked, 'record:read:lead');
    const answer = dialog.getByRole('status');
    await answer.getByText(t('{name} may, in {tenant}', { name: seller.email, tenant: tenant.name })).waitFor();
    await answer.getByText(t('grants it by {code}', { code: 'record:read:lead' })).waitFor();
    await write(asked, 'record:purge:lead');
    await answer.getByText(t('{name} may not, in {tenant}', { name: seller.email, tenant: tenant.name })).waitFor();
    await answer.getByText(t('does not grant it')).waitFor();

    expect(await axeInBothThemes(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});

describe('the form of a command', () => {
  it.each(HANDS)('changes its single values, and the text has them, in $locale', async (hand) => {
    const { t, write, choose } = hand;
    const { page, problems } = await open('/build/COMMAND/crm:convert_lead', hand);
    const form = page.getByRole('group', { name: t('As a form') });
    await choose(form.getByLabel(t('How it is carried out')), 'workflow');
    await write(form.getByLabel(new RegExp(`^${t('Name')}`)), 'Win a lead');
    await page.keyboard.press('Enter');
    const editor = editorOf(page, 'crm:convert_lead', hand);
    await until('the text has both', async () => (await editor.inputValue()).includes('name: Win a lead'));
    expect(await editor.inputValue()).toContain('execution: workflow');
    expect(await axeInBothThemes(page)).toEqual([]);
    await choose(form.getByLabel(t('How it is carried out')), '');

    await until('the default is not written', async () => !(await editor.inputValue()).includes('execution'));
    expect(problems).toEqual([]);
  });
});

describe('what is not saved yet', () => {
  it.each(HANDS)('is known to the forms of others, and is not begun twice, in $locale', async (hand) => {
    const { t, press, write, choose } = hand;
    const app = newCode();
    const { page, problems } = await open('/build/new', hand);
    const field = (label: ConsoleText) => page.getByLabel(new RegExp(`^${t(label)}( \\*)?$`));
    await write(field('Application'), app);
    await write(field('What is kept'), `Bike ${app}`);
    await write(field('Code of the model'), app);
    await press(page.getByRole('button', { name: t('Make {count} drafts', { count: 6 }) }));
    await editorOf(page, app, hand).waitFor();
    const role = `${app}_user`.toUpperCase();
    await page.goto(page.url().replace(/MODEL\/.*/, `PERMISSION/${role}`));
    await page.getByRole('checkbox', { name: t('Delete {name}', { name: `Bike ${app}` }), checked: true }).waitFor();
    await page.goto(page.url().replace(/\/PERMISSION.*/, ''));
    await press(page.getByRole('button', { name: t('New resource') }));
    const dialog = page.getByRole('dialog', { name: t('New resource') });
    await choose(dialog.getByLabel(t('Kind')), 'PERMISSION');
    await write(dialog.getByLabel(new RegExp(`^${t('Code')}`)), role);

    await dialog.getByText(t('There is one of this code')).waitFor();
    expect(problems).toEqual([]);
  });
});

describe('texts', () => {
  it.each(HANDS)('show what another language has and this one lacks, and take it, in $locale', async (hand) => {
    const { t, write } = hand;
    const app = newCode();
    const texts = (locale: string, messages: object) => {
      return { resourceType: 'I18N', code: `${app}-${locale.toLowerCase()}`, content: { app, locale, messages } };
    };
    await save(
      'dev',
      texts('en', { [`${app}.a`]: 'One', [`${app}.b`]: 'Two' }),
      texts('zh-CN', { [`${app}.a`]: '一' }),
    );
    const { page, problems } = await open(`/build/I18N/${app}-zh-cn`, hand);
    const missing = page.getByText(t('{count} text is missing in this language', { count: 1 }));
    await missing.waitFor();
    await page
      .getByRole('row')
      .filter({ hasText: `${app}.b` })
      .getByText('Two')
      .waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
    await write(page.getByRole('textbox', { name: t('Text of {key}', { key: `${app}.b` }) }), '二');
    await page.keyboard.press('Enter');
    await missing.waitFor({ state: 'detached' });

    expect(await editorOf(page, `${app}-zh-cn`, hand).inputValue()).toContain(`${app}.b: 二`);
    expect(problems).toEqual([]);
  });
});
