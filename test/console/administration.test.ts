import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { call, dataOf } from '../support/api.ts';
import { axeProblems, openConsoleAs, PHONE } from '../support/browser.ts';
import { until } from '../support/faults.ts';
import { changeModel, name as nameField, newCode, newModel, size } from '../support/models.ts';
import { runSql } from '../support/platform.ts';
import { newAdmin, type Admin } from '../support/promotions.ts';
import { newTenant, newUser } from '../support/world.ts';

let admin: Admin;

beforeAll(async () => {
  admin = await newAdmin();
  // More than a page of a list has.
  for (let count = 0; count <= 50; count += 1) await newTenant();
});

const dialog = (page: Page) => page.getByRole('dialog');
const unique = () => Math.random().toString(36).slice(2, 10);

describe('the administration of accounts', () => {
  it('are looked for in the address, a number without quotes', async () => {
    const { page, problems } = await openConsoleAs(admin.user, '/users');
    await page.getByRole('searchbox').fill('2026');
    await page.waitForURL(/\/users\?q=2026$/);
    await page.reload();
    expect(await page.getByRole('searchbox').inputValue()).toBe('2026');
    expect(problems).toEqual([]);
  });

  it('makes a user with roles, changes them, and shows what is wrong at its field', async () => {
    const { page, problems } = await openConsoleAs(admin.user, '/users');
    const email = `${unique()}@example.com`;
    await page.getByRole('button', { name: 'New user' }).click();
    await dialog(page)
      .getByLabel('E-mail')
      .fill(`${'x'.repeat(65)}@example.com`);
    await dialog(page).getByLabel('Name').fill('Grace Hopper');
    await dialog(page).getByRole('checkbox', { name: 'ADMIN', exact: true }).check();
    await dialog(page).getByRole('button', { name: 'Make the user' }).click();
    await dialog(page).getByText('must be an e-mail', { exact: true }).waitFor();
    await dialog(page).getByLabel('E-mail').fill(email);
    expect(await axeProblems(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await dialog(page).waitFor({ state: 'detached' });

    await page.getByLabel('Name or e-mail').fill(email);
    const row = page.getByRole('listitem').filter({ hasText: email });
    await row.getByText('ADMIN').waitFor();
    await row.getByRole('button', { name: 'Change Grace Hopper' }).click();
    await dialog(page).getByLabel('State').selectOption('disabled');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await row.getByText('Disabled').waitFor();
    expect(new URL(page.url()).searchParams.get('q')).toBe(email);
    expect(problems).toEqual([]);
  });

  it('lets an administrator of one tenant change what someone of several may do there, and take them out', async () => {
    const [own, elsewhere] = [await newTenant(), await newTenant()];
    const boss = await newUser(['ADMIN'], own);
    const both = await newUser(['VIEWER'], own, elsewhere);
    const { page, problems } = await openConsoleAs(boss, '/users');
    const row = page.getByRole('listitem').filter({ hasText: both.email });
    // Roles are told by their names.
    await row.getByText(`${own.name}: Viewer`, { exact: true }).waitFor();
    await row.getByRole('button', { name: `Change ${both.email}` }).click();
    await dialog(page).getByRole('checkbox', { name: 'Sales' }).check();
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await row.getByText(`${own.name}: Viewer, Sales`, { exact: true }).waitFor();
    await row.getByRole('button', { name: `Change ${both.email}` }).click();
    await dialog(page)
      .getByRole('button', { name: `Take out of ${own.name}` })
      .click();
    expect(await axeProblems(page)).toEqual([]);
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await row.waitFor({ state: 'detached' });

    await page.getByRole('button', { name: `Change ${boss.email}` }).click();
    await dialog(page).getByText('Another administrator changes your state and roles.').waitFor();
    await dialog(page).getByLabel('Name').fill('Grace Hopper');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Change Grace Hopper' }).waitFor();
    const { memberships } = dataOf(await admin.get(`/admin/users/${both.pid}`));
    expect(memberships).toMatchObject([{ tenantName: elsewhere.name, roles: ['VIEWER'] }]);
    expect(problems).toEqual([]);
  });

  it('adds someone to the tenant that is chosen by keys, not to those that are passed', async () => {
    const { page, problems } = await openConsoleAs(admin.user, '/users');
    await page.getByRole('button', { name: 'New user' }).click();
    const others = dialog(page).getByLabel('Another tenant');
    await others.press('ArrowDown');
    await others.press('ArrowDown');
    const chosen = await others.locator('option:checked').innerText();
    expect(await dialog(page).getByRole('group').count()).toBe(1);
    await others.press('Enter');
    await dialog(page)
      .getByRole('group', { name: `Roles in ${chosen}` })
      .waitFor();

    expect(await dialog(page).getByRole('group').count()).toBe(2);
    expect(problems).toEqual([]);
  });

  it('shows a key once, and takes it back', async () => {
    const { page, problems } = await openConsoleAs(admin.user, '/service-accounts');
    const name = `robot ${unique()}`;
    await page.getByRole('button', { name: 'New service account' }).click();
    await dialog(page).getByLabel('Name').fill(name);
    await page.keyboard.press('Enter');
    const row = page.getByRole('listitem').filter({ hasText: name }).first();
    await row.getByRole('button', { name: `New key of ${name}` }).click();
    await dialog(page).getByLabel('Permissions').fill('record:read:lead');
    await dialog(page).getByRole('button', { name: 'Make the key' }).click();
    await dialog(page).getByText('The key is shown only now').waitFor();
    const key = await dialog(page).getByText(/^kls_/).innerText();
    const read = () => call('/api/dynamic/leads/list', { token: key });
    expect((await read()).status).toBe(200);
    await dialog(page).getByRole('button', { name: 'I have kept it' }).click();
    await page.getByText(key).waitFor({ state: 'detached' });
    await row.getByRole('button', { name: /^Revoke/ }).click();
    await dialog(page)
      .getByRole('button', { name: /^Revoke/ })
      .click();
    await dialog(page).waitFor({ state: 'detached' });

    expect((await read()).status).toBe(401);
    expect(problems).toEqual([]);
  });

  it('suspends a tenant and lets it in again, and binds no channel that is none', async () => {
    const { page, problems } = await openConsoleAs(admin.user, '/tenants');
    const name = `Tenant ${unique()}`;
    await page.getByRole('button', { name: 'New tenant' }).click();
    await dialog(page).getByLabel('Name').fill(name);
    await page.keyboard.press('Enter');
    const row = page.getByRole('listitem').filter({ hasText: name });
    await row.getByRole('button', { name: `Suspend ${name}` }).click();
    await dialog(page)
      .getByRole('button', { name: `Suspend ${name}` })
      .click();
    await row.getByText('Suspended').waitFor();
    await row.getByRole('button', { name: `Let in ${name} again` }).click();
    await dialog(page)
      .getByRole('button', { name: `Let in ${name} again` })
      .click();
    await row.getByText('Active').waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Channels' }).click();
    await page.getByRole('button', { name: 'Bind a channel' }).click();
    await dialog(page).getByLabel('Code of the channel').fill('none');
    await dialog(page).getByRole('checkbox', { name: 'ADMIN', exact: true }).check();
    await dialog(page).getByRole('button', { name: 'Bind it' }).click();
    await dialog(page).getByRole('alert').waitFor();
    expect(problems).toEqual([]);
  });
});

describe('the environments', () => {
  it('are locked with a reason, take secrets by name, and plan what an export says', async () => {
    const { page, problems } = await openConsoleAs(admin.user, '/environments?environment=staging');
    const secret = `S_${unique().toUpperCase()}`;
    await page.getByRole('button', { name: 'Set a secret' }).click();
    await dialog(page).getByLabel('Name').fill(secret);
    await dialog(page).getByLabel('Value').fill('hush');
    await dialog(page).getByRole('button', { name: 'Set it' }).click();
    const row = page.getByRole('listitem').filter({ hasText: secret });
    await row.waitFor();
    expect(await page.getByText('hush').count()).toBe(0);
    expect(await axeProblems(page)).toEqual([]);
    await row.getByRole('button', { name: `Delete ${secret}` }).click();
    await dialog(page)
      .getByRole('button', { name: `Delete ${secret}` })
      .click();
    await row.waitFor({ state: 'detached' });

    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const path = join(tmpdir(), `${secret}.json`);
    await (await download).saveAs(path);
    await page.getByLabel('Choose an export').setInputFiles({
      name: 'staging.json',
      mimeType: 'application/json',
      buffer: readFileSync(path),
    });
    await dialog(page).getByLabel('Reason').fill('as it was');
    await dialog(page)
      .getByRole('button', { name: /^Plan \d+ resources?$/ })
      .click();
    await page.getByText('A file').waitFor();
    const pid = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    expect(dataOf(await admin.promotion(pid))).toMatchObject({ source: null, target: 'staging', appliedAt: null });
    await admin.act(pid, 'cancel');
    expect(problems).toEqual([]);
  });

  it('show what is built for their large tables, why one has failed, and build it again', async () => {
    const model = await newModel({ fields: [nameField, size] });
    await runSql(
      `insert into dev.mt_${model.code} (pid, tenant_id, created_by, updated_by, name, size)
       select 'P' || n, 7, 'x', 'x', 'twice', n from generate_series(1, 10001) n`,
    );
    await changeModel(model, { fields: [nameField, { ...size, indexed: true }] });
    const builds = async () => dataOf(await admin.get(`/meta/builds?modelCode=${model.code}`)).records;
    const isDone = async (): Promise<boolean> => {
      const found: { status: string }[] = await builds();
      return found.length > 0 && found.every(({ status }) => status === 'DONE');
    };
    await until('it is built', isDone);
    // As after a disk that was full.
    await runSql(`update platform.table_build set status = 'FAILED', failure = 'out of space' where model_code = $1`, [
      model.code,
    ]);
    const { page, problems } = await openConsoleAs(admin.user, '/environments?environment=dev');
    const shown = page.getByRole('region', { name: 'Builds of large tables' });
    const row = shown
      .getByRole('listitem')
      .filter({ hasText: `${model.code}.size` })
      .first();
    await row.getByText('out of space').waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await row.getByRole('button', { name: 'Try again' }).click();
    await row.getByText('Done').waitFor();

    expect(await builds()).toContainEqual(expect.objectContaining({ status: 'DONE', failure: null }));
    expect(problems).toEqual([]);
  });

  it('list more builds than a page has, page by page, with the page in the address', async () => {
    const code = newCode();
    await runSql(
      `insert into platform.table_build (pid, environment, model_code, field_code, kind, name, status, statement, created_at)
       select $1 || n, 'dev', $1, 'field_' || n, 'INDEX', 'ix_' || $1 || n, 'DONE', '', now() + (100 - n) * interval '1 s'
       from generate_series(1, 41) n`,
      [code],
    );
    const { page, problems } = await openConsoleAs(admin.user, '/environments?environment=dev');
    const shown = page.getByRole('region', { name: 'Builds of large tables' });
    const build = (number: number) => shown.getByText(`${code}.field_${number}`, { exact: true });
    await build(20).waitFor();
    expect(await build(21).count()).toBe(0);
    expect(await shown.getByRole('button', { name: 'Previous page' }).count()).toBe(0);
    await shown.getByRole('button', { name: 'Next page' }).click();
    await build(21).waitFor();
    await build(20).waitFor({ state: 'detached' });
    await page.waitForURL(/builds=/);
    await page.reload();
    await build(40).waitFor();
    await shown.getByRole('button', { name: 'Next page' }).click();
    await build(41).waitFor();
    await shown.getByRole('button', { name: 'Previous page' }).click();
    await build(21).waitFor();

    await runSql('delete from platform.table_build where model_code = $1', [code]);
    expect(problems).toEqual([]);
  });

  it('are in Chinese and on a phone, too', async () => {
    const { page, problems } = await openConsoleAs(admin.user, '/environments?environment=prod', {
      viewport: PHONE,
      locale: 'zh-CN',
      colorScheme: 'dark',
    });
    await page.getByText('只能通过发布更改，且须两人同意。').waitFor();
    await page.getByRole('button', { name: '更改规则' }).press('Enter');
    await dialog(page).getByLabel('所需批准数').waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });
    expect(problems).toEqual([]);
  });
});

describe('the audit trail', () => {
  it('is filtered by the address, shows before and after, and verifies its chain', async () => {
    await admin.post('/admin/environments/dev/export');
    const { page, problems } = await openConsoleAs(admin.user, '/audit?action=environment.*');
    const entry = page.getByRole('button', { name: /Environment exported/ }).first();
    await entry.press('Enter');
    await page
      .getByRole('cell', { name: /^[0-9a-f]{64}$/ })
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'All of this person' }).first().click();
    await page.waitForURL(/actor=/);
    await page.getByRole('button', { name: 'Verify the chain' }).click();
    await page.getByText(/entries, unbroken$/).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});

describe('the administration', () => {
  it('shows a tenant administrator what concerns the tenant alone', async () => {
    const own = await newUser(['ADMIN'], admin.tenant);
    const { page } = await openConsoleAs(own, '/users');
    const navigation = page.getByRole('navigation', { name: 'Navigation' });
    await navigation.getByRole('link', { name: 'Service accounts' }).waitFor();
    await page.getByRole('listitem').filter({ hasText: own.email }).waitFor();
    for (const name of ['Environments', 'Tenants', 'Audit trail', 'Promotions']) {
      expect(await navigation.getByRole('link', { name }).count()).toBe(0);
    }
    await navigation.getByRole('link', { name: 'My work' }).click();
    await page.getByText('Nothing waits for your decision.').waitFor();
  });
});
