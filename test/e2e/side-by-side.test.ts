import { cp, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newApplication } from '../support/application.ts';
import { dataOf, ends, startKeelson } from '../support/cli.ts';
import { until } from '../support/faults.ts';
import { startOwnNode } from '../support/own-node.ts';
import { newTenant, newUser, type TestUser } from '../support/world.ts';

const MODEL = 'resources/model/ticket.yaml';

let folder: string;
let ada: { readonly user: TestUser; readonly app: string };
let ben: typeof ada;

const edit = async ({ app }: typeof ada, change: (text: string) => string, file = MODEL) => {
  const path = join(app, file);
  const before = await readFile(path, 'utf8');
  const after = change(before);
  expect(after).not.toBe(before);
  await writeFile(path, after);
};
const textOf = ({ app }: typeof ada, file = MODEL) => readFile(join(app, file), 'utf8');
const run = ({ user, app }: typeof ada, code: number, args: string[], said: object = {}) =>
  ends(code, [...args, '--dir', app], { as: user, ...said });
const withField = (code: string) => (text: string) =>
  text.replace(/( {2}fields:\n)/, `$1    - { code: ${code}, name: ${code}, type: string }\n`);

beforeAll(async () => {
  await startOwnNode('sidebyside');
  folder = await mkdtemp(join(tmpdir(), 'keelson-side-'));
  const app = await newApplication(folder);
  const tenant = await newTenant();
  const [first, second] = await Promise.all([newUser(['PLATFORM_ADMIN'], tenant), newUser(['PLATFORM_ADMIN'], tenant)]);
  ada = { user: first, app };
  await run(ada, 0, ['apply', '--yes']);
  const copy = join(folder, 'copy');
  await cp(app, copy, { recursive: true });
  ben = { user: second, app: copy };
});
afterAll(() => rm(folder, { recursive: true }));

describe('keelson apply, where two authors work side by side', () => {
  it('merges what another has changed since into the file, names them, and applies both', async () => {
    await edit(ada, withField('of_ada'));
    await run(ada, 0, ['apply', '--yes']);
    await edit(ben, (text) => `# Ben's\n${text.replace('name: Ticket', 'name: A ticket')}`);
    await run(ben, 0, ['apply', '--dry-run'], { err: /MODEL\/ticket was changed by .* at 20.*: merged into the file/ });
    expect(await textOf(ben)).not.toContain('of_ada');

    await run(ben, 0, ['apply', '--yes'], {
      err: new RegExp(`MODEL/ticket was changed by ${ada.user.email} at 20.*: merged into the file`),
    });
    expect(await textOf(ben)).toMatch(/# Ben's[^]*name: A ticket[^]*of_ada/);
    await run(ada, 0, ['pull', '--force']);
    expect(await textOf(ada)).toMatch(/name: A ticket[^]*of_ada/);
  });

  it('applies nothing where both have changed the same, until one side is chosen', async () => {
    await edit(ada, (text) => text.replace('name: A ticket', "name: Ada's"));
    await run(ada, 0, ['apply', '--yes']);
    await edit(ben, (text) => withField('of_ben')(text.replace('name: A ticket', "name: Ben's")));
    const refused = /you both changed name\. keelson apply --theirs MODEL\/ticket, or --ours MODEL\/ticket/;
    await run(ben, 4, ['apply', '--yes'], { err: refused });
    expect(await textOf(ben)).toContain("Ben's");

    await run(ben, 0, ['drift'], { out: /Since your last apply or pull \(20.*\): MODEL\/ticket/ });
    await run(ben, 0, ['apply', '--yes', '--ours', 'MODEL/ticket'], { err: 'yours replaces it' });
    await run(ada, 0, ['pull', '--force']);
    expect(await textOf(ada)).toMatch(/Ben's[^]*of_ben/);

    await edit(ada, (text) => text.replace("name: Ben's", 'name: Ticket'));
    await run(ada, 0, ['apply', '--yes']);
    await edit(ben, (text) => text.replace("name: Ben's", 'name: Case'));
    await run(ben, 0, ['apply', '--yes', '--theirs', 'MODEL/ticket'], { err: 'theirs is in the file' });
    expect(await textOf(ben)).toContain('name: Ticket');
    await run(ben, 2, ['apply', '--ours', 'MODEL/ticket', '--theirs', 'MODEL/ticket'], { err: 'is named by' });
  });

  it('prunes nothing that another has added since', async () => {
    const page = 'resources/page-schema/others.yaml';
    await writeFile(
      join(ada.app, page),
      'resourceType: PAGE_SCHEMA\ncode: others\ncontent: { name: Others, modelCode: ticket, columns: [created_at] }\n',
    );
    await run(ada, 0, ['apply', '--yes']);
    await run(ben, 4, ['apply', '--yes', '--prune'], { err: /PAGE_SCHEMA\/others was changed by .*the files lack it/ });
    await run(ben, 0, ['pull', 'PAGE_SCHEMA/others']);
    await run(ben, 0, ['apply', '--yes', '--prune'], { out: 'dev is what the files say' });
  });

  it('keeps its base to itself, and goes on without one', async () => {
    const file = join(ben.app, '.keelson/base.json');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(join(ben.app, '.gitignore'), 'utf8')).toMatch(/^\.keelson\/$/m);
    await writeFile(file, 'no JSON');
    await edit(ben, (text) => text.replace('name: Ticket', 'name: Issue'));
    await run(ben, 0, ['apply', '--yes']);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(expect.any(Object));
  });
});

describe('keelson drift', () => {
  it('says what has changed since the last apply of this checkout', async () => {
    await run(ada, 0, ['pull', '--force']);
    const { sinceYours } = await dataOf(['drift', '--dir', ada.app, '--json'], 0, { as: ada.user });
    expect(sinceYours).toEqual({ at: expect.stringMatching(/^20/), resources: [] });
  });
});

describe('keelson watch, where two authors work side by side', () => {
  it('merges what the other has applied meanwhile, and applies both', async () => {
    const { child, ended } = startKeelson(['watch', '--dir', ben.app], { as: ben.user });
    try {
      await edit(ada, withField('later'));
      await run(ada, 0, ['apply', '--yes']);
      await edit(ben, (text) => text.replace('name: Issue', 'name: Case'));
      await until('both changes in the file', async () =>
        /name: Case[^]*later|later[^]*name: Case/.test(await textOf(ben)),
      );
      await until('the change of the other in dev', async () => {
        await run(ada, 0, ['pull', '--force']);
        return (await textOf(ada)).includes('name: Case');
      });
    } finally {
      child.kill('SIGINT');
      await ended;
    }
  });
});
