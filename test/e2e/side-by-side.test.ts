import { cp, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { newApplication } from '../support/application.ts';
import { dataOf, ends, startKeelson } from '../support/cli.ts';
import { until } from '../support/faults.ts';
import { startOwnNode } from '../support/own-node.ts';
import { newTenant, newUser, type TestUser } from '../support/world.ts';

const MODEL = 'resources/model/ticket.yaml';

const servers: Server[] = [];
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

/**
 * The address of the node, where something is done before a request to this path is answered.
 * @param act is told how many there were; gives false where the request gets no answer
 */
async function before(path: RegExp, act: (count: number) => unknown): Promise<string> {
  let count = 0;
  const server = createServer((request, response) => {
    const { method, headers, url = '' } = request;
    const acted = path.test(url) ? act((count += 1)) : null;
    const forward = async () => {
      if ((await acted) === false) return void request.destroy();
      const target = `${process.env.KEELSON_TEST_URL}${url}`;
      const answer = await fetch(target, {
        method,
        headers: { authorization: headers.authorization ?? '', 'content-type': headers['content-type'] ?? '' },
        ...(method === 'POST' && { body: await text(request) }),
      });
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
      response.end(await answer.text());
    };
    void forward();
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

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
afterAll(async () => {
  for (const server of servers) server.close();
  await rm(folder, { recursive: true });
});

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

  it('keeps what the author saves while the service is asked, and merges that', async () => {
    const saving = await before(
      /\/drift/,
      async (count) => count > 1 || edit(ben, (yaml) => `${yaml}# Saved meanwhile\n`),
    );
    const env = { KEELSON_URL: saving };
    // What both have in common is known by the address.
    await run(ben, 0, ['apply', '--yes'], { env });
    await edit(ada, withField('meanwhile'));
    await run(ada, 0, ['apply', '--yes']);

    await run(ben, 0, ['apply', '--yes'], { env, err: 'merged into the file' });

    expect(await textOf(ben)).toMatch(/code: meanwhile[^]*# Saved meanwhile/);
    await run(ada, 0, ['pull', '--force']);
    await run(ben, 0, ['apply', '--yes']);
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

describe('keelson rollback, in a checkout', () => {
  it('is a change like that of another author: drift names it, and apply keeps it', async () => {
    const file = 'resources/page-schema/tickets.yaml';
    await run(ada, 0, ['pull', '--force']);
    const before = await textOf(ada, file);
    await edit(ada, (text) => text.replace(/^( {2}name: ).*/m, '$1All of them'), file);
    await run(ada, 0, ['apply', '--yes']);
    const out = 'Next: keelson pull PAGE_SCHEMA/tickets takes it into its file\n';
    await run(ada, 0, ['rollback', 'PAGE_SCHEMA/tickets', '--yes'], { out });
    expect(await textOf(ada, file)).not.toBe(before);

    await run(ada, 3, ['drift'], { out: /Since your last apply or pull \(20.*\): PAGE_SCHEMA\/tickets/ });
    await run(ada, 0, ['apply', '--yes'], { err: /PAGE_SCHEMA\/tickets was changed by .*: merged into the file/ });
    expect(await textOf(ada, file)).toBe(before);
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

  it('applies what was saved while the service was away', async () => {
    await run(ben, 0, ['apply', '--yes']);
    // The first asks whether files may be applied at all.
    const away = await before(/\/apply/, (count) => count === 1 || count > 4);
    await edit(ben, (yaml) => yaml.replace('name: Case', 'name: File'));
    const { child, printed, ended } = startKeelson(['watch', '--dir', ben.app], {
      as: ben.user,
      env: { KEELSON_URL: away },
    });
    try {
      await until('the change is in dev', () => printed.out.includes('update MODEL/ticket'));
    } finally {
      child.kill('SIGINT');
      await ended;
    }
  });
});
