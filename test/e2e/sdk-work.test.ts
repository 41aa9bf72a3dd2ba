import { ConflictError, createClient, ForbiddenError, KeelsonError, type Client } from '../../sdk/src/index.ts';
import { newAutomation, runIs, wait } from '../support/automations.ts';
import { newCode, newModel, save, type TestModel } from '../support/models.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

let tenant: TestTenant;
let admin: TestUser;
let model: TestModel;
let client: Client;
const url = process.env.KEELSON_TEST_URL ?? '';

beforeAll(async () => {
  tenant = await newTenant();
  admin = await newUser(['ADMIN'], tenant);
  client = createClient({ url, token: admin.token });
  model = await newModel({
    fields: [
      { code: 'name', name: 'Name', type: 'string', unique: true },
      { code: 'size', name: 'Size', type: 'integer' },
      { code: 'paper', name: 'Paper', type: 'file' },
    ],
  });
});

const csv = (...lines: string[]) => new Blob([`${lines.join('\n')}\n`], { type: 'text/csv' });

describe('client.page', () => {
  it('imports a file, tells what is wrong with its rows, and exports the list', async () => {
    const page = client.page(model.code);
    const options = { format: 'csv', mapping: { Name: 'name', Size: 'size' } } as const;
    const trial = await page.import(csv('Name,Size', 'Ada,1'), { ...options, dryRun: true });
    expect(await trial.wait()).toMatchObject({ status: 'SUCCEEDED', dryRun: true, created: 1 });

    const job = await page.import(csv('Name,Size', 'Ada,1', 'Grace,x'), options);
    const events = [];
    for await (const { event } of job.events()) events.push(event);
    expect(events.at(-1)).toBe('end');
    expect(await client.import(job.pid).get()).toMatchObject({ created: 1, failed: 1 });
    const problems = [];
    for await (const problem of job.problems()) problems.push(problem);
    expect(problems).toMatchObject([{ row: 3, column: 'Size', given: { Name: 'Grace' } }]);
    await expect(job.cancel()).rejects.toThrow(ConflictError);

    const exported = await page.export('csv', { fields: ['name', 'size'] });
    expect((await exported.text()).trim().split(/\r?\n/)).toEqual(['name,size', 'Ada,1']);
  });

  it('saves views, changes, uses and removes them', async () => {
    const page = client.page(model.code);
    const made = await page.saveView({
      name: 'None',
      conditions: [{ fieldName: 'name', operator: 'eq', value: 'Nobody' }],
    });
    expect((await page.list({ viewId: made.pid })).total).toBe(0);
    expect(await page.saveView({ conditions: [] }, made.pid)).toMatchObject({ name: 'None', conditions: [] });
    expect((await page.views()).map(({ pid }) => pid)).toContain(made.pid);
    await page.removeView(made.pid);
    expect((await page.views()).map(({ pid }) => pid)).not.toContain(made.pid);
  });
});

describe('client.files', () => {
  it('uploads a file, tells of it, reads it, and removes it', async () => {
    const { pid } = await client.files.upload(new Blob(['hello'], { type: 'text/plain' }), 'hello.txt');
    expect(await client.files.info(pid)).toMatchObject({ name: 'hello.txt', size: 5 });
    expect(await (await client.files.download(pid)).text()).toBe('hello');
    await client.files.remove(pid);
    await expect(client.files.info(pid)).rejects.toThrow(KeelsonError);
    const named = await client.files.upload(new File(['a'], 'named.txt'));
    expect(named.name).toBe('named.txt');
  });
});

describe('client.rows', () => {
  it('answers the rows of a data source with its params', async () => {
    const code = newCode();
    await client.command(model.command)({ name: 'Rows', size: 7 });
    const params = [{ code: 'least', name: 'Least', type: 'integer', required: true }];
    const conditions = [{ fieldName: 'size', operator: 'gte', value: '$params.least' }];
    const content = { name: code, kind: 'model', modelCode: model.code, fields: ['name'], params, conditions };
    await save('dev', { resourceType: 'DATASOURCE', code, content });

    expect(await client.rows(code, { least: 7 }, { maxItems: 1 })).toEqual([{ name: 'Rows' }]);
    await expect(client.rows(code)).rejects.toMatchObject({ fieldErrors: { 'params.least': 'is required' } });
  });
});

describe('client.automation', () => {
  let code: string;
  beforeAll(async () => {
    code = await newAutomation({
      input: [{ code: 'name', name: 'Name', type: 'string', required: true }],
      steps: [{ id: 'ok', type: 'approval', role: 'ADMIN', message: '"Fine?"' }, wait('nap', 1)],
    });
  });
  const asking = async (key = {}) => {
    const run = await client.automation(code).start({ name: 'Ada' }, key);
    await runIs(admin.token, run.pid, ['WAITING']);
    return run;
  };

  it('starts a run once for a key, and follows it through an approval to its end', async () => {
    const run = await asking({ idempotencyKey: 'one' });
    expect((await client.automation(code).start({ name: 'Ada' }, { idempotencyKey: 'one' })).pid).toBe(run.pid);
    expect((await client.approvals()).records.map(({ runPid }) => runPid)).toContain(run.pid);

    const steps = [];
    for await (const { event, data } of run.events()) {
      if (event === 'step' && data.key === 'ok' && data.status === 'WAITING')
        await client.run(run.pid).approve({ step: 'ok', comment: 'yes' });
      if (event === 'step') steps.push(`${data.key} ${data.status}`);
    }
    expect(steps).toEqual(expect.arrayContaining(['ok WAITING', 'ok SUCCEEDED', 'nap SUCCEEDED']));
    expect(await run.wait()).toMatchObject({ status: 'SUCCEEDED', input: { name: 'Ada' } });
  });

  it('throws what has ended a run, which may be rejected, cancelled and tried again', async () => {
    const rejected = await asking();
    await rejected.reject({ comment: 'no' });
    const problem = await rejected.wait().catch((error: unknown) => error);
    expect(problem).toBeInstanceOf(KeelsonError);
    await rejected.retry();
    await runIs(admin.token, rejected.pid, ['WAITING']);
    await rejected.cancel('a test');
    await expect(rejected.wait()).rejects.toThrow(KeelsonError);
  });

  it('is refused with the fields that are wrong, and to those who may not', async () => {
    await expect(client.automation(code).start()).rejects.toMatchObject({
      fieldErrors: { name: 'is required' },
    });
    const stranger = createClient({ url, token: (await newUser([], tenant)).token });
    await expect(stranger.automation(code).start({ name: 'Ada' })).rejects.toThrow(ForbiddenError);
  });
});
