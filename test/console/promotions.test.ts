import type { Page } from 'playwright-core';
import { dataOf } from '../support/api.ts';
import { axeInBothThemes, axeProblems, openConsoleAs, PHONE } from '../support/browser.ts';
import { changeModel, name, size } from '../support/models.ts';
import { choose, columnsIn, contentIn, newAdmin, newUnits, renamePage, type Admin } from '../support/promotions.ts';
import { newTenant, newUser, type TestTenant } from '../support/world.ts';

let tenant: TestTenant;
let [ada, ben]: Admin[] = [];

beforeAll(async () => {
  tenant = await newTenant();
  [ada, ben] = [await newAdmin(tenant), await newAdmin(tenant)];
});

const admins = () => [ada, ben] as [Admin, Admin];

/** A model and its page in prod, both changed in dev since; the page in prod, too. */
async function changed() {
  const [creator, second] = admins();
  const model = await newUnits([name]);
  await second.apply(await creator.validated(model.units, 'prod'));
  await changeModel(model, { fields: [name, size] });
  await renamePage(model.code, 'Made in dev');
  await renamePage(model.code, 'Made in prod', 'prod');
  return model;
}

const MINUTE_MS = 60_000;

const pidOf = (page: Page): string => new URL(page.url()).pathname.split('/').at(-1) ?? '';

describe('the review of a promotion', () => {
  it('plans what was chosen with its conflict decided, and a second person approves the newest plan by the keyboard', async () => {
    const [creator, second] = admins();
    const { code } = await changed();
    const { page, problems } = await openConsoleAs(creator.user, '/promotions/new?source=dev&target=prod');

    // Other tests have differences, too.
    await page.getByRole('group', { name: /^Of no application/ }).waitFor();
    for (const group of await page.locator('main').getByRole('group').all()) {
      await group.getByRole('checkbox').first().click();
    }
    await page.getByRole('checkbox', { name: new RegExp(`^${code} Models`) }).check();
    await page.getByRole('checkbox', { name: new RegExp(`^${code} Pages`) }).check();
    await page.getByRole('button', { name: 'Plan 2 resources for prod' }).click();

    await page.getByText('1 conflict must be decided').waitFor();
    await page.getByText('Both have version 2, with different contents').waitFor();
    await page.getByRole('cell', { name: 'Made in prod' }).waitFor();
    await page.getByRole('cell', { name: 'Made in dev' }).waitFor();
    await page.getByLabel('Take the source').check();
    await page.getByRole('button', { name: 'Plan it with 1 choice' }).click();
    await page.getByText('1 person must still agree').waitFor();
    await page
      .getByRole('navigation', { name: 'What it changes' })
      .getByRole('link', { name: /changed/ })
      .first()
      .click();
    await page.getByText(`alter table "prod"."mt_${code}" add column "size" integer;`).waitFor();
    await page.getByText('Reads and writes wait until it is applied.').waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
    const pid = pidOf(page);

    const other = await openConsoleAs(second.user, `/promotions/${pid}`, { viewport: PHONE, locale: 'zh-CN' });
    const approve = other.page.getByRole('button', { name: /^批准 prod 的计划 \w{6}（2 项资源，1 张表变更）$/ });
    await approve.waitFor();
    const before = await approve.innerText();
    await renamePage(code, 'Made in dev again');
    await page.reload();
    await page.getByRole('button', { name: 'Plan it again' }).click();
    await other.page.getByText(/已取代计划/).waitFor();
    await other.page.getByRole('listitem').filter({ hasText: '又有更改' }).waitFor();
    await other.page.getByRole('button', { name: '我已看过' }).press('Enter');
    await approve.filter({ hasNotText: before }).waitFor();
    expect(await axeProblems(other.page)).toEqual([]);
    await approve.focus();
    await other.page.keyboard.press('Enter');

    await page.getByRole('region', { name: 'The plan' }).getByText(second.user.email).waitFor();
    await page.getByRole('button', { name: /^Apply plan \w{6} to prod$/ }).waitFor();
    const { approvals, plan } = dataOf(await creator.promotion(pid));
    expect(approvals).toMatchObject([{ userPid: second.user.pid, valid: true }]);
    expect(before).not.toContain(plan.hash.slice(0, 6));
    await creator.act(pid, 'cancel');
    expect([...problems, ...other.problems]).toEqual([]);
  });

  it('is applied with a watch and rolled back, both seen by the other person as they happen', async () => {
    const [creator, second] = admins();
    const { code, model, page: unit } = await changed();
    const pid = await creator.validated([model, unit], 'prod', choose(unit.resourcePid, 'TARGET_NEWER', 'use_source'));
    await second.act(pid, 'approve');
    const { page, problems } = await openConsoleAs(creator.user, `/promotions/${pid}`);
    const other = await openConsoleAs(second.user, `/promotions/${pid}`, { locale: 'zh-CN' });
    await page.getByRole('button', { name: /^Apply plan \w{6} to prod$/ }).click();
    const dialog = page.getByRole('dialog', { name: /^Apply plan/ });
    await dialog.getByLabel('Reason').fill('release 7');
    await dialog.getByLabel('Watch it, and roll back if it fails').check();
    expect(await axeProblems(page)).toEqual([]);
    await dialog.getByRole('button', { name: /^Apply plan/ }).click();
    await page.getByText('Being watched').waitFor();
    await other.page.getByText('观察中').waitFor();
    expect(await contentIn('prod', 'PAGE_SCHEMA', code)).toMatchObject({ name: 'Made in dev' });
    expect(await columnsIn('prod', code)).toMatchObject({ size: 'integer' });

    await page.getByRole('button', { name: 'Roll it back' }).click();
    const undo = page.getByRole('dialog', { name: /^Roll back plan/ });
    await undo.getByRole('listitem').nth(1).waitFor();
    expect(await undo.getByRole('listitem').allInnerTexts()).toEqual([
      `${code} Models · goes back to version 1`,
      `${code} Pages · goes back to version 2`,
    ]);
    await undo.getByLabel('Reason').fill('too early');
    await undo.getByRole('button', { name: 'Roll back 2 resources' }).click();
    await page.getByText('1 person must still agree').waitFor();
    const inverse = pidOf(page);
    await page.getByRole('region', { name: 'What has happened' }).getByText('too early').waitFor();
    expect(inverse).not.toBe(pid);
    await second.act(inverse, 'approve');
    await page.getByRole('button', { name: /^Apply plan \w{6} to prod$/ }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('too early');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Apply plan/ })
      .click();
    await page.getByText('Applied', { exact: true }).waitFor();
    // It is done once.
    await other.page.reload();
    await other.page.getByText('已回滚').first().waitFor();
    expect(await other.page.getByRole('button', { name: '回滚', exact: true }).count()).toBe(0);

    expect(await contentIn('prod', 'PAGE_SCHEMA', code)).toMatchObject({ name: 'Made in prod' });
    expect(dataOf(await creator.promotion(inverse))).toMatchObject({ status: 'APPLIED', rollbackOf: pid });
    expect([...problems, ...other.problems]).toEqual([]);
  });

  it('is applied at a time that is chosen, and says so until then', async () => {
    const [creator] = admins();
    const { model } = await newUnits([name]);
    const pid = await creator.validated([model]);
    const { page, problems } = await openConsoleAs(creator.user, `/promotions/${pid}`, { timezoneId: 'UTC' });
    await page.getByRole('button', { name: /^Apply plan \w{6} to staging$/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('at night');
    await dialog.getByLabel('At a time').check();
    await dialog.getByLabel('When').fill('2020-01-31T04:00');
    const schedule = dialog.getByRole('button', { name: /^Schedule plan \w{6} for staging$/ });
    await dialog.getByText('This has passed').waitFor();
    expect(await schedule.isDisabled()).toBe(true);
    // A control of the browser knows minutes alone.
    const at = new Date(Math.ceil((Date.now() + 15_000) / MINUTE_MS) * MINUTE_MS).toISOString();
    await dialog.getByLabel('When').fill(at.slice(0, 16));
    await schedule.click();
    await page.getByRole('region', { name: 'The plan' }).getByText('Is applied').waitFor();
    expect(dataOf(await creator.promotion(pid))).toMatchObject({ status: 'VALIDATED', applyAt: at });
    expect(await axeProblems(page)).toEqual([]);

    await page.getByText('Applied', { exact: true }).waitFor({ timeout: 2 * MINUTE_MS });
    expect(problems).toEqual([]);
  });

  it('is there for those alone who may promote', async () => {
    const reader = await newUser(['ADMIN'], tenant);
    const { page } = await openConsoleAs(reader, '/pages/leads');
    await page.getByRole('navigation').getByRole('link', { name: 'My work' }).waitFor();
    expect(await page.getByRole('link', { name: 'Promotions' }).count()).toBe(0);
  });
});
