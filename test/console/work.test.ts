import type { Page } from 'playwright-core';
import { call, dataOf, execute } from '../support/api.ts';
import { act, newAutomation, runIs, startRun } from '../support/automations.ts';
import { AWAY, axeProblems, failing, openConsoleAs, PHONE } from '../support/browser.ts';
import { newRole } from '../support/models.ts';
import { startOwnNode } from '../support/own-node.ts';
import { newAdmin, newUnits, renamePage } from '../support/promotions.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

let tenant: TestTenant;
let boss: TestUser;

beforeAll(async () => {
  // Environments are locked, and policies change.
  await startOwnNode('work');
  tenant = await newTenant();
  boss = await newUser(['PLATFORM_ADMIN'], tenant);
});

const newLead = async (name: string) =>
  dataOf(await execute(boss.token, 'crm:create_lead', { payload: { name, amount: '1' } }));
const tray = (page: Page) => page.getByRole('dialog', { name: 'Activity' });

/** Has executions of a command answered as those that take long are. */
async function slowly(page: Page): Promise<void> {
  await page.route('**/api/meta/commands/execute/*', (route) =>
    route.continue({ headers: { ...route.request().headers(), prefer: 'respond-async' } }),
  );
}

describe('the activity tray', () => {
  it('takes a command that takes long, tells its end on another page, and takes it back', async () => {
    const lead = await newLead('Slow');
    const { page, problems } = await openConsoleAs(boss, `/pages/leads?open=${lead.pid}&run=crm:update_lead`);
    await slowly(page);
    await page.getByLabel('Amount').fill('2');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Update a lead goes on. The tray at the top shows how it stands.').waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Deals' }).click();
    await page.getByRole('button', { name: /^Activity/ }).click();
    const line = tray(page).getByRole('listitem').filter({ hasText: 'Update a lead' }).first();
    await line.getByText('Done').waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await page.unrouteAll();
    await line.getByRole('button', { name: 'Undo Update a lead' }).click();
    await page.getByText('It is as it was.').waitFor();
    await tray(page).getByText('A change taken back').waitFor();

    const { data } = (await call(`/api/dynamic/leads/${lead.pid}`, { token: boss.token })).body;
    expect(data).toMatchObject({ amount: '1', version: 3 });
    expect(problems).toEqual([]);
  });

  it('is there after a log-in, does not undo what has changed since, and brings deleted records back', async () => {
    const lead = await newLead('Gone');
    await execute(boss.token, 'crm:update_lead', { targetRecordId: lead.pid, payload: { amount: '5' } });
    await execute(boss.token, 'crm:update_lead', { targetRecordId: lead.pid, payload: { amount: '6' } });
    const { page } = await openConsoleAs(boss, '/pages/leads');
    await page.getByRole('button', { name: /^Activity/ }).click();
    const updates = tray(page).getByRole('button', { name: 'Undo Update a lead' });
    await updates.nth(1).click();
    await page.getByText('It has changed again since. Its history has all versions.').waitFor();

    await execute(boss.token, 'crm:delete_lead', { targetRecordId: lead.pid });
    await page.reload();
    await page.getByRole('button', { name: /^Activity/ }).click();
    await tray(page).getByRole('button', { name: 'Undo Delete a lead' }).first().click();
    await page.getByText('It is as it was.').waitFor();
    expect((await call(`/api/dynamic/leads/${lead.pid}`, { token: boss.token })).status).toBe(200);
  });
});

describe('my work', () => {
  it('shows what waits for me with what it is about, and lets me decide there', async () => {
    const role = await newRole(['record:read:lead']);
    const approver = await newUser([role], tenant);
    const lead = await newLead('Ada');
    const code = await newAutomation({
      name: 'Contact a lead',
      input: [{ code: 'leadPid', name: 'Lead', type: 'relation', target: 'lead', required: true }],
      steps: [{ id: 'ok', type: 'approval', role, message: '"Contact Ada?"' }],
    });
    const start = async () => (await startRun(boss.token, code, { leadPid: lead.pid })).body.data.runPid as string;
    const runs: string[] = [];
    while (runs.length < 2) {
      const run = await start();
      // They stand in the order in which they began to wait.
      await runIs(boss.token, run, ['WAITING']);
      runs.push(run);
    }
    const { page, problems } = await openConsoleAs(approver, '/work');
    await page.getByRole('heading', { name: 'Contact Ada?' }).nth(1).waitFor();
    await page.getByRole('link', { name: 'Ada', exact: true }).nth(1).waitFor();
    expect(await page.getByRole('navigation').getByTitle('Waiting for me').innerText()).toBe('2');
    expect(await axeProblems(page)).toEqual([]);
    const first = page.getByRole('article').first();
    await first.getByLabel('Comment').fill('fine');
    await failing(page, '**/api/automations/runs/**', AWAY);
    await first.getByRole('button', { name: 'Approve' }).click();
    await first.getByRole('alert').getByText('Try again in a moment.').waitFor();
    expect(await first.getByLabel('Comment').inputValue()).toBe('fine');
    await page.unrouteAll();
    await first.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('article').nth(1).waitFor({ state: 'detached' });
    await page.getByRole('article').getByRole('button', { name: 'Reject' }).click();
    await page.getByText('Nothing waits for your decision.').waitFor();

    await runIs(boss.token, runs[0] ?? '', ['SUCCEEDED']);
    await runIs(boss.token, runs[1] ?? '', ['FAILED', 'CANCELLED']);
    expect(problems).toEqual([]);
  });

  it('names the records that it is about by one request', async () => {
    const role = await newRole(['record:read:lead']);
    const approver = await newUser([role], tenant);
    const code = await newAutomation({
      input: [{ code: 'leadPid', name: 'Lead', type: 'relation', target: 'lead', required: true }],
      steps: [{ id: 'ok', type: 'approval', role, message: '"Call?"' }],
    });
    for (const name of ['Dora', 'Emil', 'Finn']) {
      const { pid } = await newLead(name);
      await runIs(boss.token, (await startRun(boss.token, code, { leadPid: pid })).body.data.runPid, ['WAITING']);
    }
    const { page } = await openConsoleAs(approver, '/account');
    const requests: string[] = [];
    page.on('request', (request) => request.url().includes('/api/dynamic/leads') && requests.push(request.url()));
    await page.getByRole('navigation').getByRole('link', { name: 'My work' }).click();
    for (const name of ['Dora', 'Emil', 'Finn']) await page.getByRole('link', { name, exact: true }).waitFor();

    expect(requests).toHaveLength(1);
  });

  it('says of a plan what has to be done first where something has changed since', async () => {
    const [creator, other] = [await newAdmin(tenant), await newAdmin(tenant)];
    const { units, code } = await newUnits([{ code: 'name', name: 'Name', type: 'string' }]);
    const pid = await creator.validated(units);
    await renamePage(code, 'Renamed since');
    const { page, problems } = await openConsoleAs(other.user, '/work');

    const plan = page.getByRole('article').filter({ hasText: `Models: ${code}` });
    await plan.getByText('It has changed since the plan was sealed: it must be planned anew first.').waitFor();
    expect(await plan.getByRole('button').count()).toBe(0);
    expect(problems).toEqual([]);
    await creator.act(pid, 'cancel');
  });

  it('asks a second person to agree to a plan, and to unlock its environment', async () => {
    const [creator, other] = [await newAdmin(tenant), await newAdmin(tenant)];
    const { units, code } = await newUnits([{ code: 'name', name: 'Name', type: 'string' }]);
    const pid = await creator.validated(units);
    await creator.post('/admin/environments/staging/lock', { reason: 'audit week' });
    await creator.post('/admin/environments/staging/unlock', { reason: 'it is over' });
    const { page, problems } = await openConsoleAs(other.user, '/work');
    const unlock = page.getByRole('article').filter({ hasText: 'it is over' });
    await unlock.getByText('Locked because of: audit week').waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await unlock.getByRole('button', { name: 'Unlock staging' }).click();
    await unlock.getByText('Say why').waitFor();
    await unlock.getByLabel('Reason').fill('agreed');
    await unlock.getByRole('button', { name: 'Unlock staging' }).click();
    await unlock.waitFor({ state: 'detached' });
    const plan = page.getByRole('article').filter({ hasText: `Models: ${code}` });
    await plan.getByText('1 table changes.').waitFor();
    await plan.getByRole('button', { name: /^Approve plan \w{6} for staging/ }).click();
    await plan.waitFor({ state: 'detached' });

    expect((await creator.promotion(pid)).body.data.approvals).toMatchObject([
      { userPid: other.user.pid, valid: true },
    ]);
    const third = await openConsoleAs((await newAdmin(tenant)).user, '/work');
    await third.page.getByRole('region', { name: 'Waiting for me' }).locator('p').first().waitFor();
    expect(await third.page.getByRole('article').filter({ hasText: code }).count()).toBe(0);
    await creator.act(pid, 'cancel');
    const policy = (selfApprove: boolean) =>
      creator.patch('/admin/environments/prod', { approvalPolicy: { selfApprove }, reason: 'one is enough' });
    await policy(true);
    await page.reload();
    const rule = page.getByRole('article').filter({ hasText: 'one is enough' });
    await rule.getByText('Creators may approve: No → Yes').waitFor();
    await rule.getByLabel('Reason').fill('agreed');
    await rule.getByRole('button', { name: 'Change it for prod' }).click();
    await rule.waitFor({ state: 'detached' });
    expect((await policy(false)).body.data).toMatchObject({
      approvalPolicy: { selfApprove: false },
      pendingPolicy: null,
    });
    expect(problems).toEqual([]);
  });

  it('asks an administrator of a tenant about nothing that all tenants share', async () => {
    const { page, problems } = await openConsoleAs(await newUser(['ADMIN'], await newTenant()), '/work');
    await page.getByText('Nothing waits for your decision.').waitFor();
    expect(problems).toEqual([]);
  });

  it('shows the runs that I started, live, on a phone, too', async () => {
    const role = await newRole([]);
    const approver = await newUser([role], tenant);
    const code = await newAutomation({ name: 'Later', steps: [{ id: 'ok', type: 'approval', role, message: '"?"' }] });
    const starter = await newUser(['PLATFORM_ADMIN', role], tenant);
    const { runPid } = (await startRun(starter.token, code)).body.data;
    await runIs(starter.token, runPid, ['WAITING']);
    const { page, problems } = await openConsoleAs(starter, '/work', { viewport: PHONE, locale: 'zh-CN' });
    const runs = page.getByRole('region', { name: '我发起的流程' });
    const line = runs.getByRole('listitem').filter({ hasText: 'Later' });
    await line.getByText('等待中').waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await page.getByRole('article').waitFor();
    await act(approver.token, runPid, 'approve', { approved: true });
    await line.getByText('已完成').waitFor();
    // What another has decided asks for no decision any more, before the next look a minute later.
    await page.getByRole('article').waitFor({ state: 'detached', timeout: 30_000 });

    expect(problems).toEqual([]);
  });
});
