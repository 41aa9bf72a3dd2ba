import { NativeConnection } from '@temporalio/worker';
import { ulid } from 'ulid';
import { Languages } from '../../src/foundation/i18n/languages.ts';
import { actorOf, type Actor } from '../../src/platform/auth/requests/actor.ts';
import { roleOfScope } from '../../src/platform/metadata/permissions/permissions.ts';
import type { FieldContent } from '../../src/platform/metadata/field-types/field-content.ts';
import { call, list, type Answered } from '../support/api.ts';
import { holdRecord, temporal, temporalAddress, until } from '../support/faults.ts';
import { download, upload } from '../support/files.ts';
import { askForImport, endedImport, importStateOf } from '../support/imports.ts';
import { insert, newModel, newRole, type TestModel } from '../support/models.ts';
import { failureOf, runSql } from '../support/platform.ts';
import { startNodeHere } from '../support/own-node.ts';
import { startProgram } from '../support/program.ts';
import { watch } from '../support/streams.ts';
import { container, newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

const fields: FieldContent[] = [
  { code: 'name', name: 'Name', type: 'string', required: true },
  { code: 'code', name: 'Code', type: 'string', unique: true },
  { code: 'amount', name: 'Amount', type: 'decimal' },
  { code: 'state', name: 'State', type: 'enum', values: ['open', 'done'], default: 'open' },
  { code: 'secret', name: 'Secret', type: 'integer', writePermission: true },
];

let tenant: TestTenant;
let model: TestModel;
let user: TestUser;

beforeEach(async () => {
  tenant = await newTenant();
  model = await newModel({ fields });
  user = await newUser([await newRole(model.permissions)], tenant);
});

const ask = (content: string, body: object, baseUrl?: string, by = user): Promise<Answered> =>
  askForImport(by, { pageKey: model.code, content, body, ...(baseUrl !== undefined && { baseUrl }) });
const stateOf = (pid: string, by = user) => importStateOf(by, pid);
const ended = (pid: string) => endedImport(user, pid);

async function imported(content: string, body: object = {}) {
  const answer = await ask(content, body);
  expect(answer.status).toBe(202);
  return ended(answer.body.data.importPid);
}

async function records(): Promise<Record<string, unknown>[]> {
  const { body } = await list(user.token, model.code, { sortField: 'name', sortOrder: 'asc', pageSize: '500' });
  return body.data.records;
}
const shown = async () => (await records()).map(({ name, code, amount, state }) => [name, code, amount, state]);
const errorsOf = ({ status, body }: Answered) => ({ status, errors: body.data?.fieldErrors });

describe('RecordService', () => {
  const language = new Languages([], () => new Map()).languageFor(['en'], undefined);
  const userAsActor = async (): Promise<Actor> => {
    const { snapshots } = await container();
    const of = { userId: user.id, userPid: user.pid, username: user.email, tenantId: tenant.id };
    const roles = model.permissions.map(roleOfScope);
    return actorOf({ ...of, roles, keyMadeBy: null }, await snapshots.current('dev'));
  };

  it('import accepts an uploaded file, of which each row executes a command', async () => {
    const { recordService, temporal: gateway } = await container();
    const connection = await NativeConnection.connect({ address: temporalAddress() });
    await gateway.connect(() => Promise.resolve(connection));
    const filePid = (await upload(user, 'name,amount\na,1.50\nb,\n', { type: 'text/csv' })).body.data.pid as string;
    const asked = { pageKey: model.code, language, body: { filePid, format: 'csv' } };

    const { pid } = await recordService.import(await userAsActor(), model.code, asked);
    await connection.close();

    expect(await ended(pid)).toMatchObject({ status: 'SUCCEEDED', created: 2 });
    expect(await shown()).toEqual([
      ['a', null, '1.50', 'open'],
      ['b', null, null, 'open'],
    ]);
  });

  it('import says what is wrong with what is asked for, and needs the page of the model', async () => {
    const { recordService } = await container();
    const actor = await userAsActor();
    const asking = (body: Record<string, unknown>, pageKey = model.code) =>
      failureOf(recordService.import(actor, model.code, { pageKey, language, body }));

    expect(await asking({ format: 'pdf' })).toMatchObject({
      code: 'VALIDATION_ERROR',
      data: { fieldErrors: { filePid: expect.anything(), format: expect.anything() } },
    });
    const other = await newModel({ fields });
    expect(await asking({ filePid: ulid(), format: 'csv' }, other.code)).toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('POST /api/dynamic/{pageKey}/imports', () => {
  it('creates a record for each row by the command of the model, with its execution, history and event', async () => {
    const state = await imported("Title,Sum\n'=1+1,-1.50\nb,\n", { mapping: { Title: 'name', Sum: 'amount' } });
    expect(state).toMatchObject({
      status: 'SUCCEEDED',
      total: 2,
      done: 2,
      created: 2,
      updated: 0,
      failed: 0,
      errorFilePid: null,
      failedRowsFilePid: null,
      commands: { CREATE: model.command },
      dryRun: false,
    });
    expect(await shown()).toEqual([
      ['=1+1', null, '-1.50', 'open'],
      ['b', null, null, 'open'],
    ]);
    const [first] = await records();
    const history = await call(`/api/dynamic/${model.code}/${String(first?.pid)}/history`, { token: user.token });
    expect(history.body.data.records).toMatchObject([{ action: 'CREATE', commandCode: model.command }]);
    const events = await runSql<{ eventType: string; changes: number }>(
      `select event_type, cardinality(change_ids)::int as changes from platform.event where record_pid = $1`,
      [first?.pid],
    );
    expect(events).toEqual([{ eventType: model.command, changes: 1 }]);
  });

  it('names columns by the codes of fields where there is no mapping, as an export does', async () => {
    await insert(tenant, model.code, [{ name: 'a', code: 'A', amount: '1' }]);
    const url = `${process.env.KEELSON_TEST_URL}/api/dynamic/${model.code}/export?format=csv`;
    const exported = await fetch(url, { headers: { authorization: `Bearer ${user.token}` } });
    const content = (await exported.text()).replace(/,a,A,1,/, ',a,A,7,');

    const state = await imported(content, { mode: 'update', matchOn: 'pid' });

    expect(state).toMatchObject({ status: 'SUCCEEDED', updated: 1 });
    expect(await shown()).toEqual([['a', 'A', '7', null]]);
    expect(errorsOf(await ask('name,nope\na,b\n', {}))).toEqual({
      status: 400,
      errors: { mapping: `is needed: nope is not a field of ${model.code}` },
    });
  });

  it('does so for one JSON object per line, each of which may have other keys', async () => {
    await insert(tenant, model.code, [{ name: 'a', code: 'A', amount: '1' }]);
    const url = `${process.env.KEELSON_TEST_URL}/api/dynamic/${model.code}/export?format=ndjson`;
    const exported = await fetch(url, { headers: { authorization: `Bearer ${user.token}` } });
    const changed = `${(await exported.text()).replace('"amount":"1"', '"amount":"7"')}{"code":"B","name":"b","state":"done"}\n`;

    const asked = { pageKey: model.code, format: 'ndjson', body: { mode: 'upsert', matchOn: 'code' } };
    const { body } = await askForImport(user, { ...asked, content: changed });

    expect(await ended(body.data.importPid)).toMatchObject({ status: 'SUCCEEDED', updated: 1, created: 1, failed: 0 });
    expect(await shown()).toEqual([
      ['a', 'A', '7', null],
      ['b', 'B', null, 'done'],
    ]);
    expect(errorsOf(await askForImport(user, { ...asked, content: '{"nope":1}\n' }))).toEqual({
      status: 400,
      errors: { mapping: `is needed: nope is not a field of ${model.code}` },
    });
  });

  it('updates and creates by a unique field, and says what is wrong with which row', async () => {
    await insert(tenant, model.code, [{ name: 'a', code: 'A', amount: '1', state: 'done' }]);
    const content = 'name,code,amount\na2,A,\nb,B,x\n,C,1\nd,D,4\nd2,D,5\n';

    const state = await imported(content, { mode: 'upsert', matchOn: 'code' });

    expect(state).toMatchObject({ status: 'SUCCEEDED', total: 5, done: 5, created: 1, updated: 2, failed: 2 });
    expect(await shown()).toEqual([
      ['a2', 'A', null, 'done'],
      ['d2', 'D', '5', 'open'],
    ]);
    const report = await download(user, state.errorFilePid);
    expect(report.bytes.toString()).toBe(
      'row,column,code,message\r\n3,amount,VALIDATION_ERROR,must be a decimal number\r\n4,name,VALIDATION_ERROR,is required\r\n',
    );
  });

  it('refuses rows without the unique field by which it finds records, as UPSERT does; "" is a value', async () => {
    await insert(tenant, model.code, [{ name: 'a', code: '' }]);
    const state = await imported('name,code\nb,\nc,""\n', { mode: 'upsert', matchOn: 'code' });
    expect(state).toMatchObject({ status: 'SUCCEEDED', created: 0, updated: 1, failed: 1 });
    expect((await shown()).map(([name, code]) => [name, code])).toEqual([['c', '']]);
    const report = (await download(user, state.errorFilePid)).bytes.toString();
    expect(report).toContain('2,code,VALIDATION_ERROR,is required\r\n');
  });

  it('takes the delimiter that is asked for, of CSV alone', async () => {
    const state = await imported('name^code\na,b^1\n', { delimiter: '^' });
    expect(state).toMatchObject({ status: 'SUCCEEDED', created: 1, delimiter: '^' });
    expect(await shown()).toEqual([['a,b', '1', null, 'open']]);
    const asked = { pageKey: model.code, format: 'ndjson', content: '{"name":"a"}', body: { delimiter: ';' } };
    expect(errorsOf(await askForImport(user, asked))).toEqual({
      status: 400,
      errors: { delimiter: 'is for CSV alone' },
    });
    const refused = { status: 400, errors: { delimiter: expect.any(String) } };
    for (const delimiter of ['', '"', '\n', ';;'])
      expect(errorsOf(await ask('name\na\n', { delimiter }))).toEqual(refused);
  });

  it('applies the other rows where Postgres refuses some', async () => {
    await insert(tenant, model.code, [{ name: 'there', code: 'T' }]);
    const state = await imported('name,code\na,A\nb,T\nc,C\nd,A\n');
    expect(state).toMatchObject({ created: 2, failed: 2 });
    expect((await shown()).map(([name]) => name)).toEqual(['a', 'c', 'there']);
    const report = (await download(user, state.errorFilePid)).bytes.toString();
    expect(report).toContain('3,code,CONFLICT,is taken\r\n5,code,CONFLICT,is taken\r\n');
  });

  it('tries all and changes nothing with dryRun', async () => {
    const state = await imported('name,amount\na,1\nb,x\n', { dryRun: true });
    expect(state).toMatchObject({ status: 'SUCCEEDED', dryRun: true, created: 1, failed: 1 });
    expect(await records()).toEqual([]);
    const left = await runSql('select 1 from platform.command_execution where tenant_id = $1', [tenant.id]);
    expect(left).toEqual([]);
  });

  it('refuses what cannot work before it begins', async () => {
    const refused = async (content: string, body: object, errors: object) =>
      expect(errorsOf(await ask(content, body))).toEqual({ status: 400, errors });
    await refused('a\nx\n', { mapping: { b: 'name' } }, { 'mapping.b': 'is not a column of the file' });
    await refused('a\nx\n', { mapping: { a: 'nope' } }, { 'mapping.a': `is not a field of ${model.code}` });
    await refused('a\nx\n', { mapping: { a: 'id' } }, { 'mapping.a': 'is set by the platform' });
    await refused('name\nx\n', { mode: 'update', matchOn: 'name' }, { matchOn: 'is not a unique field' });
    await refused('name\nx\n', { mode: 'update' }, { matchOn: 'is required' });
    await refused(
      'name\nx\n',
      { commandCode: 'crm:create_lead' },
      { commandCode: `is not a command of ${model.code}` },
    );
    await refused('name,name\nx,y\n', {}, { filePid: 'has two columns name' });
    await refused('name\nx\n', { filePid: 'nothing' }, { filePid: 'There is no such file' });
    const forbidden = await ask('secret\n1\n', { mapping: { secret: 'secret' } });
    expect(forbidden).toMatchObject({
      status: 403,
      body: { data: { permission: `field:write:${model.code}.secret` } },
    });
    const reader = await newUser([await newRole([`record:read:${model.code}`])], tenant);
    expect(await ask('name\nx\n', {}, undefined, reader)).toMatchObject({
      status: 403,
      body: { data: { permission: `command:execute:${model.command}` } },
    });
  });

  it('is seen by its caller alone, and streams until it has ended', async () => {
    const { body } = await ask('name\na\n', {});
    const { importPid } = body.data;
    const watched = await watch(`/api/imports/${importPid}/stream`, { token: user.token });
    await watched.over();
    expect(watched.events.at(-1)).toMatchObject({ event: 'end', data: { pid: importPid, status: 'SUCCEEDED' } });
    const other = await newUser([await newRole(model.permissions)], tenant);
    expect(await call(`/api/imports/${importPid}`, { token: other.token })).toMatchObject({ status: 404 });
    expect(await call(`/api/imports/${importPid}/cancel`, { token: other.token, method: 'POST' })).toMatchObject({
      status: 404,
    });
    const listed = await call('/api/imports', { token: user.token });
    expect(listed.body.data.records.map(({ pid }: { pid: string }) => pid)).toEqual([importPid]);
    expect(await call(`/api/imports/${importPid}/cancel`, { token: user.token, method: 'POST' })).toMatchObject({
      status: 409,
    });
  });
});

describe('GET /api/imports', () => {
  it('lists those of the tenant for who may read executions, without what their rows hold', async () => {
    const { pid } = await imported('name,amount\na,x\n');
    const operator = await newUser([await newRole(['execution:read'])], tenant);
    const listed = async (by: TestUser, query = '') => call(`/api/imports?scope=tenant${query}`, { token: by.token });
    const { records: found } = (await listed(operator)).body.data;

    expect(found).toMatchObject([{ pid, userPid: user.pid, username: user.email, status: 'SUCCEEDED', failed: 1 }]);
    expect((await listed(operator, '&status=RUNNING')).body.data.records).toEqual([]);
    expect((await call('/api/imports', { token: operator.token })).body.data.records).toEqual([]);
    expect(await call(`/api/imports/${pid}/problems`, { token: operator.token })).toMatchObject({ status: 404 });
    expect(await listed(user)).toMatchObject({ status: 403, body: { data: { permission: 'execution:read' } } });
    const stranger = await newUser([await newRole(['execution:read'])], await newTenant());
    expect((await listed(stranger)).body.data.records).toEqual([]);
  });
});

/** Some seconds of work: there is time to disturb it. */
const ROWS = 20_000;
const many = () => `name,code\n${Array.from({ length: ROWS }, (_, index) => `n${index},c${index}\n`).join('')}`;

const inProgress = (pid: string) =>
  until('the import has made progress', async () => {
    const { done } = await stateOf(pid);
    return done > 0 && done < ROWS;
  });

/**
 * Setup: a worker of the test's own. Timeline: it is killed while it imports, and another one starts. What
 * this proves: each row is applied once.
 */
describe('an import whose worker is killed', () => {
  it('goes on where it was, on another node: no row is lost or doubled', async () => {
    const TEMPORAL_TASK_QUEUE = `imports-${ulid()}`;
    const api = await startNodeHere({ TEMPORAL_TASK_QUEUE, KEELSON_ROLES: 'api' });
    const settings = { TEMPORAL_TASK_QUEUE, KEELSON_ROLES: 'worker' };
    const worker = await startProgram(settings);
    const { body } = await ask(many(), {}, api.url);
    const { importPid } = body.data;
    await inProgress(importPid);

    await worker.stop('SIGKILL');
    await startNodeHere(settings);

    expect(await ended(importPid)).toMatchObject({ status: 'SUCCEEDED', done: ROWS, created: ROWS, failed: 0 });
    const [counts] = await runSql(
      `select count(*)::int as records, count(distinct code)::int as codes from dev.mt_${model.code} where tenant_id = $1`,
      [tenant.id],
    );
    expect(counts).toEqual({ records: ROWS, codes: ROWS });
    const [executions] = await runSql(
      `select count(*)::int as executions from platform.command_execution where tenant_id = $1 and status = 'SUCCEEDED'`,
      [tenant.id],
    );
    expect(executions).toEqual({ executions: ROWS });
    const history = await (await temporal()).workflow.getHandle(`import:${importPid}`).fetchHistory();
    expect((history.events ?? []).length).toBeLessThan(50);
  });
});

/**
 * Setup: a worker of the test's own. Timeline: it is killed while it applies the first chunk of an import,
 * which waits for a lock. What this proves: the next worker applies the same rows in smaller transactions.
 */
describe('an import that a worker has died of', () => {
  it('is not tried again as it was', async () => {
    const [old = ''] = await insert(tenant, model.code, [{ name: 'old', code: 'c7' }]);
    const TEMPORAL_TASK_QUEUE = `imports-${ulid()}`;
    const api = await startNodeHere({ TEMPORAL_TASK_QUEUE, KEELSON_ROLES: 'api' });
    const settings = { TEMPORAL_TASK_QUEUE, KEELSON_ROLES: 'worker' };
    const content = `name,code\n${Array.from({ length: 20 }, (_, index) => `n${index},c${index}\n`).join('')}`;
    const held = await holdRecord(tenant.id, `dev.mt_${model.code}`, old);
    const worker = await startProgram(settings);
    const { body } = await ask(content, { mode: 'upsert', matchOn: 'code' }, api.url);
    const { importPid } = body.data;
    await held.waiting();

    await worker.stop('SIGKILL');
    await startNodeHere(settings);

    await until('the rows before it are applied', async () => (await stateOf(importPid)).done === 5);
    await held.release();
    expect(await ended(importPid)).toMatchObject({ status: 'SUCCEEDED', created: 19, updated: 1 });
  });
});

describe('an import under way', () => {
  it('ends at a cancellation: what it has done stays', async () => {
    const { body } = await ask(many(), {});
    const { importPid } = body.data;
    await inProgress(importPid);
    const cancelled = await call(`/api/imports/${importPid}/cancel`, { token: user.token, method: 'POST' });
    expect(cancelled.body.data.status).toBe('CANCELLED');
    const [counts] = await runSql<{ records: number }>(
      `select count(*)::int as records from dev.mt_${model.code} where tenant_id = $1`,
      [tenant.id],
    );
    expect(counts?.records).toBe(cancelled.body.data.done);
    expect((await ended(importPid)).done).toBe(counts?.records);
  });

  it('ends where its user has left, and says so', async () => {
    const { body } = await ask(many(), {});
    const { importPid } = body.data;
    await inProgress(importPid);
    await runSql(`delete from platform.membership where user_id = $1 and tenant_id = $2`, [user.id, tenant.id]);
    const found = await until('it has ended', async () => {
      const [row] = await runSql<{ status: string; error: { code: string } }>(
        `select status, error from platform.data_import where pid = $1 and status <> 'RUNNING'`,
        [importPid],
      );
      return row;
    });
    expect(found).toMatchObject({ status: 'FAILED', error: { code: 'UNAUTHORIZED' } });
  });
});
