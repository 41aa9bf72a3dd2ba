import type { Page } from 'playwright-core';
import { dataOf, execute, list } from '../support/api.ts';
import { newAutomation, runIs, startRun } from '../support/automations.ts';
import { AWAY, BUSY, endSession, failing } from '../support/browser.ts';
import {
  choose,
  giveFile,
  goOnByKeys,
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
import { newRole } from '../support/models.ts';
import { newTenant, newUser, PASSWORD, type TestTenant, type TestUser } from '../support/world.ts';

let tenant: TestTenant;
let user: TestUser;

beforeEach(async () => {
  tenant = await newTenant();
  user = await newUser(['PLATFORM_ADMIN'], tenant);
});

const createLead = async (payload: object, by = user) =>
  dataOf(await execute(by.token, 'crm:create_lead', { payload }));
const leads = async () => dataOf(await list(user.token, 'leads', { sortField: 'name', sortOrder: 'asc' })).records;
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });
/** Opens a record of the list that is shown. */
async function openRecord(page: Page, { width }: Reader, name: string): Promise<void> {
  await inList(page, name).waitFor();
  if (width < 720) return pressOn(page, inList(page, name));
  await reach(page, page.getByRole('grid'));
  const row = await page.getByRole('row').filter({ hasText: name }).getAttribute('aria-rowindex');
  // The first one is that of the columns' names.
  await press(page, 'Control+Home', ...Array.from({ length: Number(row) - 2 }, () => 'ArrowDown'), 'Enter');
}

describe.each(READERS)('by the keyboard alone, in $locale at $width pixels', (reader) => {
  const { t } = reader;

  it('people find their way on a slow network', async () => {
    const other = await newTenant();
    user = await newUser(['SALES'], tenant, other);
    await createLead({ name: 'Zenobia' });
    const { page, problems } = await openByKeys(reader, user, '/');
    const network = await page.context().newCDPSession(page);
    const slow = { offline: false, latency: 400, downloadThroughput: 250_000, uploadThroughput: 100_000 };
    await network.send('Network.emulateNetworkConditions', slow);
    await press(page, 'Control+k');
    await page.getByRole('combobox').waitFor();
    await page.keyboard.type('zenobia');
    await page.getByRole('option', { name: /Zenobia/ }).waitFor();
    await press(page, 'Enter');
    await heading(page, 'Zenobia').waitFor();
    await press(page, 'Escape');
    await goTo(page, reader, 'Deals');
    await heading(page, 'Deals').waitFor();
    await goTo(page, reader, 'Leads');
    await inList(page, 'Zenobia').waitFor();
    await pickFrom(
      page,
      button(page, t('Tenant: {name}', { name: tenant.name })),
      page.getByRole('menuitemradio', { name: other.name }),
    );
    await heading(page, t('There is nothing on this page yet')).waitFor();
    const account = button(page, t('Account of {name}', { name: user.email }));
    await pickFrom(page, account, page.getByRole('menuitemradio', { name: t('Dark') }));
    await page.locator('html[data-theme=dark]').waitFor();
    await pickFrom(page, account, page.getByRole('menuitem', { name: t('Log out') }));
    await heading(page, t('Log in to Keelson')).waitFor();
    expect(problems).toEqual([]);
  });

  it('they read what a filter finds, in groups and as a view, though the node is busy in between', async () => {
    for (const [name, status] of [
      ['Ada', 'new'],
      ['Ben', 'open'],
      ['Cleo', 'won'],
    ]) {
      await createLead({ name, status });
    }
    const { page, problems } = await openByKeys(reader, user, '/pages/leads');
    await inList(page, 'Ada').waitFor();
    await failing(page, '**/api/dynamic/leads/list*', BUSY);
    await pressOn(page, button(page, t('Filter')));
    await choose(page, page.getByLabel(t('Field')), 'Status');
    await reach(page, page.getByRole('checkbox', { name: 'open' }));
    await press(page, ' ');
    await reach(page, page.getByRole('checkbox', { name: 'won' }));
    await press(page, ' ');
    await pressOn(page, button(page, t('Add the filter')));
    await page.getByText(t('Try again in {seconds} s.', { seconds: '30' })).waitFor();
    await page.unrouteAll();
    await pressOn(page, button(page, t('Try again')));
    await inList(page, 'Cleo').waitFor();
    await inList(page, 'Ada').waitFor({ state: 'detached' });
    await pickFrom(page, button(page, t('Group')), page.getByRole('menuitemradio', { name: 'Status' }));
    await page.waitForURL(/group=status/);
    await pickFrom(
      page,
      button(page, t('Save or change views')),
      page.getByRole('menuitem', { name: t('Save as a new view') }),
    );
    await typeIn(page, page.getByRole('dialog').getByLabel(t('Name')), 'Not new');
    await press(page, 'Enter');
    await pressOn(page, button(page, t('All')));
    await inList(page, 'Ada').waitFor();
    await pressOn(page, button(page, 'Not new'));
    await inList(page, 'Ada').waitFor({ state: 'detached' });
    await press(page, '/');
    await page.keyboard.type('Ben');
    await inList(page, 'Cleo').waitFor({ state: 'detached' });
    await inList(page, 'Ben').waitFor();
    expect(new URL(page.url()).searchParams.get('q')).toBe('Ben');
    expect(problems).toEqual([]);
  });

  it('they look closely at a record, though the node is away in between', async () => {
    const account = dataOf(await execute(user.token, 'crm:create_account', { payload: { name: 'Acme' } }));
    const { pid } = await createLead({ name: 'Ada', amount: '1', account: account.pid });
    await createLead({ name: 'Ben' });
    await execute(user.token, 'crm:update_lead', { targetRecordId: pid, payload: { amount: '2' } });
    const { page, problems } = await openByKeys(reader, user, '/pages/leads?sort=name');
    await failing(page, `**/api/dynamic/leads/${pid}/history*`, AWAY);
    await openRecord(page, reader, 'Ada');
    await heading(page, 'Ada').waitFor();
    const panel = page.getByRole('region', { name: t('Open record') });
    await pressOn(page, panel.getByRole('tab', { name: t('History') }));
    await panel.getByRole('button', { name: t('Try again') }).waitFor();
    await page.unrouteAll();
    await pressOn(page, panel.getByRole('button', { name: t('Try again') }));
    await panel.getByText('1 → 2').waitFor();
    // What it refers to is told by its name.
    await panel.getByRole('definition').getByText('Acme', { exact: true }).waitFor();
    await pressOn(page, panel.getByRole('button', { name: t('What it has caused') }).first());
    await panel.getByText('crm:update_lead').first().waitFor();
    await pressOn(page, panel.getByRole('button', { name: t('Restore this state') }));
    await panel.getByText('2 → 1').waitFor();
    await pressOn(page, panel.getByRole('tab', { name: t('Fields') }), 'Shift+Tab');
    await panel.getByRole('definition').getByText(user.email, { exact: true }).first().waitFor();
    expect((await leads())[0]).toMatchObject({ amount: '1', version: 3 });
    await pressOn(page, panel.getByRole('button', { name: t('More commands') }), 'Shift+Tab');
    await page.getByRole('menuitem', { name: 'Convert a lead' }).waitFor();
    await press(page, 'Escape', 'Escape');
    await panel.waitFor({ state: 'detached' });
    // The focus is where it came from.
    await page.getByRole('grid').or(inList(page, 'Ada')).and(page.locator(':focus')).waitFor();
    await openRecord(page, reader, 'Ben');
    await heading(page, 'Ben').waitFor();
    expect(problems).toEqual([]);
  });

  it('they change what someone else has changed meanwhile', async () => {
    const ben = await newUser(['PLATFORM_ADMIN'], tenant);
    const { page, problems } = await openByKeys(reader, user, '/pages/leads');
    await heading(page, t('There is nothing on this page yet')).waitFor();
    await press(page, 'c');
    const form = page.getByRole('dialog', { name: 'Create a lead' });
    await typeIn(page, form.getByLabel('Email'), 'nobody');
    await press(page, 'Enter');
    await form.locator('[aria-invalid=true]').first().waitFor();
    await typeIn(page, form.getByLabel('Name'), 'Ada');
    await typeIn(page, form.getByLabel('Email'), 'ada@test.example');
    await choose(page, form.getByLabel('Status'), 'open');
    await pressOn(page, form.getByRole('button', { name: 'Create a lead' }));
    await openRecord(page, reader, 'Ada');
    const panel = page.getByRole('region', { name: t('Open record') });
    await panel.getByRole('button', { name: t('Edit') }).waitFor();
    await press(page, 'e');
    await typeIn(page, panel.getByLabel('Phone'), 'mine');
    await typeIn(page, panel.getByLabel('Amount'), '2');
    const [{ pid }] = await leads();
    const payload = { amount: '3', phone: 'theirs' };
    await execute(ben.token, 'crm:update_lead', { targetRecordId: pid, payload });
    await press(page, 'Enter');
    await panel.getByRole('alert', { name: t('Changed meanwhile') }).waitFor();
    await reach(page, panel.getByRole('radio', { name: `Phone: ${t('Yours')}` }), 'Shift+Tab');
    await press(page, 'ArrowLeft');
    await panel.getByRole('radio', { name: `Phone: ${t('Theirs')}`, checked: true }).waitFor();
    await pressOn(page, button(page, t('Keep what is marked')));
    await pressOn(page, panel.getByRole('button', { name: t('Save') }));
    await panel.getByRole('button', { name: t('Save') }).waitFor({ state: 'detached' });
    expect(await leads()).toMatchObject([{ status: 'open', amount: '2', phone: 'theirs', version: 3 }]);
    await pickFrom(
      page,
      panel.getByRole('button', { name: t('More commands') }),
      page.getByRole('menuitem', { name: 'Delete a lead' }),
    );
    await pressOn(page, page.getByRole('dialog').getByRole('button', { name: /1/ }));
    await panel.waitFor({ state: 'detached' });
    const deleted = page
      .getByRole('status')
      .locator('div')
      .filter({ hasText: t('{count} record deleted', { count: '1' }) });
    await pressOn(page, deleted.getByRole('button', { name: t('Undo') }));
    await inList(page, 'Ada').waitFor();
    expect(problems).toEqual([]);
  });

  it('they bring data and take it along, though their session ends in the middle', async () => {
    user = await newUser(['SALES'], tenant);
    const { page, problems } = await openByKeys(reader, user, '/pages/leads');
    const exchange = button(page, t('Export and import'));
    await pickFrom(page, exchange, page.getByRole('menuitem', { name: t('Import a file') }));
    await giveFile(page, button(page, t('Choose a file')), 'leads.csv', ['Name,Sum', 'Ada,x', 'Ben,7', '']);
    await choose(page, page.getByLabel(t('Field for {column}', { column: 'Sum' })), 'Amount');
    await endSession(user);
    await pressOn(page, button(page, t('Try the import')));
    await goOnByKeys(page, reader, user);
    await page
      .getByRole('region', { name: t('Wrong rows') })
      .getByRole('row', { name: /Ada/ })
      .waitFor();
    await pressOn(page, button(page, t('Import {count} row', { count: '1' })));
    await pressOn(page, page.getByRole('link', { name: t('Show {page}', { page: 'Leads' }) }));
    await inList(page, 'Ben').waitFor();
    const downloading = page.waitForEvent('download');
    await pickFrom(page, exchange, page.getByRole('menuitem', { name: t('Export as CSV') }));
    const chunks = await (await (await downloading).createReadStream()).toArray();
    expect(Buffer.concat(chunks).toString()).toMatch(/Ben[^]*7/);
    expect(problems).toEqual([]);
  });

  it('they look at figures and what is behind them, though one is not there at first', async () => {
    await execute(user.token, 'crm:create_deal', {
      payload: { name: 'Big', stage: 'proposal', amount: '70', currency: 'USD' },
    });
    const { page, problems } = await openByKeys(reader, user, '/pages/leads');
    await failing(page, '**/api/dashboards/sales/tiles/pipeline*', AWAY);
    await goTo(page, reader, 'Sales');
    const tile = page.getByRole('region', { name: 'Open deals in USD', exact: true });
    await tile.getByRole('button', { name: t('Try again') }).waitFor();
    await page.unrouteAll();
    await pressOn(page, tile.getByRole('button', { name: t('Try again') }));
    await tile.getByText('70', { exact: true }).waitFor();
    await pressOn(page, button(page, t('Read the figures again')), 'Shift+Tab');
    await pressOn(page, page.getByRole('link', { name: 'Open deals', exact: true }));
    await inList(page, 'Big').waitFor();
    expect(problems).toEqual([]);
  });

  it('they decide what waits for them, though their session ends while they say why', async () => {
    const role = await newRole(['record:read:lead']);
    const approver = await newUser([role], tenant);
    const code = await newAutomation({
      name: 'Ask',
      steps: [{ id: 'ok', type: 'approval', role, message: '"Go on?"' }],
    });
    const { runPid } = dataOf(await startRun(user.token, code));
    await runIs(user.token, runPid, ['WAITING']);
    const { page, problems } = await openByKeys(reader, approver, '/pages/leads');
    await goTo(page, reader, t('My work'));
    const card = page.getByRole('article').filter({ hasText: 'Go on?' });
    await typeIn(page, card.getByLabel(t('Comment')), 'fine');
    await endSession(approver);
    await pressOn(page, card.getByRole('button', { name: t('Approve') }));
    await goOnByKeys(page, reader, approver);
    await page.getByText(t('Nothing waits for your decision.')).waitFor();
    await runIs(user.token, runPid, ['SUCCEEDED']);
    expect(problems).toEqual([]);
  });

  it('they ask the assistant and agree to what it would do, though the node is busy at first', async () => {
    const { page, problems } = await openByKeys(reader, user, '/pages/leads');
    await pressOn(page, button(page, t('Ask the assistant')));
    const panel = page.getByRole('complementary', { name: t('Assistant') });
    await reach(page, panel.getByLabel(t('Ask the assistant')));
    await failing(page, '**/api/ai/**', BUSY);
    await page.keyboard.type('run crm:create_lead {"name": "From the chat"}');
    await press(page, 'Enter');
    await panel.getByText(t('Try again in {seconds} s.', { seconds: '30' })).waitFor();
    await page.unrouteAll();
    await reach(page, panel.getByLabel(t('Ask the assistant')));
    await press(page, 'Enter');
    await pressOn(page, panel.getByRole('form').getByRole('button', { name: 'Create a lead' }), 'Shift+Tab');
    await panel.getByText(t('You agreed')).waitFor();
    await pressOn(page, panel.getByRole('button', { name: t('Close the assistant') }), 'Shift+Tab');
    await inList(page, 'From the chat').waitFor();
    expect(await leads()).toHaveLength(1);
    expect(problems).toEqual([]);
  });

  it('they look after their account, though the node is away while the password is changed', async () => {
    const { page, problems } = await openByKeys(reader, user, '/pages/leads');
    const account = button(page, t('Account of {name}', { name: user.email }));
    await pickFrom(page, account, page.getByRole('menuitem', { name: t('Account'), exact: true }));
    await typeIn(page, page.getByLabel(t('Present password')), PASSWORD);
    await typeIn(page, page.getByLabel(t('New password')), 'another-password-2');
    await failing(page, '**/api/auth/password', AWAY);
    await press(page, 'Enter');
    await page.getByRole('alert').getByText(t('Nothing that you typed is lost. Try again in a moment.')).waitFor();
    await page.unrouteAll();
    await pressOn(page, button(page, t('Change the password')));
    await page.getByText(t('Your password is changed. Your other sessions have ended.')).waitFor();
    await choose(page, page.getByLabel(t('Time zone')), 'Asia/Tokyo');
    // It is taken when the field is left.
    await press(page, 'Tab');
    await page.getByText(/GMT\+9|Japan|日本/).waitFor();
    const languages = page.getByLabel(t('Language'));
    const [key, other] = reader.locale === 'zh-CN' ? ['ArrowUp', 'en'] : ['ArrowDown', 'zh-CN'];
    await reach(page, languages);
    await press(page, key);
    // A key only passes by.
    expect(await languages.inputValue()).toBe(other);
    await press(page, 'Tab');
    await page.locator(`html[lang="${other}"]`).waitFor();
    expect(problems).toEqual([]);
  });
});
