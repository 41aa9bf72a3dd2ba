import type { Page } from 'playwright-core';
import { execute, list } from '../support/api.ts';
import { openConsoleAs } from '../support/browser.ts';
import type { ConsoleText } from '../support/console-texts.ts';
import { byKeyboard, byMouse, type Hand } from '../support/hand.ts';
import { newCode } from '../support/models.ts';
import { startOwnNode } from '../support/own-node.ts';
import { contentIn, newAdmin, type Admin } from '../support/promotions.ts';
import { newUser } from '../support/world.ts';

/*
 * A ticket-like application from nothing to prod, by two people who do all of it in the console: one makes it
 * and promotes it, the other agrees, and changes prod meanwhile.
 */

let author: Admin;
let other: Admin;

beforeAll(async () => {
  // Differences, versions and approvals of other files would be in the way.
  await startOwnNode('from_nothing');
  author = await newAdmin();
  other = await newAdmin(author.tenant);
});

const ROWS = 'Title,Hours,State\nPrinter on fire,1.5,new\nNo coffee,2,new\nNo tea,3,done\nNo cake,1,done\n';
const FILE = { name: 'tickets.csv', mimeType: 'text/csv', buffer: Buffer.from(ROWS) };
const SEAL = 'SEAL';
/** Some hundred steps of two people, each as slow as the machine. */
const STORY_MS = 600_000;

type Role = 'button' | 'link' | 'menuitem';

/** A person at their window of the console. */
class Person {
  readonly page: Page;
  readonly problems: string[];
  readonly hand: Hand;

  private constructor(page: Page, problems: string[], hand: Hand) {
    this.page = page;
    this.problems = problems;
    this.hand = hand;
  }

  static async logIn({ user }: Admin, hand: Hand): Promise<Person> {
    const { page, problems } = await openConsoleAs(user, '/work', { locale: hand.locale });
    return new Person(page, problems, hand);
  }

  /** Presses what has a text of the console. `SEAL` in it stands for the seal of any plan. */
  async press(role: Role, text: ConsoleText, values: Readonly<Record<string, string | number>> = {}): Promise<void> {
    await this.pressNamed(role, this.hand.t(text, values));
  }

  async pressNamed(role: Role, text: string): Promise<void> {
    const [before = '', after] = text.split(SEAL);
    const name = after === undefined ? text : new RegExp(`^${before}\\w{6}${after}$`);
    await this.hand.press(this.page.getByRole(role, { name, exact: true }).first());
  }

  async goTo(screen: ConsoleText): Promise<void> {
    const navigation = this.page.getByRole('navigation', { name: this.hand.t('Navigation') });
    // What waits is counted beside the name.
    await this.hand.press(navigation.getByTitle(this.hand.t(screen), { exact: true }));
  }

  async write(label: string, text: string): Promise<void> {
    await this.hand.write(this.page.getByRole('textbox', { name: label, exact: true }), text);
  }

  async choose(label: string, value: string): Promise<void> {
    await this.hand.choose(this.page.getByRole('combobox', { name: label, exact: true }), value);
  }

  /** Changes the text of the resource that is open. */
  async rewrite(code: string, change: (text: string) => string): Promise<void> {
    const editor = this.page.getByRole('textbox', { name: this.hand.t('{code} as YAML', { code }) });
    const text = change(await editor.inputValue());
    await this.hand.write(editor, text);
    expect(await editor.inputValue()).toBe(text);
  }

  async upload(button: ConsoleText): Promise<void> {
    const asked = this.page.waitForEvent('filechooser');
    await this.press('button', button);
    await (await asked).setFiles(FILE);
  }

  async sees(text: ConsoleText, values: Readonly<Record<string, string | number>> = {}): Promise<void> {
    await this.page.getByText(this.hand.t(text, values)).first().waitFor();
  }

  /** Saves all drafts once what saving does has been looked at. */
  async saves(count: number): Promise<void> {
    await this.page
      .getByRole('region', { name: this.hand.t('What saving does') })
      .getByText(this.hand.t('Can be saved'))
      .waitFor();
    await this.press('button', count === 1 ? 'Save {count} resource' : 'Save {count} resources', { count });
    await this.sees(count === 1 ? '{count} resource is saved' : '{count} resources are saved', { count });
  }

  /** Opens a resource from the list of all. */
  async opens(code: string): Promise<void> {
    const { t } = this.hand;
    await this.goTo('Resources');
    await this.hand.write(this.page.getByRole('searchbox', { name: t('Name or code') }), code);
    const own = this.page.locator('code', { hasText: new RegExp(`^${code}$`) });
    await this.hand.press(this.page.getByRole('row').filter({ has: own }).getByRole('link'));
  }
}

interface Story {
  readonly ada: Person;
  readonly ben: Person;
  /** Of the application and its model. */
  readonly code: string;
}

/** An application of a CSV file, of a field and a command by hand; used at once. */
async function make({ ada, code }: Story): Promise<void> {
  const { t } = ada.hand;
  await ada.goTo('Resources');
  await ada.press('link', 'New application or model');
  await ada.write(t('Application'), code);
  await ada.write(t('What is kept'), 'Ticket');
  await ada.write(t('Code of the model'), code);
  await ada.upload('Take the fields of a CSV file');
  await ada.sees('Types are guessed from {count} rows: look at them.', { count: 4 });
  await ada.press('button', 'Add a field');
  const label = t('Label of {name}', { name: t('New field') });
  await ada.write(label, 'Urgent');
  await ada.page.keyboard.press('Enter');
  await ada.choose(t('Type of {name}', { name: 'Urgent' }), 'boolean');
  await ada.press('button', 'Make {count} drafts', { count: 6 });
  await ada.saves(6);

  await ada.goTo('Resources');
  await ada.press('button', 'New resource');
  await ada.choose(t('Kind'), 'COMMAND');
  await ada.write(t('Name'), 'Wrap up');
  await ada.write(t('Code'), `${code}:wrap_up`);
  await ada.choose(t('Model'), code);
  await ada.write(t('Application'), code);
  await ada.press('button', 'Begin');
  await ada.rewrite(`${code}:wrap_up`, (text) =>
    text.replace(/operations:[^]*/, 'operations: [UPDATE]\ntransition: { field: state, from: [new], to: done }\n'),
  );
  await ada.saves(1);
  await ada.opens(`${code}_USER`.toUpperCase());
  await ada.hand.check(ada.page.getByRole('checkbox', { name: 'Wrap up', exact: true }).first());
  await ada.saves(1);
}

/** The rows of the file as records, one of them worked on by the new command. */
async function use({ ada, code }: Story): Promise<void> {
  const { t } = ada.hand;
  await ada.opens(code);
  await ada.press('link', 'Import records');
  await ada.upload('Choose a file');
  await ada.press('button', 'Try the import');
  await ada.press('button', 'Import {count} rows', { count: 4 });
  await ada.press('link', 'Show {page}', { page: 'Tickets' });
  await ada.hand.open(ada.page.getByRole('gridcell', { name: 'Printer on fire', exact: true }));
  const panel = ada.page.getByRole('region', { name: t('Open record') });
  await ada.hand.press(panel.getByRole('button', { name: t('More commands') }));
  await ada.pressNamed('menuitem', 'Wrap up');
  await ada.hand.press(panel.getByRole('button', { name: 'Wrap up' }));
  await panel.getByRole('definition').getByText('done', { exact: true }).waitFor();
}

interface Ends {
  readonly source: string;
  readonly target: string;
}

/** Plans all that differs of the application. */
async function plan(person: Person, code: string, { source, target }: Ends, count: number): Promise<void> {
  const { page, hand } = person;
  await person.goTo('Promotions');
  await person.press('button', 'New promotion');
  await person.choose(hand.t('To'), target);
  await person.choose(hand.t('From'), source);
  const groups = page.getByRole('main').getByRole('group');
  await groups.filter({ hasText: code }).waitFor();
  for (const group of await groups.filter({ hasNotText: code }).all()) {
    await hand.uncheck(group.getByRole('checkbox').first());
  }
  const text = count === 1 ? 'Plan {count} resource for {target}' : 'Plan {count} resources for {target}';
  await person.press('button', text, { count, target });
  await page.waitForURL(/\/promotions\/[0-9A-Z]{26}$/);
}

/** Applies the plan on the screen, without a watch. */
async function apply(person: Person, target: string): Promise<void> {
  const { page, hand } = person;
  await person.press('button', 'Apply plan {seal} to {target}', { seal: SEAL, target });
  const dialog = page.getByRole('dialog');
  await person.write(hand.t('Reason'), 'a release');
  await hand.uncheck(dialog.getByRole('checkbox', { name: hand.t('Watch it, and roll back if it fails') }));
  await hand.press(dialog.getByRole('button', { name: new RegExp(`^${sealed(hand, target)}$`) }));
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('main').getByText(hand.t('Applied'), { exact: true }).first().waitFor();
}

function sealed({ t }: Hand, target: string): string {
  return t('Apply plan {seal} to {target}', { seal: '\\w{6}', target });
}

/** Has another person agree, in their work, to the plan that is on someone's screen. */
async function agree(planner: Person, person: Person, target: string): Promise<void> {
  await planner.sees('{count} person must still agree', { count: 1 });
  const about = planner.page.getByRole('region', { name: planner.hand.t('The plan') });
  const seal = await about.locator('code').innerText();
  // Nothing tells an open list that another plan waits: it looks once a minute.
  if (person.page.url().endsWith('/work')) await person.page.reload();
  else await person.goTo('My work');
  const approve = { seal, target };
  await person.press('button', 'Approve plan {seal} for {target}', approve);
  const button = person.page.getByRole('button', { name: person.hand.t('Approve plan {seal} for {target}', approve) });
  await button.waitFor({ state: 'detached' });
}

async function rename(person: Person, code: string, name: string): Promise<void> {
  await person.opens(`${code}s`);
  await person.rewrite(`${code}s`, (text) => text.replace(/^name: .*$/m, `name: ${name}`));
  await person.saves(1);
}

const nameInProd = async (code: string) => (await contentIn('prod', 'PAGE_SCHEMA', `${code}s`))?.name;

describe('an application', () => {
  it.each([byMouse, byKeyboard])(
    'is made, promoted by two people past a conflict, rolled back and applied again, in $locale',
    async (hand) => {
      const code = newCode().slice(0, 30);
      const [ada, ben] = [await Person.logIn(author, hand), await Person.logIn(other, hand)];
      const story = { ada, ben, code };
      await make(story);
      await use(story);
      await plan(ada, code, { source: 'dev', target: 'staging' }, 7);
      await apply(ada, 'staging');
      await plan(ada, code, { source: 'staging', target: 'prod' }, 7);
      await agree(ada, ben, 'prod');
      await apply(ada, 'prod');

      // Someone changes the target while a plan for it waits.
      await rename(ada, code, 'Support');
      await plan(ada, code, { source: 'dev', target: 'staging' }, 1);
      await apply(ada, 'staging');
      await plan(ada, code, { source: 'staging', target: 'prod' }, 1);
      const mine = ada.page.url();
      await rename(ben, code, 'Urgent tickets');
      await plan(ben, code, { source: 'dev', target: 'prod' }, 1);
      await agree(ben, ada, 'prod');
      await apply(ben, 'prod');
      expect(await nameInProd(code)).toBe('Urgent tickets');

      await ada.page.goto(mine);
      await ada.press('button', 'Plan it again');
      await ada.sees('The target has changed, too');
      await hand.check(ada.page.getByRole('radio', { name: hand.t('Take the source') }));
      await ada.press('button', 'Plan it with {count} choice', { count: 1 });
      await agree(ada, ben, 'prod');
      await apply(ada, 'prod');
      expect(await nameInProd(code)).toBe('Support');

      await ada.press('button', 'Roll it back');
      await ada.write(hand.t('Reason'), 'too early');
      await ada.press('button', 'Roll back {count} resource', { count: 1 });
      await agree(ada, ben, 'prod');
      await apply(ada, 'prod');
      expect(await nameInProd(code)).toBe('Urgent tickets');

      await plan(ada, code, { source: 'staging', target: 'prod' }, 1);
      await hand.check(ada.page.getByRole('radio', { name: hand.t('Take the source') }));
      await ada.press('button', 'Plan it with {count} choice', { count: 1 });
      await agree(ada, ben, 'prod');
      await apply(ada, 'prod');
      expect(await nameInProd(code)).toBe('Support');

      const { token } = await newUser([`${code}_USER`.toUpperCase()], author.tenant);
      const prod = { headers: { 'X-Environment': 'prod' } };
      const payload = { title: 'It works', hours: '1', state: 'new' };
      await execute(token, `${code}:create_${code}`, { payload }, prod);
      expect((await list(token, `${code}s`, {}, prod)).body.data).toMatchObject({ total: 1 });
      expect([...ada.problems, ...ben.problems]).toEqual([]);
    },
    STORY_MS,
  );
});
