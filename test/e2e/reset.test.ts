import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newApplication } from '../support/application.ts';
import { call, dataOf, execute, list, refusal } from '../support/api.ts';
import { ends, person } from '../support/cli.ts';
import { until } from '../support/faults.ts';
import { upload } from '../support/files.ts';
import { save } from '../support/models.ts';
import { startNodeHere, startOwnNode, type OwnNode } from '../support/own-node.ts';
import { runSql } from '../support/platform.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

/*
 * Setup: a database of its own with two nodes, and an application as `keelson init` makes it, with its two
 * tickets as data of the test's tenant. What this proves: nothing of the records that are gone is left.
 */
let folder: string;
let app: string;
let tenant: TestTenant;
let admin: TestUser;
let second: OwnNode;

const PATH = '/api/admin/environments/dev/reset';
const preview = async () => dataOf(await call(PATH, { token: admin.token }));
const ask = (body: object, token = admin.token) => call(PATH, { token, body });
const create = (title: string, options: object = {}) =>
  execute(admin.token, 'desk:create_ticket', { payload: { title } }, options);
const titles = async (options: object = {}): Promise<string[]> =>
  (await list(admin.token, 'tickets', {}, options)).body.data.records.map(({ title }: { title: string }) => title);
const totalAt = async (options: object = {}): Promise<number> =>
  (await list(admin.token, 'tickets', {}, options)).body.data.total;

beforeAll(async () => {
  await startOwnNode('reset');
  second = await startNodeHere();
  folder = await mkdtemp(join(tmpdir(), 'keelson-reset-'));
  app = await newApplication(folder);
  tenant = await newTenant();
  admin = await newUser(['PLATFORM_ADMIN'], tenant);
  person.present = admin;
  const users = `password: a-long-password-1
tenants: [{ name: ${tenant.name} }]
users: [{ email: desk@my-app.example, username: Desk, defaultTenant: ${tenant.name}, memberships: [{ tenant: ${tenant.name}, roles: [AGENT] }] }]
`;
  await writeFile(join(app, 'data/users.yaml'), users);
  await ends(0, ['apply', '--dir', app, '--yes']);
});
afterAll(() => rm(folder, { recursive: true }));

/** Tables of an environment that a reset empties, itself or with the rows that they belong to. */
const EMPTIED = [
  'automation_run',
  'automation_step',
  'awaited_event',
  'change_log',
  'command_execution',
  'data_import',
  'event',
  'file',
  'file_reference',
  'sequence_counter',
  'webhook_delivery',
];
/** What a worker holds meanwhile is left to it, and the bytes of a file go before its row. */
const EMPTIED_LATER = ['awaited_event', 'event', 'file', 'webhook_delivery'];
/** Those that it leaves: configuration, what people have set up, and what was done by whom. */
const KEPT = [
  'ai_conversation',
  'application_manifest',
  'audit_entry',
  'automation_schedule',
  'dsl_resource',
  'dsl_resource_version',
  'environment_secret',
  'field_rename',
  'im_channel_binding',
  'saved_view',
  'table_build',
  'webhook_recovery',
  'webhook_subscription',
];

describe('keelson reset', () => {
  it('decides about every table of an environment', async () => {
    const tables = await runSql<{ tableName: string }>(
      `select table_name from information_schema.columns
       where table_schema = 'platform' and column_name = 'environment' order by table_name`,
    );
    expect(tables.map(({ tableName }) => tableName)).toEqual([...EMPTIED, ...KEPT].toSorted());
  });

  it('shows what goes, asks, and changes nothing without consent', async () => {
    dataOf(await create('Of a person'));
    const shown = /^dev loses 1 record of all tenants:\n {2}ticket: 1\nand what they have left:\n[^]*executions: 1\n/;
    await ends(0, ['reset', '--dir', app, '--dry-run'], { out: shown });
    await ends(2, ['reset', '--dir', app], { out: shown, err: 'There is no terminal to ask at: add --yes' });
    expect(await titles()).toEqual(['Of a person']);
  });

  it('leaves the records of data/ and nothing else, on every node', async () => {
    expect([await totalAt(), await totalAt({ baseUrl: second.url })]).toEqual([1, 1]);
    await ends(0, ['reset', '--dir', app, '--yes', '--reason', 'a test'], { out: 'dev has 2 records of data/\n' });

    for (const options of [{}, { baseUrl: second.url }]) {
      expect(await totalAt(options)).toBe(2);
      expect(await titles(options)).not.toContain('Of a person');
    }
    const { recordCount, others } = await preview();
    expect({ recordCount, ...others }).toMatchObject({ recordCount: 2, executions: 0, history: 0, events: 0, runs: 0 });
    const [entry] = dataOf(await call('/api/admin/audit?action=environment.reset', { token: admin.token })).records;
    expect(entry).toMatchObject({
      environment: 'dev',
      reason: 'a test',
      before: { recordCount: 1, executions: 1 },
      after: { recordCount: 2 },
    });
  });

  it('may be repeated, and writes nothing with --empty', async () => {
    await ends(0, ['reset', '--dir', app, '--yes']);
    expect(await totalAt()).toBe(2);
    await ends(0, ['reset', '--dir', app, '--yes', '--empty']);
    expect(await totalAt()).toBe(0);
  });

  it('sends nothing while the data are wrong', async () => {
    dataOf(await create('Stays'));
    const file = join(app, 'data/records/ticket.yaml');
    await appendFile(file, '- { title: 5, statuss: open }\n');
    await ends(1, ['reset', '--dir', app, '--yes'], { err: /ticket\.yaml:\d+:\d+.* did you mean status\?/ });
    expect(await titles()).toEqual(['Stays']);
  });

  it('is for dev alone', async () => {
    await writeFile(join(app, 'data/records/ticket.yaml'), '[]\n');
    await ends(1, ['reset', '--dir', app, '--env', 'staging', '--yes'], {
      err: 'CONFLICT: Only the records of dev can be emptied',
    });
  });
});

describe('POST /api/admin/environments/{environment}/reset', () => {
  it('is for administrators of environments', async () => {
    const { token } = await newUser(['ADMIN'], tenant);
    expect(refusal(await ask({ recordCount: 0 }, token)).status).toBe(403);
    expect((await call(PATH, { token })).status).toBe(403);
  });

  it('wants the number of records that go', async () => {
    const { recordCount } = await preview();
    expect(refusal(await ask({ recordCount: recordCount + 1 })).data.fieldErrors).toEqual({
      recordCount: `is ${recordCount} by now, not ${recordCount + 1}`,
    });
  });

  it('is refused while dev is locked', async () => {
    dataOf(await call('/api/admin/environments/dev/lock', { token: admin.token, body: { reason: 'a freeze' } }));
    const { recordCount } = await preview();
    expect(refusal(await ask({ recordCount }))).toMatchObject({ status: 409, code: 'ENVIRONMENT_LOCKED' });
    dataOf(await call('/api/admin/environments/dev/unlock', { token: admin.token, body: { reason: 'it thaws' } }));
  });

  it('names what is wrong with the records, and writes none of them', async () => {
    dataOf(await create('Still there'));
    const { recordCount } = await preview();
    const pid = '01J9ZQ4W7N5Z3V8Q2M6T0K1R4C';
    const good = { pid, title: 'Good' };
    const records = [
      { tenant: tenant.name, modelCode: 'ticket', records: [good, { title: 7, owner: 'x' }, good] },
      { tenant: 'Nobody', modelCode: 'tickett', records: [] },
    ];
    expect(refusal(await ask({ recordCount, records })).data.fieldErrors).toMatchObject({
      'records.0.records.1.title': 'must be a text',
      'records.0.records.1.owner': 'is not a field of ticket',
      'records.0.records.2.pid': `is unique, and an earlier record has "${pid}"`,
      'records.1.tenant': 'is none of the tenants',
      'records.1.modelCode': 'is not a model',
    });
    expect(await titles()).toContain('Still there');
  });

  it('writes none where Postgres refuses one', async () => {
    const fields = ['title', 'shelf'].map((code) => ({ code, name: code, type: 'string' as const }));
    const content = { name: 'Book', fields, uniqueTogether: [['title', 'shelf']] };
    await save('dev', { resourceType: 'MODEL', code: 'book', content });
    const { recordCount } = await preview();
    const book = { title: 'Emma', shelf: 'A' };
    const records = [{ tenant: tenant.name, modelCode: 'book', records: [book, book] }];
    expect(refusal(await ask({ recordCount, records }))).toMatchObject({ status: 409, data: { reason: 'UNIQUE' } });
    expect((await preview()).recordCount).toBe(recordCount);
    expect(await titles()).toContain('Still there');
  });

  it('takes files, numbers and work that is under way with it', async () => {
    const fields = [
      { code: 'title', name: 'Title', type: 'string', required: true },
      { code: 'number', name: 'Number', type: 'string', sequence: { prefix: 'T-', digits: 3 } },
      { code: 'paper', name: 'Paper', type: 'file' },
    ];
    await save(
      'dev',
      { resourceType: 'MODEL', code: 'letter', content: { name: 'Letter', fields } },
      {
        resourceType: 'PAGE_SCHEMA',
        code: 'letters',
        content: { name: 'L', modelCode: 'letter', columns: ['number'] },
      },
      {
        resourceType: 'COMMAND',
        code: 'post:write',
        content: { name: 'Write', modelCode: 'letter', operations: ['CREATE'], fields: ['title', 'paper'] },
      },
      {
        resourceType: 'AUTOMATION',
        code: 'sleeper',
        content: { name: 'Sleeper', trigger: { type: 'manual' }, steps: [{ id: 'wait', type: 'wait', seconds: 3600 }] },
      },
    );
    const file = dataOf(await upload(admin, 'of a letter'));
    const written = dataOf(await execute(admin.token, 'post:write', { payload: { title: 'a', paper: file.pid } }));
    expect(written).toMatchObject({ number: 'T-001' });
    const run = dataOf(await call('/api/automations/sleeper/runs', { token: admin.token, body: { input: {} } }));
    await until('the run waits', async () => {
      const { status } = dataOf(await call(`/api/automations/runs/${run.runPid}`, { token: admin.token }));
      return status === 'WAITING';
    });
    const { recordCount, others } = await preview();
    expect(others).toMatchObject({ files: 1, counters: 1, runs: 1 });

    dataOf(await ask({ recordCount }));

    for (const table of EMPTIED.filter((name) => !EMPTIED_LATER.includes(name))) {
      expect([table, await runSql(`select 1 from platform.${table} where environment = 'dev'`)]).toEqual([table, []]);
    }
    expect((await call(`/api/automations/runs/${run.runPid}`, { token: admin.token })).status).toBe(404);
    expect((await call(`/api/files/${file.pid}`, { token: admin.token })).status).toBe(404);
    await until('the file is removed', async () => {
      const left = await runSql('select pid from platform.file where pid = $1', [file.pid]);
      return left.length === 0;
    });
    const again = await execute(admin.token, 'post:write', { payload: { title: 'b' } });
    expect(dataOf(again)).toMatchObject({ number: 'T-001' });
  });

  it('lets commands that are accepted meanwhile end, whatever becomes of their records', async () => {
    const commands = Array.from({ length: 20 }, (_, index) => create(`During ${index}`));
    const reset = async () => {
      const { recordCount } = await preview();
      return ask({ recordCount });
    };
    await Promise.all([reset(), reset()]);
    for (const answer of await Promise.all(commands)) expect([200, 202, 404, 409]).toContain(answer.status);
    dataOf(await create('Afterwards'));
    expect(await titles()).toContain('Afterwards');
  });
});
