import { dataOf, execute } from '../support/api.ts';
import { AWAY, axeProblems, BUSY, endSession, failing, logInAgain, openConsoleAs, PHONE } from '../support/browser.ts';
import { newTenant, newUser, type TestUser } from '../support/world.ts';

let user: TestUser;

beforeAll(async () => {
  user = await newUser(['SALES'], await newTenant());
  for (const [name, stage, amount] of [
    ['A', 'proposal', '1000'],
    ['B', 'proposal', '250.5'],
    ['C', 'won', '70'],
  ]) {
    dataOf(await execute(user.token, 'crm:create_deal', { payload: { name, stage, amount, currency: 'USD' } }));
  }
  await execute(user.token, 'crm:create_lead', { payload: { name: 'Ada', source: 'web', amount: '12' } });
});

const tile = (name: string) => ({ name, exact: true });

describe('a dashboard', () => {
  it('shows figures with their comparison, bars, a line and a table; axe finds nothing in both themes', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, problems } = await openConsoleAs(user, '/dashboards/sales', { colorScheme });
      await page.getByRole('region', tile('Open deals')).getByText('2', { exact: true }).waitFor();
      await page.getByRole('region', tile('Open deals in USD')).getByText('1,250.5').waitFor();
      await page.getByRole('region', tile('New leads of 30 days')).getByText('the 30 days before').waitFor();
      const bars = page.getByRole('region', tile('Deals by stage'));
      await bars.getByRole('row', { name: /proposal\s+2/ }).waitFor();
      await page
        .getByRole('region', tile('Where leads come from'))
        .getByRole('row', { name: /web\s+1\s+12/ })
        .waitFor();
      const line = page.getByRole('region', tile('New leads by week'));
      await line.locator('canvas').waitFor();
      // What listeners get in its place.
      expect(await line.getByRole('table').getByRole('row').count()).toBe(2);

      expect(await axeProblems(page)).toEqual([]);
      expect(problems).toEqual([]);
    }
  });

  it('is in the navigation, and leads from a figure and from a bar to the records behind it', async () => {
    const { page } = await openConsoleAs(user, '/pages/leads');
    await page.getByRole('navigation').getByRole('link', { name: 'Sales' }).click();
    await page.getByRole('link', { name: 'Open deals', exact: true }).click();
    await page.locator('footer').getByText('2 records').waitFor();
    await page.goBack();
    await page.getByRole('region', tile('Deals by stage')).getByRole('link', { name: 'won' }).click();
    await page.locator('footer').getByText('1 record').waitFor();

    await page.getByRole('heading', { name: 'Deals' }).waitFor();
  });

  it('says so in the tile that fails, and reads it again; the others stay', async () => {
    const { page } = await openConsoleAs(user, '/pages/leads');
    let failures = 0;
    await page.route('**/api/dashboards/sales/tiles/pipeline*', (route) => {
      failures += 1;
      return failures < 3
        ? route.fulfill({ status: 409, json: { code: 'CONFLICT', message: 'Broken', data: { traceId: 'x' } } })
        : route.continue();
    });
    await page.getByRole('navigation').getByRole('link', { name: 'Sales' }).click();
    const broken = page.getByRole('region', tile('Open deals in USD'));
    await broken.getByText('Broken').waitFor();
    await page.getByRole('region', tile('Open deals')).getByText('2', { exact: true }).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await page.unrouteAll();
    await broken.getByRole('button', { name: 'Try again' }).click();

    await broken.getByText('1,250.5').waitFor();
  });

  it('is one column on a phone, in Chinese, and found by Ctrl K', async () => {
    const { page, problems } = await openConsoleAs(user, '/pages/leads', { viewport: PHONE, locale: 'zh-CN' });
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('sal');
    await page.getByRole('option', { name: /Sales/ }).click();
    await page.getByRole('region', tile('Deals by stage')).getByRole('table').waitFor();

    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(PHONE.width);
    expect(await axeProblems(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it('has nothing for those who may not read it', async () => {
    const other = await newUser(['ADMIN'], await newTenant());
    const { page } = await openConsoleAs(other, '/dashboards/none');
    await page.getByRole('heading', { name: 'There is no such dashboard' }).waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Sales' }).click();

    // An empty tenant has figures, too.
    await page.getByRole('region', tile('Open deals')).getByText('0', { exact: true }).waitFor();
    await page.getByRole('region', tile('Deals by stage')).getByText('Nothing to show yet').waitFor();
    expect(await axeProblems(page)).toEqual([]);
  });

  it('says when to try again, and goes on after a log-in', async () => {
    const { page } = await openConsoleAs(user, '/pages/leads');
    await failing(page, '**/api/dashboards/sales/tiles/pipeline*', BUSY);
    await page.getByRole('navigation').getByRole('link', { name: 'Sales' }).click();
    const busy = page.getByRole('region', tile('Open deals in USD'));
    await busy.getByText('Try again in 30 s.').waitFor();
    await failing(page, '**/api/dashboards/sales/tiles/pipeline*', AWAY);
    await busy.getByRole('button', { name: 'Try again' }).click();
    await busy.getByText('Try again in a moment.').waitFor();
    await page.unrouteAll();
    await endSession(user);
    await busy.getByRole('button', { name: 'Try again' }).click();
    await logInAgain(page, user);

    await busy.getByText('1,250.5').waitFor();
  });
});
