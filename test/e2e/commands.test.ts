import { ulid } from 'ulid';
import { call, execute, type Answered, expectRefusal } from '../support/api.ts';
import { executionRow, publishProbe, rowsOf } from '../support/faults.ts';
import { container, newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

const LOG = 'select action, model_code, record_pid, before, after, user_pid, execution_pid from platform.change_log';

let tenant: TestTenant;
let user: TestUser;

beforeAll(publishProbe);
beforeEach(async () => {
  tenant = await newTenant();
  user = await newUser(['ADMIN'], tenant);
});

const create = (payload: object, command = 'crm:create_lead'): Promise<Answered> =>
  execute(user.token, command, { payload });
const update = (targetRecordId: string, payload: object, rest: object = {}): Promise<Answered> =>
  execute(user.token, 'crm:update_lead', { operationType: 'UPDATE', targetRecordId, payload, ...rest });
const remove = (targetRecordId: string, rest: object = {}): Promise<Answered> =>
  execute(user.token, 'crm:delete_lead', { operationType: 'DELETE', targetRecordId, ...rest });
const detail = (pid: string, page = 'leads'): Promise<Answered> =>
  call(`/api/dynamic/${page}/${pid}`, { token: user.token });
const changes = (): Promise<Record<string, unknown>[]> => rowsOf(tenant.id, `${LOG} order by id`);
const events = async () => {
  const { database } = await container();
  return database.query<{ body: string }>('select * from platform.event where tenant_id = $1 order by id', [tenant.id]);
};

/** What a refused command must not have left behind. */
async function nothingWritten(table = 'dev.mt_lead'): Promise<void> {
  const [{ records }] = await rowsOf(tenant.id, `select count(*)::int as records from ${table}`);
  expect([records, ...(await changes()), ...(await events())]).toEqual([0]);
}

describe('POST /api/meta/commands/execute/{commandCode}: create', () => {
  it('answers the full created record, system fields included, and it can be read at once', async () => {
    const payload = { name: 'Ada', email: 'ada@example.com', amount: 12.5, score: 7, due_on: '2026-03-01' };
    const { status, body, headers } = await create(payload);

    expect({ status, code: body.code }).toEqual({ status: 200, code: '0' });
    expect(body.data).toEqual({
      id: expect.stringMatching(/^\d+$/),
      pid: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{26}$/),
      tenant_id: tenant.id,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      created_by: user.pid,
      updated_at: body.data.created_at,
      updated_by: user.pid,
      version: 1,
      ...payload,
      amount: '12.5',
      status: 'new',
      phone: null,
      source: null,
      owner: null,
      account: null,
      notes: null,
    });
    expect(headers.get('x-execution-pid')).toMatch(/^[0-9A-Z]{26}$/);
    expect((await detail(body.data.pid)).body.data).toEqual(body.data);
  });

  it('stores a value of every type as the model says', async () => {
    const { data: parent } = (await create({ name: 'parent' }, 'probe:write')).body;
    const payload = {
      name: "O'Brien \"; drop table dev.mt_probe; -- 😀 $1 \\'",
      code: ulid(),
      kind: 'b',
      count: 0,
      flag: false,
      big: '9223372036854775807',
      price: '0.10',
      on_day: '2024-02-29',
      at_time: '2026-01-31T10:00:00+01:00',
      data: { deep: [1, null, { text: 'x' }] },
      parent: parent.pid,
    };

    const { body } = await create(payload, 'probe:write');

    expect(body.data).toMatchObject({ ...payload, at_time: '2026-01-31T09:00:00.000Z' });
    expect((await detail(body.data.pid, 'probes')).body.data).toEqual(body.data);
  });

  it('writes a change-log row and an event row beside the record, in the same transaction', async () => {
    const payload = { name: 'Ada', score: 7 };
    const { body, headers } = await create(payload);
    const executionPid = headers.get('x-execution-pid');

    expect(await changes()).toEqual([
      {
        action: 'CREATE',
        model_code: 'lead',
        record_pid: body.data.pid,
        before: null,
        after: expect.objectContaining({ ...payload, status: 'new' }),
        user_pid: user.pid,
        execution_pid: executionPid,
      },
    ]);
    const [event] = await events();
    expect(event).toMatchObject({
      environment: 'dev',
      tenantId: tenant.id,
      executionPid,
      eventType: 'crm:create_lead',
      commandCode: 'crm:create_lead',
      modelCode: 'lead',
    });
    expect(JSON.parse(event?.body ?? '')).toEqual({
      commandCode: 'crm:create_lead',
      modelCode: 'lead',
      payload,
      result: body.data,
    });
    const transactions = await rowsOf(
      tenant.id,
      `select xmin::text from dev.mt_lead where pid = $1
       union select xmin::text from platform.change_log where record_pid = $1
       union select xmin::text from platform.command_execution where pid = $2`,
      [body.data.pid, executionPid],
    );
    expect(transactions).toHaveLength(1);
    // The relay marks the event in a transaction of its own; both of these are the time at which theirs
    // began.
    const [times] = await rowsOf(
      tenant.id,
      `select e.created_at = l.created_at as same from platform.event e join platform.change_log l using (execution_pid)
       where e.execution_pid = $1`,
      [executionPid],
    );
    expect(times).toEqual({ same: true });
  });

  it('uses the event type of the command where it sets one', async () => {
    await create({ name: 'free' }, 'probe:ruled');

    expect(await events()).toMatchObject([{ eventType: 'probe.ruled', commandCode: 'probe:ruled' }]);
  });

  it('shows the caller only the fields they may read; the event has all', async () => {
    user = await newUser(['PROBE'], tenant);
    const { body } = await create({ name: 'Ada', hidden: 'h' }, 'probe:write');

    expect(body.data).not.toHaveProperty('hidden');
    const [event] = await events();
    expect(JSON.parse(event?.body ?? '').result).toEqual({ ...body.data, hidden: 'h' });
  });

  it('runs in the same way without a workflow when the command says inline', async () => {
    const { status, body, headers } = await create({ name: 'Ada' }, 'probe:inline');

    expect(status).toBe(200);
    expect((await detail(body.data.pid, 'probes')).body.data).toEqual(body.data);
    expect(await changes()).toHaveLength(1);
    expect(await events()).toHaveLength(1);
    expect(await executionRow(headers.get('x-execution-pid'))).toMatchObject({
      status: 'SUCCEEDED',
      result: body.data,
    });
  });
});

describe('POST /api/meta/commands/execute/{commandCode}: update', () => {
  it('changes the fields that the payload names, and answers the full updated record', async () => {
    const { data: before } = (await create({ name: 'Ada', phone: '1', score: 7 })).body;

    const { status, body } = await update(before.pid, { phone: null, status: 'open' });

    expect(status).toBe(200);
    expect(body.data).toEqual({
      ...before,
      phone: null,
      status: 'open',
      version: 2,
      updated_at: body.data.updated_at,
    });
    expect(body.data.updated_at >= before.updated_at).toBe(true);
    expect((await detail(before.pid)).body.data).toEqual(body.data);
  });

  it('logs what changed, before and after, and says in the event what was asked for', async () => {
    const { data: before } = (await create({ name: 'Ada', phone: '1' })).body;
    const { body } = await update(before.pid, { name: 'Ada', phone: '2' });

    expect((await changes())[1]).toMatchObject({ action: 'UPDATE', before: { phone: '1' }, after: { phone: '2' } });
    expect(JSON.parse((await events())[1]?.body ?? '')).toEqual({
      commandCode: 'crm:update_lead',
      modelCode: 'lead',
      payload: { name: 'Ada', phone: '2' },
      result: body.data,
    });
  });

  it('is refused with 409 CONFLICT VERSION when the record is not at the expected version any more', async () => {
    const { data } = (await create({ name: 'Ada' })).body;
    await update(data.pid, { phone: '1' }, { expectedVersion: 1 });

    expectRefusal(await update(data.pid, { phone: '2' }, { expectedVersion: 1 }), 'CONFLICT', {
      reason: 'VERSION',
      version: 2,
    });
    expect((await detail(data.pid)).body.data).toMatchObject({ phone: '1', version: 2 });
    expect(await remove(data.pid, { expectedVersion: 1 })).toMatchObject({ status: 409 });
    expect(await remove(data.pid, { expectedVersion: 2 })).toMatchObject({ status: 200 });
  });
});

describe('POST /api/meta/commands/execute/{commandCode}: delete', () => {
  it('is a soft delete: the answer is the pid, the row stays, and every read and write says NOT_FOUND', async () => {
    const { data } = (await create({ name: 'Ada' })).body;

    const { status, body } = await remove(data.pid);

    expect({ status, body }).toMatchObject({ status: 200, body: { code: '0', data: { pid: data.pid } } });
    expect(await rowsOf(tenant.id, 'select deleted_at is not null as deleted, version from dev.mt_lead')).toEqual([
      { deleted: true, version: 2 },
    ]);
    for (const answer of [await detail(data.pid), await update(data.pid, { phone: '1' }), await remove(data.pid)]) {
      expectRefusal(answer, 'NOT_FOUND');
    }
    const { body: listed } = await call('/api/dynamic/leads/list', { token: user.token });
    expect(listed.data).toMatchObject({ total: 0, records: [] });
  });

  it('logs what is gone and tells the event only the pid', async () => {
    const { data } = (await create({ name: 'Ada' })).body;
    await remove(data.pid);

    expect((await changes())[1]).toMatchObject({ action: 'DELETE', before: { name: 'Ada' }, after: null });
    expect(JSON.parse((await events())[1]?.body ?? '')).toEqual({
      commandCode: 'crm:delete_lead',
      modelCode: 'lead',
      payload: {},
      result: { pid: data.pid },
    });
  });

  it('sets a unique value free', async () => {
    const code = ulid();
    const first = await create({ name: 'A', code }, 'probe:write');
    await execute(user.token, 'probe:write', { operationType: 'DELETE', targetRecordId: first.body.data.pid });

    expect(await create({ name: 'B', code }, 'probe:write')).toMatchObject({ status: 200 });
  });
});

describe('a command is refused with 400 VALIDATION_ERROR and data.fieldErrors', () => {
  it.each([
    ['a payload is missing', {}, ['payload']],
    ['a field is unknown', { payload: { name: 'A', nmae: 'B' } }, ['nmae']],
    [
      'a system field is given',
      { payload: { name: 'A', pid: 'X', tenant_id: '1', version: 9 } },
      ['pid', 'tenant_id', 'version'],
    ],
    [
      'values are ill-typed',
      { payload: { name: 5, score: 'many', due_on: '31.1.', amount: 'x' } },
      ['amount', 'due_on', 'name', 'score'],
    ],
    [
      'values break the limits of their fields',
      { payload: { name: 'A', score: 101, status: 'lost?', email: 'at' } },
      ['email', 'score', 'status'],
    ],
    ['a required field is missing', { payload: { phone: '1' } }, ['name']],
    ['a required field is empty', { payload: { name: '' } }, ['name']],
    ['the body has an unknown key', { payload: { name: 'A' }, operation: 'CREATE' }, ['operation']],
    ["the operation is another command's", { operationType: 'DELETE', targetRecordId: 'A' }, ['operationType']],
    ['a create names a target', { payload: { name: 'A' }, targetRecordId: 'A' }, ['targetRecordId']],
  ])('when %s', async (_when, sent, fields) => {
    const { status, body } = await execute(user.token, 'crm:create_lead', sent);

    expect({ status, code: body.code }).toEqual({ status: 400, code: 'VALIDATION_ERROR' });
    expect(Object.keys(body.data.fieldErrors).sort()).toEqual(fields);
    await nothingWritten();
  });

  it.each([
    ['targetRecordId is missing, without operationType', { payload: { name: 'A' } }, ['targetRecordId']],
    ['targetRecordId is missing', { operationType: 'UPDATE', payload: { name: 'A' } }, ['targetRecordId']],
    [
      'a required field is emptied',
      { operationType: 'UPDATE', targetRecordId: 'A', payload: { name: null } },
      ['name'],
    ],
  ])('when an update: %s', async (_when, sent, fields) => {
    const { status, body } = await execute(user.token, 'crm:update_lead', sent);

    expect({ status, code: body.code }).toEqual({ status: 400, code: 'VALIDATION_ERROR' });
    expect(Object.keys(body.data.fieldErrors)).toEqual(expect.arrayContaining(fields));
  });

  it('when a relation points to no live record of the tenant', async () => {
    const foreigner = await newUser(['ADMIN'], await newTenant());
    const foreign = await execute(foreigner.token, 'crm:create_account', { payload: { name: 'Elsewhere' } });
    const deleted = await create({ name: 'Gone' }, 'crm:create_account');
    await execute(user.token, 'crm:delete_account', { operationType: 'DELETE', targetRecordId: deleted.body.data.pid });

    for (const account of [ulid(), foreign.body.data.pid, deleted.body.data.pid]) {
      const { status, body } = await create({ name: 'Ada', account });

      expect({ status, code: body.code }).toEqual({ status: 400, code: 'VALIDATION_ERROR' });
      expect(Object.keys(body.data.fieldErrors)).toEqual(['account']);
    }
    expect(await rowsOf(tenant.id, 'select 1 from dev.mt_lead')).toEqual([]);
  });

  it('when a rule of the command names a field', async () => {
    expectRefusal(await create({ name: 'invalid' }, 'probe:ruled'), 'VALIDATION_ERROR', {
      fieldErrors: { name: 'Not this name' },
    });
    await nothingWritten('dev.mt_probe');
  });

  it.each([
    ['is not JSON', '{"payload":'],
    ['reaches for a prototype', '{"payload": {"name": "A", "__proto__": {"admin": true}}}'],
  ])('when the body %s', async (_what, text) => {
    expectRefusal(await execute(user.token, 'crm:create_lead', text), 'VALIDATION_ERROR');
  });
});

describe('a command is refused with 409 CONFLICT', () => {
  it('UNIQUE, naming the field, when another live record of the tenant has the value', async () => {
    const code = ulid();
    await create({ name: 'A', code }, 'probe:write');

    expectRefusal(await create({ name: 'B', code }, 'probe:write'), 'CONFLICT', {
      reason: 'UNIQUE',
      fieldErrors: { code: 'is taken' },
    });
    expect(await rowsOf(tenant.id, 'select name from dev.mt_probe')).toEqual([{ name: 'A' }]);
  });

  it('never because of a value in another tenant', async () => {
    const code = ulid();
    const other = await newUser(['ADMIN'], await newTenant());
    await execute(other.token, 'probe:write', { payload: { name: 'A', code } });

    expect(await create({ name: 'B', code }, 'probe:write')).toMatchObject({ status: 200 });
  });

  it('STATE when a rule of the command does not hold', async () => {
    expect(await create({ name: 'state' }, 'probe:ruled')).toMatchObject({
      status: 409,
      body: { code: 'CONFLICT', message: 'Not in this state', data: { reason: 'STATE' } },
    });
  });
});

describe('a command is refused with 404 NOT_FOUND', () => {
  it("when its target is missing or another tenant's", async () => {
    const foreigner = await newUser(['ADMIN'], await newTenant());
    const foreign = await execute(foreigner.token, 'crm:create_lead', { payload: { name: 'Theirs' } });

    for (const pid of [ulid(), foreign.body.data.pid]) {
      for (const answer of [await update(pid, { name: 'Mine' }), await remove(pid)]) {
        expectRefusal(answer, 'NOT_FOUND', null);
      }
    }
    const { body } = await call(`/api/dynamic/leads/${foreign.body.data.pid}`, { token: foreigner.token });
    expect(body.data).toMatchObject({ name: 'Theirs', version: 1 });
  });

  it('when there is no such command', async () => {
    expectRefusal(await create({ name: 'A' }, 'crm:nothing'), 'NOT_FOUND');
  });
});

describe('a command is refused with 403 FORBIDDEN and data.permission', () => {
  it('when the caller may not execute it, whether it exists or not', async () => {
    user = await newUser(['VIEWER'], tenant);

    for (const command of ['crm:create_lead', 'crm:nothing']) {
      expectRefusal(await create({ name: 'A' }, command), 'FORBIDDEN', { permission: `command:execute:${command}` });
    }
    await nothingWritten();
  });

  it('when the caller may not write one of the fields', async () => {
    user = await newUser(['PROBE'], tenant);
    expectRefusal(await create({ name: 'A', guarded: 'B' }, 'probe:write'), 'FORBIDDEN', {
      permission: 'field:write:probe.guarded',
    });
    await nothingWritten('dev.mt_probe');
  });

  it('before anything of the request is looked at, and 401 UNAUTHORIZED before that', async () => {
    const path = '/api/meta/commands/execute/crm:create_lead';
    const viewer = await newUser(['VIEWER'], tenant);

    expectRefusal(await call(path, { body: {} }), 'UNAUTHORIZED');
    expect(await call(path, { body: {}, token: viewer.token })).toMatchObject({ status: 403 });
    expect(await call(path, { token: user.token, method: 'PUT', body: {} })).toMatchObject({ status: 405 });
  });
});
