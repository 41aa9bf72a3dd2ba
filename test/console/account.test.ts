import { call, dataOf, execute, list } from '../support/api.ts';
import { until } from '../support/faults.ts';
import { axeProblems, openConsole, openConsoleAs, PHONE } from '../support/browser.ts';
import { newTenant, newUser, PASSWORD, type TestUser } from '../support/world.ts';

let user: TestUser;

beforeAll(async () => {
  user = await newUser(['SALES'], await newTenant());
  await execute(user.token, 'crm:create_lead', { payload: { name: 'Ada Lovelace', status: 'open' } });
});

describe('the account', () => {
  it('changes the password: other sessions end, this one goes on', async () => {
    const own = await newUser(['SALES'], await newTenant());
    const { page, problems } = await openConsoleAs(own, '/account');
    await page.getByLabel('Present password').fill('wrong-password-1');
    await page.getByLabel('New password').fill('short');
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.locator('[autocomplete=new-password][aria-invalid=true]').waitFor();
    await page.getByLabel('New password').fill('another-password-2');
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.getByText('is wrong').waitFor();
    await page.getByLabel('Present password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.getByText('Your other sessions have ended.').waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await page.reload();
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();

    expect((await call('/api/auth/me', { token: own.token })).status).toBe(401);
    expect(problems).toEqual([]);
  });

  it('lists the sessions and ends one of them', async () => {
    const own = await newUser(['SALES'], await newTenant());
    const { page } = await openConsoleAs(own, '/account', { viewport: PHONE, colorScheme: 'dark' });
    const sessions = page.getByRole('region', { name: 'Sessions' }).getByRole('listitem');
    await sessions.nth(1).waitFor();
    await sessions.first().getByText('This session').waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await sessions
      .nth(1)
      .getByRole('button', { name: /^End the session/ })
      .click();
    await sessions.nth(1).waitFor({ state: 'detached' });

    expect((await call('/api/auth/me', { token: own.token })).status).toBe(401);
  });

  it('shows and takes moments in the time zone that is chosen', async () => {
    const { page } = await openConsoleAs(user, '/account');
    await page.getByLabel('Time zone').selectOption('Asia/Tokyo');
    await page.getByText(/It is .*(GMT\+9|Japan)/).waitFor();

    expect(await page.getByLabel('Time zone').inputValue()).toBe('Asia/Tokyo');
  });

  it('shows moments in the time zone of the tenant where none is chosen', async () => {
    const boss = await newUser(['PLATFORM_ADMIN'], await newTenant());
    const body = { name: `Shanghai ${boss.pid}`, timeZone: 'Asia/Shanghai' };
    const tenant = dataOf(await call('/api/admin/tenants', { token: boss.token, body }));
    const own = await newUser(['SALES'], { id: tenant.tenantId, name: tenant.name });
    const { page } = await openConsoleAs(own, '/account');
    await page.getByText(/It is .*(GMT\+8|China)/).waitFor();
    const named = page.getByLabel('Time zone').getByText('Of the tenant (Asia/Shanghai)');
    await named.waitFor({ state: 'attached' });
  });
});

describe('a forgotten password', () => {
  it('is chosen anew on a screen of the console, by the link of the e-mail', async () => {
    const own = await newUser(['SALES'], await newTenant());
    await call('/api/auth/password-reset/request', { body: { email: own.email } });
    const admin = await newUser(['PLATFORM_ADMIN'], await newTenant());
    const token = await until('the e-mail', async () => {
      const { data } = (await call('/api/admin/mail-outbox', { token: admin.token })).body;
      const mail = data.find(({ to }: { to: string }) => to === own.email);
      return mail && /klp_[0-9a-f]{64}/.exec(mail.text)?.[0];
    });
    const { page, problems } = await openConsole('/');
    await page.goto(`${process.env.KEELSON_TEST_URL ?? ''}/console/reset-password#${token}`);
    await page.getByRole('heading', { name: 'Choose a new password' }).waitFor();
    expect(new URL(page.url()).hash).toBe('');
    await page.getByLabel('New password').fill(own.email);
    await page.getByRole('button', { name: 'Save the password' }).click();
    await page.locator('[aria-invalid=true]').waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await page.getByLabel('New password').fill('another-password-2');
    await page.getByRole('button', { name: 'Save the password' }).click();
    await page.getByText('Your password is changed.').waitFor();
    await page.getByRole('button', { name: 'Back to the log-in' }).click();

    await page.getByLabel('E-mail').waitFor();
    expect(problems).toEqual([]);
  });
});

describe('the assistant', () => {
  it('answers beside the page with its tools to be seen, and links the records that it names', async () => {
    const { page, problems } = await openConsoleAs(user, '/pages/deals');
    await page.getByRole('button', { name: 'Ask the assistant' }).click();
    const panel = page.getByRole('complementary', { name: 'Assistant' });
    await panel.getByLabel('Ask the assistant').fill('list open leads');
    await page.keyboard.press('Enter');
    await panel.getByText(/1 of 1 lead/).waitFor();
    await panel.getByText('Looked for records').waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await panel.getByRole('link', { name: /^Ada Lovelace/ }).click();
    await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();

    await page.reload();
    await page.getByRole('button', { name: 'Ask the assistant' }).click();
    await panel.getByText('list open leads').waitFor();
    await panel.getByRole('button', { name: 'Conversations' }).click();
    await page.getByRole('menuitem', { name: 'Delete this conversation' }).click();
    const dialog = page.getByRole('dialog', { name: /^Delete / });
    expect(await axeProblems(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Delete 1 conversation' }).click();
    await dialog.waitFor({ state: 'detached' });
    await panel.getByText('list open leads').waitFor({ state: 'detached' });
    const { data } = (await call('/api/ai/conversations', { token: user.token })).body;
    expect(data.records).toEqual([]);
    expect(problems).toEqual([]);
  });

  it('has a command confirmed in a form, also after a reload in the middle, on a phone and in Chinese', async () => {
    const { page, problems } = await openConsoleAs(user, '/pages/leads', { viewport: PHONE, locale: 'zh-CN' });
    await page.getByRole('button', { name: '询问助手' }).click();
    const panel = page.getByRole('complementary', { name: '助手' });
    await panel.getByRole('button', { name: '开始新对话' }).click();
    await panel.getByLabel('询问助手').fill('run crm:create_lead {"name": "From the chat"}');
    await page.keyboard.press('Enter');
    await panel.getByRole('form').waitFor();
    await page.reload();
    await page.getByRole('button', { name: '询问助手' }).click();
    const form = panel.getByRole('form', { name: 'Create a lead' });
    await form.getByText('From the chat').waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await form.getByRole('button', { name: 'Create a lead' }).click();
    await panel.getByText(/您已同意/).waitFor();

    const { records } = (await list(user.token, 'leads', { keyword: 'From the chat' })).body.data;
    expect(records).toHaveLength(1);
    expect(problems).toEqual([]);
  });
});
