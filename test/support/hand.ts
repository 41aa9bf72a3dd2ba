import type { Locator } from 'playwright-core';
import { pressOn, pressUntil, reach } from './by-keyboard.ts';
import { inChinese, inEnglish, type Translate } from './console-texts.ts';
import { until } from './faults.ts';

/** How someone uses the console: in which language they read it, and with which device they work. */
export interface Hand {
  readonly locale: 'en-GB' | 'zh-CN';
  readonly t: Translate;
  readonly press: (control: Locator) => Promise<void>;
  readonly check: (box: Locator) => Promise<void>;
  readonly uncheck: (box: Locator) => Promise<void>;
  /** Writes in the place of what stands there. */
  readonly write: (input: Locator, text: string) => Promise<void>;
  readonly choose: (select: Locator, value: string) => Promise<void>;
  /** Opens the record of a cell. */
  readonly open: (cell: Locator) => Promise<void>;
}

/** In English, with the mouse. */
export const byMouse: Hand = {
  locale: 'en-GB',
  t: inEnglish,
  press: (control) => control.click(),
  check: (box) => box.check(),
  uncheck: (box) => box.uncheck(),
  write: (input, text) => input.fill(text),
  choose: async (select, value) => void (await select.selectOption(value)),
  open: (cell) => cell.click(),
};

/** In Chinese, with the keyboard alone: what its keys do not reach is out of reach. */
export const byKeyboard: Hand = {
  locale: 'zh-CN',
  t: inChinese,
  press: (control) => pressOn(control.page(), control),
  async check(box) {
    await box.waitFor();
    if (await box.isChecked()) return;
    await ((await box.getAttribute('type')) === 'radio' ? chooseRadio(box) : toggle(box));
  },
  async uncheck(box) {
    if (await box.isChecked()) await toggle(box);
  },
  async write(input, text) {
    const { keyboard } = input.page();
    await reach(input.page(), input);
    await keyboard.press('Control+A');
    // Many lines at once: an editor would indent each of them again.
    await keyboard.insertText(text);
  },
  async choose(select, value) {
    await select.locator(`option[value="${value}"]`).waitFor({ state: 'attached' });
    await reach(select.page(), select);
    const options = await select.locator('option').all();
    const values = await Promise.all(options.map((option) => option.getAttribute('value')));
    const goal = values.indexOf(value);
    for (let at = values.indexOf(await select.inputValue()); at !== goal; at += Math.sign(goal - at)) {
      await select.page().keyboard.press(goal > at ? 'ArrowDown' : 'ArrowUp');
      const next = values[at + Math.sign(goal - at)];
      await until(`${next} is chosen`, async () => (await select.inputValue()) === next);
    }
  },
  async open(cell) {
    const page = cell.page();
    const grid = page.getByRole('grid').filter({ has: cell });
    await reach(page, grid);
    const id = await cell.getAttribute('id');
    const row = id?.replace(/-\d+$/, '-');
    await pressUntil(page, 'ArrowDown', async () => {
      const active = await grid.getAttribute('aria-activedescendant');
      return row !== undefined && active?.startsWith(row) === true;
    });
    await page.keyboard.press('Enter');
  },
};

async function toggle(box: Locator): Promise<void> {
  await reach(box.page(), box);
  await box.page().keyboard.press('Space');
}

/** The Tab key goes to one choice of a group; arrows go to the others, and choose them. */
async function chooseRadio(choice: Locator): Promise<void> {
  const page = choice.page();
  const group = page.locator(`input[name="${await choice.getAttribute('name')}"]:focus`);
  await pressUntil(page, 'Tab', async () => (await group.count()) > 0);
  await page.keyboard.press('Space');
  await pressUntil(page, 'ArrowDown', () => choice.isChecked());
}
