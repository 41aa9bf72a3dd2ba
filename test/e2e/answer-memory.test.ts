import { setTimeout as sleep } from 'node:timers/promises';
import { memorySettings } from '../../scripts/startup/memory-settings.mjs';
import { afterEachFile } from '../../scripts/testing/jest/after-each-file.cjs';
import { call, type Answered } from '../support/api.ts';
import { until } from '../support/faults.ts';
import { askForImport, endedImport } from '../support/imports.ts';
import { insert, newCode, newModel, save, type TestModel } from '../support/models.ts';
import { runSql } from '../support/platform.ts';
import { Receiver } from '../support/receiver.ts';
import { startOwnProgram, type OwnProgram } from '../support/own-program.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

/*
 * Setup: a program with the heap that is shipped, and records as large as they may be. What this proves: what
 * an account may ask for does not end the program, whatever it asks for, and others are served meanwhile.
 */
const TOO_LARGE = { status: 409, body: { code: 'CONFLICT', data: { reason: 'TOO_LARGE' } } };
const WIDE = '宽'.repeat(100_000);
const DEALS = 400;

let own: OwnProgram;
let tenant: TestTenant;
let user: TestUser;

beforeAll(async () => {
  own = await startOwnProgram('memory', memorySettings({}, 2 ** 30));
  tenant = await newTenant();
  user = await newUser(['ADMIN'], tenant);
});
afterEachFile(() => own.stop());

const get = (path: string): Promise<Answered> => call(path, { token: user.token });
const post = (path: string, body: object): Promise<Answered> => call(path, { token: user.token, body });

/** Runs `work` while liveness is asked for. @returns what `work` gives, and how liveness answered */
async function besideLiveness<T>(work: Promise<T>): Promise<{ done: T; statuses: Set<number> }> {
  const statuses = new Set<number>();
  let isOver = false;
  const looking = (async () => {
    while (!isOver) {
      statuses.add((await fetch(`${own.program.url}/actuator/health/liveness`)).status);
      await sleep(20);
    }
  })();
  const done = await work.finally(() => (isOver = true));
  await looking;
  return { done, statuses };
}

describe('one large record that hundreds of others name', () => {
  const EXPAND = ['account', 'contact', 'contact.account'];
  const expand = EXPAND.join(',');
  let deals: string[];

  beforeAll(async () => {
    const [account] = await insert(tenant, 'account', [{ name: 'Shared', code: 'SHARED', notes: WIDE }]);
    const [contact] = await insert(tenant, 'contact', [{ name: 'Shared', account, notes: WIDE }]);
    const records = Array.from({ length: DEALS }, (_, index) => ({ name: `Deal ${index}`, account, contact }));
    deals = await insert(tenant, 'deal', records);
  });

  it('is not written more often than an answer has room for', async () => {
    const lists = Promise.all([
      get(`/api/dynamic/deals/list?pageSize=400&expand=${expand}`),
      post('/api/dynamic/deals/query', { pageSize: 400, expand: EXPAND }),
      get(`/api/dynamic/deals/list?pageSize=400&expand=${expand}`),
    ]);
    const { done, statuses } = await besideLiveness(lists);
    for (const answer of done) expect(answer).toMatchObject(TOO_LARGE);
    expect(done[0]?.body.message).toContain('16 MiB');
    expect([...statuses]).toEqual([200]);
  });

  it('is written for each record of a page that has room', async () => {
    const { status, body } = await get(`/api/dynamic/deals/list?pageSize=10&expand=${expand}`);
    expect(status).toBe(200);
    for (const { expanded } of body.data.records) {
      for (const path of EXPAND) expect(expanded[path].notes).toBe(WIDE);
    }
    expect((await get(`/api/dynamic/deals/${deals[0]}?expand=${expand}`)).body.data.expanded.account.notes).toBe(WIDE);
  });

  it('is exported with each record', async () => {
    const url = `${own.program.url}/api/dynamic/deals/export?format=ndjson&fields=name&keyword=Deal%201&expand=${expand}`;
    const answer = await fetch(url, { headers: { authorization: `Bearer ${user.token}` } });
    const lines = (await answer.text()).split('\n').filter((line) => line.includes(`"notes":"${WIDE}"`));
    // Deal 1, 10 to 19 and 100 to 199.
    expect(lines).toHaveLength(111);
  });
});

describe('many lists at once, each as large as an answer may be', () => {
  const RECORDS = 14;
  let model: TestModel;

  beforeAll(async () => {
    const fields = [
      { code: 'name', name: 'Name', type: 'string' as const },
      { code: 'notes', name: 'Notes', type: 'text' as const },
    ];
    model = await newModel({ fields });
    // One wide character makes each text take two bytes a character.
    const notes = `宽${'x'.repeat(1_000_000)}`;
    for (let index = 0; index < RECORDS; index += 1) await insert(tenant, model.code, [{ name: `n${index}`, notes }]);
  });

  it('are answered or asked to come back, while small ones are served', async () => {
    const large = Promise.all(
      Array.from({ length: 8 }, () => get(`/api/dynamic/${model.code}/list?pageSize=${RECORDS}`)),
    );
    const { done, statuses } = await besideLiveness(large);
    const refused = done.filter(({ status }) => status !== 200);
    expect(refused.length).toBeLessThan(done.length);
    for (const { status, body } of done) if (status === 200) expect(body.data.records).toHaveLength(RECORDS);
    for (const { status, headers } of refused) expect([status, headers.get('retry-after')]).toEqual([503, '2']);
    expect([...statuses]).toEqual([200]);
    expect((await get(`/api/dynamic/${model.code}/list?pageSize=1&fields=name`)).status).toBe(200);
  });
});

describe('many lists of what administrators read, each of many large rows', () => {
  it('are refused as larger than an answer may be, or asked to come back', async () => {
    const operator = await newUser(['PLATFORM_ADMIN'], tenant);
    const pid = 'large-versions';
    await runSql(
      `insert into platform.dsl_resource_version (environment, pid, version, resource_type, code, content, updated_at)
       select 'dev', $1, i, 'I18N', 'large', json_build_object('x', repeat('宽', 500000)), now() from generate_series(1, 60) i`,
      [pid],
    );
    const read = () => call(`/api/meta/resources/${pid}/versions`, { token: operator.token });
    const { done, statuses } = await besideLiveness(Promise.all(Array.from({ length: 8 }, read)));
    for (const { status, body, headers } of done) {
      if (status === 503) expect(headers.get('retry-after')).toBe('2');
      else expect({ status, body }).toMatchObject(TOO_LARGE);
    }
    expect([...statuses]).toEqual([200]);
  });
});

describe('many answers of another service, each as large as one may be', () => {
  it('are read by data sources in turns, and others are served', async () => {
    const receiver = await Receiver.start();
    // Many small values take far more memory than their text.
    const rows = JSON.stringify(Array.from({ length: 5_000 }, () => ({ v: Array.from({ length: 37 }, () => [1]) })));
    receiver.answer = () => ({ headers: { 'content-type': 'application/json' }, body: rows });
    const code = newCode();
    const content = { name: code, kind: 'rest', url: receiver.url, method: 'POST', body: {}, timeoutMs: 15_000 };
    await save('dev', { resourceType: 'DATASOURCE', code, content });
    const read = () => get(`/api/datasource/list?datasourceId=${code}&maxItems=5000`);
    const { done, statuses } = await besideLiveness(Promise.all(Array.from({ length: 12 }, read)));
    const answered = done.filter(({ status }) => status === 200);
    expect(answered.length).toBeGreaterThan(0);
    for (const { status, headers } of done.filter((one) => !answered.includes(one))) {
      expect([status, headers.get('retry-after')]).toEqual([503, expect.any(String)]);
    }
    expect([...statuses]).toEqual([200]);
  });
});

describe('small changes of one large record', () => {
  const LARGE = 'x'.repeat(800_000);
  const CHANGES = 60;
  let model: TestModel;
  let pid: string;

  beforeAll(async () => {
    const fields = [
      { code: 'name', name: 'Name', type: 'string' as const },
      { code: 'data', name: 'Data', type: 'json' as const },
    ];
    model = await newModel({ fields });
    [pid = ''] = await insert(tenant, model.code, [{ name: 'n', data: LARGE }]);
  });

  it.each(['atomic', 'partial'])('are answered with as many records as there is room for: %s', async (mode) => {
    const items = Array.from({ length: CHANGES }, (_, index) => ({
      operationType: 'UPDATE',
      targetRecordId: pid,
      payload: { name: `${mode} ${index}` },
    }));
    const path = `/api/meta/commands/execute/${model.command}/batch`;
    const { done, statuses } = await besideLiveness(post(path, { mode, items }));
    expect([...statuses]).toEqual([200]);
    const { executionPid } =
      done.status === 202 ? done.body.data : { executionPid: done.headers.get('x-execution-pid') };
    const { result } = await until('the batch has ended', async () => {
      const { data } = (await get(`/api/meta/commands/executions/${executionPid}`)).body;
      return data.status === 'SUCCEEDED' ? data : null;
    });
    expect(result).toMatchObject({ succeeded: CHANGES, failed: 0 });
    const [first, last] = [result.results[0], result.results.at(-1)];
    expect(first).toMatchObject({ code: '0', data: { name: `${mode} 0`, data: LARGE } });
    expect(last).toMatchObject({ code: '0', data: null, dataLeftOut: true });
    const { data: whole } = (await get(`/api/meta/commands/executions/${last.executionPid}`)).body;
    expect(whole.result).toMatchObject({ name: `${mode} ${CHANGES - 1}`, data: LARGE });
  });

  it('are imported', async () => {
    const rows = Array.from({ length: CHANGES }, (_, index) => `${pid},row ${index}\n`);
    const body = { mode: 'update', matchOn: 'pid' };
    const asked = await askForImport(user, { pageKey: model.code, content: `pid,name\n${rows.join('')}`, body });
    expect(asked).toMatchObject({ status: 202 });
    const { done, statuses } = await besideLiveness(endedImport(user, asked.body.data.importPid));
    expect(done).toMatchObject({ status: 'SUCCEEDED', updated: CHANGES, failed: 0 });
    expect([...statuses]).toEqual([200]);
  });
});
