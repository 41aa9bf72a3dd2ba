import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { openConsole, PHONE, type Window } from './browser.ts';
import { inChinese, inEnglish, type Translate } from './console-texts.ts';
import { PASSWORD, type TestUser } from './world.ts';

/** More than any screen has to be gone through. */
const MOST_STEPS = 250;

/** Who works without a pointer: in a language, in a window of a size. */
export interface Reader {
  readonly locale: 'en-GB' | 'zh-CN';
  readonly width: number;
  readonly options: BrowserContextOptions;
  readonly t: Translate;
}

export const READERS: readonly Reader[] = [
  { locale: 'en-GB', width: 1280, options: { locale: 'en-GB' }, t: inEnglish },
  {
    locale: 'zh-CN',
    width: PHONE.width,
    options: { locale: 'zh-CN', viewport: PHONE },
    t: inChinese,
  },
];

/** Presses keys one after the other. */
export async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

/** Goes on with a key until this has the focus: `Tab`, in a menu `ArrowDown`, unless told otherwise. */
export async function reach(page: Page, target: Locator, key?: string): Promise<void> {
  await target.and(page.locator(':not(:disabled)')).first().waitFor({ state: 'attached' });
  const isInMenu = (await target.first().getAttribute('role'))?.startsWith('menuitem') === true;
  const focused = target.and(page.locator(':focus'));
  await pressUntil(page, key ?? (isInMenu ? 'ArrowDown' : 'Tab'), async () => (await focused.count()) > 0);
}

/** Presses a key again and again. */
export async function pressUntil(page: Page, key: string, isThere: () => Promise<boolean>): Promise<void> {
  for (let step = 0; !(await isThere()); step += 1) {
    if (step === MOST_STEPS) throw new Error(`${key} does not get there`);
    await page.keyboard.press(key);
  }
}

/** The same, and presses it. */
export async function pressOn(page: Page, target: Locator, key?: string): Promise<void> {
  await reach(page, target, key);
  await page.keyboard.press('Enter');
}

/** The same for a field: what it has is replaced. */
export async function typeIn(page: Page, target: Locator, text: string): Promise<void> {
  await reach(page, target);
  await page.keyboard.press('Control+a');
  await page.keyboard.type(text);
}

/** Chooses an option of a closed list by the beginning of its name. */
export async function choose(page: Page, target: Locator, option: string): Promise<void> {
  await reach(page, target);
  const chosen = target.getByRole('option', { name: option, exact: true, selected: true });
  // The browser begins a name anew after a second without a key, which a busy machine may need for one.
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    await page.keyboard.type(option);
    if ((await chosen.count()) > 0) return;
    await sleep(1_500);
  }
  throw new Error(`${option} is not chosen`);
}

/** Has the system's window give a CSV file, which is the one thing that keys of the page do not do. */
export async function giveFile(page: Page, chooser: Locator, name: string, lines: readonly string[]): Promise<void> {
  const choosing = page.waitForEvent('filechooser');
  await pressOn(page, chooser);
  await (await choosing).setFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(lines.join('\n')) });
}

/** Opens a menu and chooses an item of it. */
export async function pickFrom(page: Page, trigger: Locator, item: Locator): Promise<void> {
  await pressOn(page, trigger);
  await pressOn(page, item);
  // It gives the focus back when it has gone.
  await page.getByRole('menu').waitFor({ state: 'detached' });
}

/** A record in the list, which is a grid or, on a phone, cards. */
export function inList(page: Page, name: string): Locator {
  return page.getByRole('gridcell', { name, exact: true }).or(page.locator('main li').getByRole('button', { name }));
}

/** Goes to a page by the navigation, which is a drawer on a phone. */
export async function goTo(page: Page, { width, t }: Reader, name: string): Promise<void> {
  if (width < 720) await pressOn(page, page.getByRole('button', { name: t('Open the navigation') }));
  await pressOn(page, page.getByRole('navigation').getByRole('link', { name: new RegExp(`^${name}`) }));
}

/** Types who one is into the log-in form that is there, and sends it. */
async function logInByKeys(page: Page, { t }: Reader, user: TestUser): Promise<void> {
  await typeIn(page, page.getByLabel(t('E-mail')), user.email);
  await typeIn(page, page.getByLabel(t('Password')), PASSWORD);
  await page.keyboard.press('Enter');
}

/** Opens a window and logs in there. */
export async function openByKeys(reader: Reader, user: TestUser, path: string): Promise<Window> {
  const opened = await openConsole(path, reader.options);
  await logInByKeys(opened.page, reader, user);
  await opened.page.locator('header').first().waitFor();
  return opened;
}

/** Logs in where the session has ended in the middle. */
export async function goOnByKeys(page: Page, reader: Reader, user: TestUser): Promise<void> {
  const again = page.getByRole('dialog', { name: reader.t('Your session has ended. Log in to go on.') });
  await again.waitFor();
  await logInByKeys(page, reader, user);
  await again.waitFor({ state: 'detached' });
}
