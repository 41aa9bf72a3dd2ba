import { execFile } from 'node:child_process';
import { chmod, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { call, execute, list, dataOf, refusal } from '../support/api.ts';
import { ENTRY } from '../support/cli.ts';
import { until } from '../support/faults.ts';
import { startOwnNode } from '../support/own-node.ts';
import { Receiver } from '../support/receiver.ts';
import { newKey } from '../support/keys.ts';
import { VERSION } from '../../cli/version.mjs';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

const EXAMPLE = fileURLToPath(new URL('../../examples/helpdesk', import.meta.url));
const RECIPE = new URL('../../docs/ci.md', import.meta.url);

let folder: string;
let app: string;
let tenant: TestTenant;
let creator: TestUser;
let approver: TestUser;
let recipe: ReadonlyMap<string, string>;
const keys = { creator: '', approver: '' };

beforeAll(async () => {
  await startOwnNode('helpdesk');
  folder = await mkdtemp(join(tmpdir(), 'keelson-helpdesk-'));
  app = join(folder, 'helpdesk');
  await cp(EXAMPLE, app, { recursive: true });
  // The name under which the recipe calls the command line.
  await writeFile(join(folder, 'keelson'), `#!/bin/sh\nexec ${process.execPath} ${ENTRY} "$@"\n`);
  await chmod(join(folder, 'keelson'), 0o755);
  tenant = await newTenant();
  [creator, approver] = await Promise.all([newUser(['PLATFORM_ADMIN'], tenant), newUser(['PLATFORM_ADMIN'], tenant)]);
  const text = await readFile(RECIPE, 'utf8');
  recipe = new Map(
    [...text.matchAll(/^```sh (\S+)\n([^]*?)^```/gm)].map(([, name = '', script = '']) => [name, script]),
  );
  // The scopes are those that the table of variables names.
  const scopesOf = (variable: string): string[] => {
    const row = text.split('\n').find((line) => line.startsWith(`| \`${variable}\``)) ?? '';
    return [...row.matchAll(/`(admin:\w+)`/g)].map(([, scope = '']) => scope);
  };
  keys.creator = (await newKey(creator, scopesOf('KEELSON_TOKEN'))).key;
  keys.approver = (await newKey(approver, scopesOf('KEELSON_APPROVER_TOKEN'))).key;
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

/** Runs a script in the application's directory, with the variables of the recipe. */
function shell(script: string): Promise<{ code: number; out: string }> {
  const env = {
    PATH: `${folder}:${process.env.PATH}`,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    KEELSON_URL: process.env.KEELSON_TEST_URL,
    KEELSON_TOKEN: keys.creator,
    KEELSON_APPROVER_TOKEN: keys.approver,
    APP: 'helpdesk',
    COMMIT: 'abc123',
  };
  return new Promise((resolve) => {
    execFile('/bin/sh', ['-c', script], { cwd: app, env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, out: `${stdout}${stderr}` }),
    );
  });
}
const step = (name: string) => shell(recipe.get(name) ?? `echo no script ${name}; exit 99`);

describe('the recipe of docs/ci.md', () => {
  it('refuses stale types', async () => {
    await shell('keelson types --dir . -o keelson-app.d.ts');
    const page = join(app, 'resources/page-schema/articles.yaml');
    const before = await readFile(page, 'utf8');
    await writeFile(page, before.replace('columns: [title,', 'columns: [title, body,'));

    expect(await step('pull-request')).toMatchObject({ code: 1, out: expect.stringContaining('is stale') });

    await writeFile(page, before);
  });

  it('shows a pull request what it changes in dev, and changes nothing', async () => {
    expect(await step('pull-request')).toMatchObject({ code: 0 });

    const comment = await readFile(join(app, 'comment.md'), 'utf8');
    expect(comment).toMatch(
      /^### What the merge changes in dev\n<pre>\n[^]*\+ MODEL\/ticket {2}- -> 1\n[^]*<\/pre>\n$/,
    );
    const { total } = dataOf(await call('/api/meta/resources?app=helpdesk', { token: creator.token }));
    expect(total).toBe(0);
  });

  it('applies a merge to dev and promotes it to staging', async () => {
    expect(await step('merge')).toMatchObject({ code: 0, out: expect.stringContaining('APPLIED') });
  });

  it('releases to prod what a second person has approved', async () => {
    expect(await step('release')).toMatchObject({ code: 0 });
    expect(await step('apply')).toMatchObject({ code: 5, out: expect.stringContaining('FOUR_EYES_REQUIRED') });
    expect(await step('approve')).toMatchObject({ code: 0 });
    expect(await step('apply')).toMatchObject({ code: 0, out: expect.stringContaining('APPLIED') });

    const headers = { 'x-environment': 'prod' };
    const { total } = dataOf(await call('/api/meta/resources?app=helpdesk', { token: creator.token, headers }));
    expect(total).toBe(22);
  });

  it('has nothing to do the next time, and finds no drift', async () => {
    for (const name of ['pull-request', 'merge', 'release', 'approve', 'apply', 'nightly']) {
      expect([name, await step(name)]).toEqual([name, expect.objectContaining({ code: 0 })]);
    }
    expect(await readFile(join(app, 'comment.md'), 'utf8')).toContain('dev is what the files say');
    expect((await readFile(join(app, 'promotion.txt'), 'utf8')).trim()).toBe('');
    // Each step starts programs, which a busy machine does one after the other.
  }, 600_000);
});

describe('the workflow that keelson init makes', () => {
  it('installs the command line by name and version, and takes the scopes of the recipe', async () => {
    expect(await shell(`keelson init '${join(folder, 'fresh')}'`)).toMatchObject({ code: 0 });
    const workflow = await readFile(join(folder, 'fresh/.github/workflows/keelson.yaml'), 'utf8');
    const installs = workflow.split('\n').filter((line) => line.includes('npm install'));
    expect(installs).toEqual(Array(2).fill(`      - run: npm install --no-save @keelson/cli@${VERSION}`));
    expect(workflow).toContain('admin:environments, admin:promotions and admin:metadata');
    expect(workflow).not.toContain('CLI_VERSION');
  });
});

describe('keelson test', () => {
  const solve = 'resources/command/helpdesk.solve_ticket.yaml';

  it('tries the examples of the files', async () => {
    const { code, out } = await shell('keelson test');
    expect(out).toMatch(
      /^helpdesk:solve_ticket\n {2}ok {4}Needs an assignee\n[^]*\ndev: 5 passed, 0 failed, 0 skipped\n$/,
    );
    expect(code).toBe(0);
  });

  it('shows what fails of unsaved content, and exits with 1', async () => {
    const before = await readFile(join(app, solve), 'utf8');
    await writeFile(
      join(app, solve),
      before.replace('error: { code: CONFLICT, reason: STATE }', 'result: { ticket: { state: solved } }'),
    );

    const { code, out } = await shell('keelson test helpdesk:solve_ticket');
    expect(out).toMatch(/ {2}FAIL {2}Needs an assignee\n {10}error\n {12}- null\n {12}\+ .*"STATE"/);
    expect(code).toBe(1);
    const json = await shell('keelson test helpdesk:solve_ticket --json');
    expect(JSON.parse(json.out)).toMatchObject({ environment: 'dev', passed: 1, failed: 1, problems: [] });

    await writeFile(join(app, solve), before.replace('record.assignee', 'record.assigned_to'));
    expect(await shell('keelson test')).toMatchObject({
      code: 1,
      out: expect.stringMatching(/solve_ticket\.yaml:\d+:\d+: /),
    });
    await writeFile(join(app, solve), before);
    expect(await shell('keelson test helpdesk:fly')).toMatchObject({
      code: 1,
      out: expect.stringContaining('not a COMMAND'),
    });
  });
});

describe('the helpdesk in prod', () => {
  const prod = { headers: { 'x-environment': 'prod' } };
  let agent: TestUser;
  let requester: TestUser;
  let ticket: string;
  let receiver: Receiver;
  const work = async (who: TestUser, command: string, body: object) =>
    execute(who.token, `helpdesk:${command}`, body, prod);
  const onTicket = (who: TestUser, command: string, payload: object = {}) =>
    work(who, command, { targetRecordId: ticket, payload });
  const tickets = async (who: TestUser) => dataOf(await list(who.token, 'tickets', {}, prod)).records;

  beforeAll(async () => {
    agent = await newUser(['AGENT'], tenant);
    requester = await newUser(['REQUESTER'], tenant);
    receiver = await Receiver.start();
    await call('/api/webhooks', {
      token: creator.token,
      ...prod,
      body: { name: 'solved', targetUrl: receiver.url, eventType: 'ticket.solved', modelCode: 'ticket' },
    });
  });

  it('takes a ticket, which its requester and agents see', async () => {
    ticket = dataOf(await work(requester, 'create_ticket', { payload: { subject: 'No paper' } })).pid;
    const other = await newUser(['REQUESTER'], tenant);

    expect(await tickets(agent)).toMatchObject([{ subject: 'No paper', state: 'new', requester: requester.pid }]);
    expect(await tickets(requester)).toHaveLength(1);
    expect(await tickets(other)).toEqual([]);
    expect(refusal(await onTicket(requester, 'take_ticket'))).toMatchObject({ status: 403 });
  });

  it('lets no state be left out', async () => {
    const solution = { solution: 'Paper is in the cupboard' };
    expect(refusal(await onTicket(agent, 'solve_ticket', solution))).toMatchObject({
      status: 409,
      data: { reason: 'STATE', state: 'new' },
    });
    dataOf(await onTicket(agent, 'take_ticket'));
    dataOf(await onTicket(agent, 'wait_for_requester', { question: 'Which printer?' }));
    dataOf(await work(requester, 'add_comment', { payload: { ticket, body: 'The one on floor 2' } }));
    dataOf(await onTicket(agent, 'solve_ticket', solution));
    const { records } = dataOf(await list(requester.token, 'comments', {}, prod));
    expect(records.map(({ body }: { body: string }) => body)).toEqual([
      'Which printer?',
      'The one on floor 2',
      'Paper is in the cupboard',
    ]);
  });

  it('tells subscribers of a solved ticket', async () => {
    await until('the delivery', async () => receiver.received.length > 0);
    expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({ result: { ticket: { pid: ticket } } });
  });

  it('closes a solved ticket after a while, and counts it', async () => {
    await until('closing', async () => (await tickets(agent))[0]?.state === 'closed');
    const rows = dataOf(
      await call('/api/datasource/list?datasourceId=tickets_by_state', { token: agent.token, ...prod }),
    );
    expect(rows).toEqual([{ state: 'closed', count: 1 }]);
  });
});
