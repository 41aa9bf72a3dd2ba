import { call, dataOf, execute } from '../support/api.ts';
import { runIs, startRun } from '../support/automations.ts';
import { axeInBothThemes, openConsoleAs, PHONE } from '../support/browser.ts';
import { Receiver } from '../support/receiver.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

let tenant: TestTenant;
let boss: TestUser;
let sales: TestUser;

beforeAll(async () => {
  tenant = await newTenant();
  boss = await newUser(['PLATFORM_ADMIN'], tenant);
  sales = await newUser(['SALES'], tenant);
});

const newLead = async (name: string) =>
  dataOf(await execute(boss.token, 'crm:create_lead', { payload: { name, amount: '1' } }));

describe('webhooks in the console', () => {
  it('are made with a look at recent events; a failure is followed to its attempt, mended and recovered', async () => {
    const receiver = await Receiver.start();
    receiver.answer = () => ({ status: 500, body: 'out of order', headers: { 'x-request-id': 'r-1' } });
    await newLead('Before');
    const { page, problems } = await openConsoleAs(boss, '/operate/webhooks');
    await page.getByText('No webhook yet').waitFor();
    await page.keyboard.press('c');
    const form = page.getByRole('dialog', { name: 'New webhook' });
    await form.getByLabel('Name').fill('To the warehouse');
    await form.getByLabel('Endpoint').fill(receiver.urlOf('hook'));
    await form.getByLabel('Event').fill('crm:create_lead');
    await form.getByLabel('Only when').fill("result.name == 'Ada'");
    await form.getByText('Of the newest 1 events it would hear 0.').waitFor();
    await form.getByText('Retries, speed and order').click();
    await form.getByLabel('Retries').fill('0');
    expect(await axeInBothThemes(page)).toEqual([]);
    await form.getByRole('button', { name: 'Make the webhook' }).click();
    const secret = page.getByRole('dialog', { name: 'The secret, shown once' });
    expect(await secret.locator('pre').innerText()).toMatch(/^whsec_/);
    await secret.getByRole('button', { name: 'I have kept it' }).click();

    await newLead('Ada');
    await page.getByRole('link', { name: 'Deliveries', exact: true }).click();
    const row = page.getByRole('row').filter({ hasText: 'crm:create_lead' });
    await row.getByText('Failed').waitFor();
    await row.getByText('1 of 1').waitFor();
    await row.getByRole('link').click();
    const panel = page.getByRole('region', { name: 'crm:create_lead' });
    await panel.getByText('out of order').waitFor();
    await panel.getByText('Headers').nth(1).click();
    await panel.getByText('r-1').waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
    await panel.getByRole('link', { name: /^Trace/ }).click();
    await page.getByRole('link', { name: '1 attempt', exact: true }).waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
    await page.getByRole('link', { name: '1 attempt', exact: true }).click();

    receiver.answer = () => ({ status: 200 });
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
    await page.getByRole('link', { name: 'To the warehouse' }).click();
    await page.getByRole('button', { name: 'More for To the warehouse' }).click();
    await page.getByRole('menuitem', { name: 'Recover what failed' }).click();
    await page.getByRole('button', { name: 'Send 1 delivery again' }).click();
    await page.getByRole('region', { name: 'Recoveries' }).getByText('1 / 1').waitFor();
    await page.getByRole('link', { name: 'Deliveries', exact: true }).click();
    await row.getByText('Delivered').waitFor();

    expect(receiver.received).toHaveLength(2);
    expect(problems).toEqual([]);
  });

  it('are worked with by the keyboard alone, on a phone, in Chinese', async () => {
    const { page, problems } = await openConsoleAs(boss, '/operate/deliveries', { viewport: PHONE, locale: 'zh-CN' });
    const link = page.getByRole('link', { name: 'crm:create_lead' }).first();
    await link.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'crm:create_lead' }).getByText('已送达').waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('region', { name: 'crm:create_lead' }).waitFor({ state: 'detached' });

    await link.and(page.locator(':focus')).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(PHONE.width);
    expect(problems).toEqual([]);
  });
});

describe('runs in the console', () => {
  it('follow lead_follow_up from step to step, and let who is asked decide', async () => {
    const lead = await newLead('Ben');
    const { runPid } = (await startRun(sales.token, 'lead_follow_up', { leadPid: lead.pid })).body.data;
    await runIs(sales.token, runPid, ['WAITING']);
    const { page, problems } = await openConsoleAs(sales, `/operate/runs/${runPid}`);
    const waits = page.getByRole('region', { name: 'What it waits for' });
    await waits.getByText('Contact Ben?').waitFor();
    await page.getByRole('region', { name: 'Steps' }).getByText('task', { exact: true }).waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
    await waits.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('main').locator('dd').getByText('Done').waitFor();
    await waits.waitFor({ state: 'detached' });

    expect((await call(`/api/dynamic/leads/${lead.pid}`, { token: boss.token })).body.data.status).toBe('open');
    expect(problems).toEqual([]);
  });

  it('and executions are listed with filters in the address, each with its result', async () => {
    const { page, problems } = await openConsoleAs(boss, '/operate/executions?state=SUCCEEDED');
    await page.getByRole('link', { name: 'crm:create_lead' }).first().click();
    const panel = page.getByRole('region', { name: 'crm:create_lead' });
    await panel.getByText('Done').waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
    await page.keyboard.press('j');
    await page.getByRole('button', { name: 'Remove the filter State' }).click();
    await page.waitForURL(({ searchParams }) => !searchParams.has('state'));

    expect(problems).toEqual([]);
  });
});

describe('the health of the service in the console', () => {
  it('shows operators its parts, nodes and queues, and is not there for others', async () => {
    const { page, problems } = await openConsoleAs(boss, '/operate/health');
    await page.getByRole('region', { name: 'Parts' }).getByText('Postgres').waitFor();
    await page.getByRole('region', { name: 'Nodes' }).getByRole('row').nth(1).waitFor();
    await page.getByRole('region', { name: 'Queues' }).getByText('Open circuits').waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
    const other = await openConsoleAs(sales, '/work');
    await other.page.getByRole('navigation').getByRole('link', { name: 'My work' }).waitFor();

    expect(await other.page.getByRole('navigation').getByRole('link', { name: 'Health' }).count()).toBe(0);
    expect([...problems, ...other.problems]).toEqual([]);
  });
});
