import { cp, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEMO } from '../../scripts/database/load-application.ts';
import { call } from '../support/api.ts';
import { newApplication, write } from '../support/application.ts';
import { dataOf, ends, keelson, person, startKeelson } from '../support/cli.ts';
import { until } from '../support/faults.ts';
import { insert } from '../support/models.ts';
import { startOwnNode } from '../support/own-node.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

let folder: string;
let app: string;
let tenant: TestTenant;
let admin: TestUser;

beforeAll(async () => {
  await startOwnNode('files');
  folder = await mkdtemp(join(tmpdir(), 'keelson-files-'));
  app = await newApplication(folder);
  tenant = await newTenant();
  admin = await newUser(['PLATFORM_ADMIN'], tenant);
  person.present = admin;
  // The environment has the demo: an application of its own.
  await ends(0, ['apply', '--yes', '--dir', DEMO], { out: /^dev is what the files say\n/ });
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

const at = (...args: string[]): string[] => [...args, '--dir', app];
const read = (file: string): Promise<string> => readFile(join(app, file), 'utf8');
const MODEL = 'resources/model/ticket.yaml';
/** Edits a file. */
async function edit(file: string, from: string, to: string): Promise<void> {
  await write(app, file, (await read(file)).replace(from, to));
}

describe('keelson apply', () => {
  it('shows its plan, and without --yes needs a terminal to ask at', async () => {
    await ends(2, at('apply'), { out: /\+ MODEL\/ticket {2}- -> 1\n {6}sql: create table/, err: 'add --yes' });
    await ends(0, at('apply', '--dry-run'), { out: '9 to add, 0 to update, 0 to remove' });
  });

  it('applies what keelson init makes in one transaction; a second one changes nothing and says so', async () => {
    await ends(0, at('apply', '--yes'), { out: /Applied 9 changes to dev, as promotion [0-9A-Z]{26}\n$/ });
    await ends(0, at('apply', '--yes'), { out: /^dev is what the files say\n/ });
  });

  it('writes resources that refer to each other together', async () => {
    const model = (code: string, other: string): string =>
      `resourceType: MODEL\ncode: ${code}\ncontent:\n  name: X\n  fields:\n    - { code: other, name: Other, type: relation, target: ${other} }\n`;
    await write(app, 'resources/model/hen.yaml', model('hen', 'egg'));
    await write(app, 'resources/model/egg.yaml', model('egg', 'hen'));
    await ends(0, at('apply', '--yes'), { out: 'Applied 2 changes' });
  });

  it('tells file, line and column of what is wrong, and applies nothing', async () => {
    await edit(MODEL, 'type: date', 'type: dat');
    await ends(1, at('apply', '--yes'), {
      err: /my-app\/resources\/model\/ticket\.yaml:17:\d+: content\.fields\.3\.type /,
    });
    await edit(MODEL, 'type: dat,', 'type: date,');
  });

  it('refuses what would break a reference, at its place, with the exit code of conflicts', async () => {
    await edit('resources/page-schema/tickets.yaml', 'due_on]', 'due_by]');
    await ends(4, at('apply', '--yes'), {
      err: /tickets\.yaml:7:\d+: PAGE_SCHEMA\/tickets: ticket\.due_by is not in the target \(MISSING_DEPENDENCY\)/,
    });
    await edit('resources/page-schema/tickets.yaml', 'due_by]', 'due_on]');
  });

  it('hides data only where --allow-destructive names the resource: --yes does not cover it', async () => {
    await insert(tenant, 'ticket', [{ title: 'a', notes: 'b' }]);
    await edit(MODEL, '    - { code: notes, name: Notes, type: text }\n', '');
    await ends(1, at('apply', '--yes'), { err: /ticket\.yaml.*\n.*--allow-destructive MODEL\/ticket\n$/ });
    await ends(0, at('apply', '--yes', '--allow-destructive', 'MODEL/ticket'), { out: 'Applied 1 change to dev' });
  });

  it('makes a promotion where the environment is no place for designers', async () => {
    const applied = await dataOf(at('apply', '--yes', '--env', 'staging'), 5);
    expect(applied).toMatchObject({ status: 'WAITING', needsPromotion: true, promotion: { status: 'VALIDATED' } });
    await ends(0, ['promotion', 'apply', applied.promotion.pid, '--reason', 'a test'], { out: 'APPLIED' });
    await ends(0, at('apply', '--yes', '--env', 'staging'), { out: /^staging is what the files say\n/ });
    // A promotion from dev has nothing to add: files give resources the same pids and versions everywhere.
    const { out } = await keelson(['diff', 'dev', 'staging']);
    expect(out).not.toContain('MODEL/ticket');
  });
});

describe('keelson diff, pull and drift', () => {
  it('exit with 3 where somebody has changed the environment, and say who; pull writes it to the files', async () => {
    await ends(0, at('drift'), { out: 'dev has not changed since' });
    const content = { name: 'All tickets', modelCode: 'ticket', columns: ['title', 'status', 'priority', 'due_on'] };
    const payload = { resourceType: 'PAGE_SCHEMA', code: 'tickets', content };
    await call('/api/meta/commands/execute/meta:save', { token: admin.token, body: { payload } });
    await ends(3, at('diff'), { out: '~ PAGE_SCHEMA/tickets' });
    await ends(3, at('drift'), { out: new RegExp(`CHANGED +PAGE_SCHEMA/tickets +2 +${admin.email}`) });

    await edit('resources/page-schema/tickets.yaml', 'content:', '# What agents look at.\ncontent:');
    await ends(1, at('pull'), { err: /edits that are not committed.*\n.*tickets\.yaml/ });
    const command = await read('resources/command/desk.close_ticket.yaml');
    await ends(0, at('pull', '--force'), { out: /updated +\S*tickets\.yaml/ });
    const page = await read('resources/page-schema/tickets.yaml');
    expect(page).toContain('# What agents look at.\ncontent:\n  name: All tickets\n');
    expect(await read('resources/command/desk.close_ticket.yaml')).toBe(command);
    await ends(0, at('pull'), { out: 'The files are what dev has' });
  });

  it('leave alone what the files of another application have; --prune removes what no files have', async () => {
    await rm(join(app, 'resources/model/hen.yaml'));
    await rm(join(app, 'resources/model/egg.yaml'));
    await ends(3, at('diff'), { out: /Only in the environment .*\n {2}\? MODEL\/egg\n {2}\? MODEL\/hen\n\n?/ });
    await ends(0, at('apply', '--yes'), { out: /^dev is what the files say\nOnly in/ });
    await ends(0, at('apply', '--yes', '--prune'), { out: '0 to add, 0 to update, 2 to remove' });
    await ends(0, at('diff'), { out: /^dev is what the files say\n$/ });
    await ends(0, ['diff', '--dir', DEMO], { out: /^dev is what the files say\n$/ });
  });

  it('a renamed resource is one change, and keeps its pid', async () => {
    const page = 'resources/page-schema/tickets.yaml';
    await write(app, 'resources/page-schema/cases.yaml', (await read(page)).replace('code: tickets', 'code: cases'));
    await rm(join(app, page));
    await edit('resources/page-schema/cases.yaml', 'content:\n', 'content:\n  renamedFrom: tickets\n');
    const plan = /^ {2}~ PAGE_SCHEMA\/cases {2}\d -> \d {2}renamed from tickets\n.*renamedFrom.*\n\nfiles/;
    await ends(3, at('diff'), { out: plan });
    await ends(0, at('apply', '--yes', '--prune'), { out: 'Applied 1 change to dev' });
    await ends(0, at('apply', '--yes', '--prune'), { out: /^dev is what the files say\n/ });
    await ends(0, at('drift'), { out: 'has not changed since' });
    await write(app, page, (await read('resources/page-schema/cases.yaml')).replace('code: cases', 'code: tickets'));
    await edit(page, 'renamedFrom: tickets', 'renamedFrom: cases');
    await rm(join(app, 'resources/page-schema/cases.yaml'));
    await ends(0, at('apply', '--yes'), { out: 'renamed from cases' });
  });

  it('pull writes what has no file yet, in the order that a person expects', async () => {
    await rm(join(app, 'resources/model/ticket.yaml'));
    await ends(0, at('pull', 'MODEL/ticket'), { out: /added +\S*model\/ticket\.yaml/ });
    expect(await read(MODEL)).toMatch(
      /^# yaml-language-server: .*\nresourceType: MODEL\ncode: ticket\ncontent:\n {2}name: Ticket\n {2}fields:\n {4}- code: title\n/,
    );
    await ends(0, at('diff'));
  });
});

describe('the application of a resource', () => {
  const resources = async (query: string) =>
    (await call(`/api/meta/resources?pageSize=100&${query}`, { token: admin.token })).body.data;

  it('is the one whose files have it: GET /api/meta/resources?app= answers its resources', async () => {
    expect((await resources('app=my-app')).total).toBe(9);
    const { records } = await resources('app=my-app&resourceType=MODEL');
    expect(records).toMatchObject([{ code: 'ticket', content: { app: 'my-app' } }]);
    expect((await resources('app=crm&resourceType=MODEL')).total).toBeGreaterThan(1);
    expect((await resources('app=other')).total).toBe(0);
  });

  it('is not changed by the files of another one', async () => {
    const file = 'resources/page-schema/leads.yaml';
    await write(
      app,
      file,
      'resourceType: PAGE_SCHEMA\ncode: leads\ncontent: { name: Mine, modelCode: ticket, columns: [title] }\n',
    );
    const conflict =
      /leads\.yaml:1:1: PAGE_SCHEMA\/leads: It belongs to the application crm, .*\(OTHER_APPLICATION\)\n/;
    await ends(4, at('apply', '--yes'), { err: conflict });
    await rm(join(app, file));
    await ends(1, at('pull', 'PAGE_SCHEMA/leads'), { err: 'PAGE_SCHEMA/leads belongs to the application crm' });
    await edit(MODEL, 'content:\n', 'content:\n  app: crm\n');
    await ends(1, at('lint'), { out: /ticket\.yaml:5:\d+: content\.app must be my-app/ });
    await edit(MODEL, '  app: crm\n', '');
  });

  it('is none for what a designer saves without one: no files remove it, pull by name makes a file of it', async () => {
    const content = { name: 'Loose', modelCode: 'ticket', columns: ['title'] };
    const payload = { resourceType: 'PAGE_SCHEMA', code: 'loose', content };
    await call('/api/meta/commands/execute/meta:save', { token: admin.token, body: { payload } });
    await ends(0, at('diff'), { out: /Of no application .*\n {2}\? PAGE_SCHEMA\/loose\n/ });
    await ends(0, at('apply', '--yes', '--prune'), { out: /^dev is what the files say\n/ });
    await ends(0, at('pull'), { out: 'The files are what dev has' });
    await ends(0, at('pull', 'PAGE_SCHEMA/loose'), { out: /added +\S*loose\.yaml/ });
    expect(await read('resources/page-schema/loose.yaml')).not.toContain('app:');
    await ends(0, at('apply', '--yes'), { out: 'add /app "my-app"' });
    await rm(join(app, 'resources/page-schema/loose.yaml'));
    await ends(0, at('apply', '--yes', '--prune'), { out: '- PAGE_SCHEMA/loose' });
  });

  it('is what promotion create --app promotes', async () => {
    await edit(MODEL, 'name: Ticket', 'name: A ticket');
    await ends(0, at('apply', '--yes'));
    const { out } = await keelson(['diff', 'dev', 'staging', '--app', 'my-app']);
    expect(out).toMatch(/~ MODEL\/ticket[^]*\ndev -> staging: 0 to add/);
    expect(out).not.toContain('lead');
    const reason = ['--apply', '--reason', 'a test'];
    const { plan } = await dataOf(['promotion', 'create', 'dev', 'staging', '--app', 'my-app', ...reason]);
    expect(plan.items).toContainEqual(
      expect.objectContaining({ resourceType: 'MODEL', code: 'ticket', action: 'UPDATE' }),
    );
    await ends(0, ['promotion', 'create', 'dev', 'staging', '--app', 'my-app'], {
      out: 'dev and staging are the same',
    });
    await edit(MODEL, 'name: A ticket', 'name: Ticket');
    await ends(0, at('apply', '--yes'));
  });

  it('stands in place of units at POST /api/admin/promotions', async () => {
    const body = { sourceEnvId: 1, targetEnvId: 2 };
    const create = async (more: object) =>
      (await call('/api/admin/promotions', { token: admin.token, body: { ...body, ...more } })).body;
    expect((await create({ app: 'my-app' })).data.units).toMatchObject([{ resourceType: 'MODEL' }]);
    expect((await create({ app: 'other' })).data.fieldErrors).toEqual({ app: expect.stringContaining('nothing') });
    expect((await create({ app: 'my-app', units: '*' })).data.fieldErrors).toEqual({ app: 'goes without units' });
    expect((await create({})).data.fieldErrors).toEqual({ units: expect.stringContaining('units') });
  });
});

describe('keelson types', () => {
  it('prints the same from files as from the environment that they were applied to', async () => {
    const both = join(folder, 'both');
    await cp(app, both, { recursive: true });
    await cp(join(DEMO, 'resources'), join(both, 'resources'), { recursive: true });
    const file = join(folder, 'keelson-app.d.ts');
    await ends(0, ['types', '--dir', both, '-o', file], { out: 'from the files of my-app' });
    await ends(0, ['types', '--env', 'dev', '-o', file, '--check'], {
      out: /is up to date with dev at metadata version \d+\n/,
    });
    await ends(1, ['types', '--env', 'staging', '-o', file, '--check'], { err: 'is stale: it differs from staging' });
  });
});

describe('keelson watch', () => {
  it('applies each save, says what is wrong at file, line and column, and ends with Ctrl-C', async () => {
    const { child, printed, ended } = startKeelson(at('watch'));
    const says = (name: string, text: RegExp) => until(name, async () => text.test(printed.out));
    await says('the first apply', /dev is what the files say/);
    await edit(MODEL, 'name: Ticket', 'name: Case');
    await says('the apply of a save', /update MODEL\/ticket\n.*Applied 1 change to/);
    // As editors do that put a new file in the place of the old one.
    const replace = async (from: string, to: string) => {
      const file = join(app, MODEL);
      await writeFile(`${file}~`, (await read(MODEL)).replace(from, to));
      await rename(`${file}~`, file);
    };
    await replace('name: Case', 'name: Matter');
    await says('the apply of a replaced file', /(.*update MODEL\/ticket\n.*Applied 1 change to .*\n){2}/);
    await replace('name: Matter', 'name: Request');
    await says('the apply of another', /(.*update MODEL\/ticket\n.*Applied 1 change to .*\n){3}/);
    await edit(MODEL, 'type: enum', 'type: enumeration');
    await says('the problem', /ticket\.yaml:\d+:\d+: content\.fields\.1\.type/);
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 0, err: '' });
  });

  it('is refused where the environment takes promotions only', () =>
    ends(1, at('watch', '--env', 'staging'), { err: 'staging changes only through promotion' }));
});
