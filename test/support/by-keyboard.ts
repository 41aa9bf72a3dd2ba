import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { openConsole, PHONE, type Window } from './browser.ts';
import { byKeyboard, byMouse, type Hand } from './hand.ts';
import { PASSWORD, type TestUser } from './world.ts';

/** More than any screen has to be gone through. */
const MOST_STEPS = 200;

/** Who works without a pointer: in a language, in a window of a size. */
export interface Reader {
  readonly locale: 'en-GB' | 'zh-CN';
  readonly width: number;
  readonly options: BrowserContextOptions;
  /** A text of the console in their language. */
  readonly t: Hand['t'];
}

export const READERS: readonly Reader[] = [
  { locale: 'en-GB', width: 1280, options: { locale: 'en-GB' }, t: byMouse.t },
  {
    locale: 'zh-CN',
    width: PHONE.width,
    options: { locale: 'zh-CN', viewport: PHONE },
    t: byKeyboard.t,
  },
];

/** Presses keys one after the other. */
export async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

/** Goes on with a key, `Tab` unless told otherwise, until this has the focus. */
export async function reach(page: Page, target: Locator, key = 'Tab'): Promise<void> {
  await target.first().waitFor();
  const focused = target.and(page.locator(':focus'));
  for (let step = 0; step < MOST_STEPS; step += 1) {
    if ((await focused.count()) > 0) return;
    await page.keyboard.press(key);
  }
  throw new Error(`the keyboard does not reach ${String(target)}`);
}

/** The same, and presses it. */
export async function pressOn(page: Page, target: Locator, key = 'Tab'): Promise<void> {
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
  await page.keyboard.type(option);
  await target.getByRole('option', { name: option, exact: true, selected: true }).waitFor({ state: 'attached' });
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
  await pressOn(page, item, 'ArrowDown');
  // It gives the focus back when it has gone.
  await page.getByRole('menu').waitFor({ state: 'detached' });
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
