import { call, dataOf, execute } from '../support/api.ts';
import { runIs, startRun } from '../support/automations.ts';
import { axeInBothThemes, failing, openConsoleAs, PHONE } from '../support/browser.ts';
import type { ConsoleText } from '../support/console-texts.ts';
import { until } from '../support/faults.ts';
import { byKeyboard, byMouse } from '../support/hand.ts';
import { askForImport, endedImport } from '../support/imports.ts';
import { newRole } from '../support/models.ts';
import { Receiver } from '../support/receiver.ts';
import { createSubscription } from '../support/webhook-api.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

let tenant: TestTenant;
let boss: TestUser;
let sales: TestUser;

beforeAll(async () => {
  tenant = await newTenant();
  boss = await newUser(['PLATFORM_ADMIN'], tenant);
  sales = await newUser(['SALES'], tenant);
});

const newLead = async (name: string, by = boss) =>
  dataOf(await execute(by.token, 'crm:create_lead', { payload: { name, amount: '1' } }));

describe('webhooks in the console', () => {
  it.each([byMouse, byKeyboard])(
    'are made with a look at recent events; a failure is followed to its attempt, mended and recovered, in $locale',
    async ({ t, press, write, locale }) => {
      const user = await newUser(['PLATFORM_ADMIN'], await newTenant());
      const receiver = await Receiver.start();
      receiver.answer = () => ({ status: 500, body: 'out of order', headers: { 'x-request-id': 'r-1' } });
      await newLead('Before', user);
      const { page, problems } = await openConsoleAs(user, '/operate/webhooks', { locale });
      const navigation = page.getByRole('navigation', { name: t('Navigation') });
      await page.getByText(t('No webhook yet')).waitFor();
      await page.keyboard.press('c');
      const form = page.getByRole('dialog', { name: t('New webhook') });
      const field = (label: ConsoleText) => form.getByLabel(new RegExp(`^${t(label)}( \\*)?$`));
      await write(field('Name'), 'To the warehouse');
      await write(field('Endpoint'), receiver.urlOf('hook'));
      await write(field('Event'), 'crm:create_lead');
      await write(field('Only when'), 'result.name ==');
      await form.getByRole('status').getByText(/EOF/).waitFor();
      await write(field('Only when'), "result.name == 'Ada'");
      await form
        .getByText(t('Of the newest {looked} events it would hear {matched}.', { looked: 1, matched: 0 }))
        .waitFor();
      await press(form.locator('summary'));
      await write(field('Retries'), '0');
      expect(await axeInBothThemes(page)).toEqual([]);
      await press(form.getByRole('button', { name: t('Make the webhook') }));
      const secret = page.getByRole('dialog', { name: t('The secret, shown once') });
      expect(await secret.locator('pre').innerText()).toMatch(/^whsec_/);
      await secret.getByText(t('Give it to the receiver, which checks by it who has sent a request.')).waitFor();
      await press(secret.getByRole('button', { name: t('I have kept it') }));

      const { pid } = await newLead('Ada', user);
      await press(navigation.getByRole('link', { name: t('Deliveries'), exact: true }));
      const row = page.getByRole('row').filter({ hasText: 'crm:create_lead' });
      await row.getByText(t('Failed')).waitFor();
      await row.getByText(t('{count} of {most}', { count: 1, most: 1 })).waitFor();
      await page.goto(page.url().replace(/\/operate.*/, `/pages/leads/${pid}`));
      await press(page.getByRole('tab', { name: t('History') }));
      await press(page.getByRole('button', { name: t('What it has caused') }));
      const attempt = page.getByRole('link', { name: t('{count} attempt', { count: 1 }), exact: true });
      await page.getByRole('listitem').filter({ has: attempt }).last().getByText(t('failed')).waitFor();
      await press(attempt);
      const panel = page.getByRole('region', { name: 'crm:create_lead' });
      await panel.getByText('out of order').waitFor();
      await press(
        panel
          .locator('summary')
          .filter({ hasText: t('Headers') })
          .nth(1),
      );
      await panel.getByText('r-1').waitFor();
      expect(await axeInBothThemes(page)).toEqual([]);
      await press(panel.getByRole('link', { name: t('Trace {id}', { id: '' }) }));
      await attempt.waitFor();
      expect(await axeInBothThemes(page)).toEqual([]);
      await press(attempt);

      receiver.answer = () => ({ status: 200 });
      await press(navigation.getByRole('link', { name: t('Webhooks'), exact: true }));
      await press(page.getByRole('link', { name: 'To the warehouse' }));
      await press(page.getByRole('button', { name: t('More for {name}', { name: 'To the warehouse' }) }));
      await press(page.getByRole('menuitem', { name: t('Recover what failed') }));
      await press(page.getByRole('button', { name: t('Send {count} delivery again', { count: 1 }) }));
      await page
        .getByRole('region', { name: t('Recoveries') })
        .getByText('1 / 1')
        .waitFor();
      await press(navigation.getByRole('link', { name: t('Deliveries'), exact: true }));
      await row.getByText(t('Delivered')).waitFor();

      expect(receiver.received).toHaveLength(2);
      expect(problems).toEqual([]);
    },
  );

  it('are switched off with what becomes of the waiting, and all that failed is sent again at once', async () => {
    const user = await newUser(['PLATFORM_ADMIN'], await newTenant());
    const receiver = await Receiver.start();
    receiver.answer = () => ({ status: 500 });
    const targetUrl = receiver.urlOf('hook');
    await createSubscription(user, { name: 'To the shop', targetUrl, eventType: 'crm:create_lead', maxRetries: 0 });
    for (const name of ['Ada', 'Ben', 'Cleo']) await newLead(name, user);
    const { page, problems } = await openConsoleAs(user, '/operate/deliveries?state=FAILED');
    await page.getByRole('link', { name: 'crm:create_lead' }).nth(2).waitFor();
    receiver.answer = () => ({ status: 200 });
    await page.getByRole('checkbox', { name: 'Select all' }).check();
    expect(await axeInBothThemes(page)).toEqual([]);
    await page.getByRole('button', { name: 'Send 3 deliveries again' }).click();
    await page.getByText('3 deliveries are sent again.').waitFor();
    await until('all have arrived', () => receiver.received.length === 6);

    await page.goto(page.url().replace(/\/operate.*/, '/operate/webhooks'));
    await page.getByRole('link', { name: 'To the shop' }).click();
    await page.getByRole('button', { name: 'More for To the shop' }).click();
    await page.getByRole('menuitem', { name: 'Switch off' }).click();
    await page.getByText(/^It is off. What was waiting is cancelled/).waitFor();
    await page.getByRole('region', { name: 'To the shop' }).getByText('Switched off').waitFor();
    expect(problems).toEqual([]);
  });

  it('are worked with by the keyboard alone, on a phone, in Chinese', async () => {
    const receiver = await Receiver.start();
    await createSubscription(boss, { targetUrl: receiver.urlOf('hook'), eventType: 'crm:create_lead' });
    await newLead('Ada');
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
  it('say that they cannot be read any more, beside what was read', async () => {
    const lead = await newLead('Cleo');
    const { runPid } = (await startRun(sales.token, 'lead_follow_up', { leadPid: lead.pid })).body.data;
    await runIs(sales.token, runPid, ['WAITING']);
    const { page } = await openConsoleAs(sales, `/operate/runs/${runPid}`);
    const waits = page.getByRole('region', { name: 'What it waits for' });
    await waits.getByText('Contact Cleo?').waitFor();

    await page.route('**/api/automations/runs/**', (route) => route.abort());
    const again = page.getByRole('button', { name: 'Try again' });
    await again.waitFor();
    expect(await waits.getByText('Contact Cleo?').count()).toBe(1);
    await page.unroute('**/api/automations/runs/**');
    await again.click();
    await again.waitFor({ state: 'detached' });
  });

  it('follow lead_follow_up from step to step, and let who is asked decide', async () => {
    const lead = await newLead('Ben');
    const { runPid } = (await startRun(sales.token, 'lead_follow_up', { leadPid: lead.pid })).body.data;
    await runIs(sales.token, runPid, ['WAITING']);
    const { page, problems } = await openConsoleAs(sales, `/operate/runs/${runPid}`);
    const waits = page.getByRole('region', { name: 'What it waits for' });
    await waits.getByText('Contact Ben?').waitFor();
    await page.setViewportSize(PHONE);
    const ending = await page.getByRole('button', { name: 'End it, and undo what was done' }).boundingBox();
    expect((ending?.x ?? 0) + (ending?.width ?? PHONE.width)).toBeLessThan(PHONE.width);
    await page.setViewportSize({ width: 1280, height: 800 });
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

describe('imports in the console', () => {
  it('are those of the whole tenant for operators; one of others is not opened', async () => {
    const operator = await newUser([await newRole(['execution:read'])], tenant);
    const [content, body] = ['name,amount\nAda,1\n', { mode: 'create', commandCode: 'crm:create_lead' }];
    for (const user of [boss, sales]) {
      const { importPid } = dataOf(await askForImport(user, { pageKey: 'leads', content, body }));
      await endedImport(user, importPid);
    }
    const { page, problems } = await openConsoleAs(operator, '/operate/imports');
    const rows = page.getByRole('table', { name: 'Imports' }).getByRole('row');
    await rows.filter({ hasText: boss.email }).getByText('Done').waitFor();
    await rows.filter({ hasText: sales.email }).getByText('Done').waitFor();
    expect(await rows.getByRole('link').count()).toBe(0);
    expect(await axeInBothThemes(page)).toEqual([]);

    const own = await openConsoleAs(boss, '/operate/imports?state=SUCCEEDED', { locale: 'zh-CN' });
    await own.page.getByRole('link', { name: /^导入/ }).first().waitFor();
    await own.page.getByText(sales.email).waitFor();
    await own.page.goto(`${own.page.url()}&user=${boss.pid}`);
    await own.page.getByText(sales.email).waitFor({ state: 'detached' });
    await own.page.getByText(boss.email).first().waitFor();
    expect([...problems, ...own.problems]).toEqual([]);
  });
});

describe('the health of the service in the console', () => {
  it('shows operators its parts, nodes and queues, and is not there for others', async () => {
    const { page, problems } = await openConsoleAs(boss, '/operate/health');
    await page.getByRole('region', { name: 'Parts' }).getByText('Postgres').waitFor();
    await page.getByRole('region', { name: 'Nodes' }).getByRole('row').nth(1).waitFor();
    await page.getByRole('region', { name: 'Queues' }).getByText('Open circuits').waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
    await page.getByText('Everything is up').waitFor();
    await failing(page, '**/api/admin/operations', 'dead');
    await page.getByText('The server does not answer.').waitFor();
    await page.getByText('Everything is up').waitFor({ state: 'detached' });
    await page.unrouteAll();
    const other = await openConsoleAs(sales, '/work');
    await other.page.getByRole('navigation').getByRole('link', { name: 'My work' }).waitFor();

    expect(await other.page.getByRole('navigation').getByRole('link', { name: 'Health' }).count()).toBe(0);
    expect([...problems, ...other.problems]).toEqual([]);
  });
});
