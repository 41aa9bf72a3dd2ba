import { call, execute, list, type Answered } from '../support/api.ts';
import { rowsOf } from '../support/faults.ts';
import { insert, newModel, newRole, type TestModel } from '../support/models.ts';
import { LINE_FIELDS, linesRelation, newOrderCommand, newOrders, orderField } from '../support/orders.ts';
import { newTenant, newUser, type TestUser, signedInForEach } from '../support/world.ts';

let orders: TestModel;
let lines: TestModel;
let command: string;

beforeAll(async () => {
  ({ orders, lines, command } = await newOrders());
});
const { tenant, user } = signedInForEach('ADMIN');

const create = (payload: object, { of = command, as = user, ...rest }: Sent = {}): Promise<Answered> =>
  execute(as.token, of, { operationType: 'CREATE', payload: { name: 'o', ...payload }, ...rest });
const update = (targetRecordId: string, payload: object, { of = command, as = user, ...rest }: Sent = {}) =>
  execute(as.token, of, { operationType: 'UPDATE', targetRecordId, payload, ...rest });
type Sent = { of?: string; as?: TestUser; dryRun?: boolean };

/** An order with a line of each amount. */
async function newOrder(...amounts: string[]): Promise<{ pid: string; pids: string[] }> {
  const { data } = (await create({ lines: { create: amounts.map((amount) => ({ amount })) } })).body;
  return { pid: data.pid, pids: data.lines.create.map((line: { pid: string }) => line.pid) };
}
const linesOf = (pid: string, { code } = lines) =>
  rowsOf(tenant.id, `select * from dev.mt_${code} where deleted_at is null and "order" = $1 order by id`, [pid]);
const everything = async () => [
  await rowsOf(tenant.id, `select pid, name, version from dev.mt_${orders.code} order by id`),
  await rowsOf(tenant.id, `select pid, amount, version, deleted_at from dev.mt_${lines.code} order by id`),
  await rowsOf(tenant.id, 'select id from platform.change_log order by id'),
];
const problemsOf = ({ status, body }: Answered): object => {
  expect([status, body.code]).toEqual([400, 'VALIDATION_ERROR']);
  return body.data.fieldErrors;
};

describe('POST /api/meta/commands/execute/{commandCode} with related records', () => {
  it('creates them with their record, and answers both in the order of the payload', async () => {
    const { status, body } = await create({
      name: 'first',
      lines: { create: [{ amount: '1.50', data: [1] }, { amount: 2 }] },
    });

    expect(status).toBe(200);
    const { pid } = body.data;
    expect(body.data).toMatchObject({
      name: 'first',
      version: 1,
      lines: {
        create: [
          { order: pid, amount: '1.50', state: 'open', data: [1], version: 1 },
          { order: pid, amount: '2' },
        ],
        update: [],
        unlink: [],
        delete: [],
      },
    });
    const written = await linesOf(pid);
    expect(written.map((line) => line.pid)).toEqual(body.data.lines.create.map((line: { pid: string }) => line.pid));
    expect(written).toMatchObject([
      { amount: '1.50', created_by: user.pid },
      { amount: '2', data: null },
    ]);
  });

  it('creates, updates, unlinks and deletes in one transaction, with a line of the change log for each', async () => {
    const { pid, pids } = await newOrder('1', '2', '3', '4');
    const [first = '', second = '', third = '', fourth = ''] = pids;
    expect((await list(user.token, lines.code)).body.data.total).toBe(4);

    const { headers, body } = await update(pid, {
      lines: {
        create: [{ amount: 5 }],
        update: [
          { pid: second, state: 'sent' },
          { pid: first, amount: '1.1', data: { x: 1 } },
        ],
        unlink: [third],
        delete: [{ pid: fourth, expectedVersion: 1 }],
      },
    });

    expect(body.data).toMatchObject({
      pid,
      version: 2,
      lines: {
        create: [{ amount: '5', order: pid }],
        // Each keeps what its own item does not name.
        update: [
          { pid: second, amount: '2', state: 'sent', data: null, version: 2 },
          { pid: first, amount: '1.1', state: 'open', data: { x: 1 }, version: 2 },
        ],
        unlink: [third],
        delete: [fourth],
      },
    });
    expect((await linesOf(pid)).map(({ amount }) => amount)).toEqual(['1.1', '2', '5']);
    expect((await list(user.token, lines.code)).body.data.total).toBe(4);
    const executionPid = headers.get('X-Execution-Pid');
    const changes = await rowsOf(
      tenant.id,
      'select model_code, record_pid, action, after from platform.change_log where execution_pid = $1 order by id',
      [executionPid],
    );
    expect(changes).toMatchObject([
      { model_code: orders.code, record_pid: pid, action: 'UPDATE' },
      { model_code: lines.code, record_pid: fourth, action: 'DELETE' },
      { record_pid: third, action: 'UPDATE', after: { order: null } },
      { record_pid: second, action: 'UPDATE', after: { state: 'sent' } },
      { record_pid: first, action: 'UPDATE', after: { amount: '1.1', data: { x: 1 } } },
      { record_pid: body.data.lines.create[0].pid, action: 'CREATE' },
    ]);
    const trace = await call(`/api/meta/commands/executions/${executionPid}`, { token: user.token });
    expect(trace.body.data.changes).toHaveLength(6);
  });

  it('is shown by a dry run, which writes nothing', async () => {
    const { pid, pids } = await newOrder('1', '2');
    const before = await everything();

    const payload = { lines: { create: [{ amount: 3 }], update: [{ pid: pids[0], amount: 9 }], delete: [pids[1]] } };
    const { body } = await update(pid, payload, { dryRun: true });

    expect(body.data.result.lines).toMatchObject({ create: [{ amount: '3' }], update: [{ amount: '9' }] });
    expect(body.data.changes).toMatchObject([
      { modelCode: orders.code, action: 'UPDATE' },
      { modelCode: lines.code, action: 'DELETE', recordPid: pids[1] },
      { modelCode: lines.code, action: 'UPDATE', changes: { amount: { from: '1', to: '9' } } },
      { modelCode: lines.code, action: 'CREATE', changes: { amount: { from: null, to: '3' } } },
    ]);
    expect(body.data.events.slice(1)).toMatchObject([
      { eventType: 'record.updated', modelCode: orders.code },
      { eventType: 'record.deleted', modelCode: lines.code, recordPid: pids[1] },
      { eventType: 'record.updated', modelCode: lines.code, body: { payload: { amount: '9' } } },
      { eventType: 'record.created', modelCode: lines.code, body: { payload: { amount: '3' } } },
    ]);
    expect(await everything()).toEqual(before);
  });

  it('tells everything that is wrong in its payload by its place', async () => {
    const { pid, pids } = await newOrder('1');
    const before = await everything();

    expect(problemsOf(await create({ lines: { create: [{ amount: 1 }, {}, { amount: -1, other: 1 }] } }))).toEqual({
      'lines.create[1].amount': 'is required',
      'lines.create[2].amount': expect.any(String),
      'lines.create[2].other': `is not a field of ${lines.code}`,
    });
    const wrong = [{ pid: pids[0], amount: 'x', order: pid }, { pid: pids[0] }, { amount: 3 }, { pid: 'a b' }];
    expect(problemsOf(await update(pid, { lines: { update: wrong.slice(0, 2), delete: [pids[0]] } }))).toEqual({
      'lines.update[0].amount': expect.any(String),
      'lines.update[0].order': 'is set by the command',
      'lines.update[1].pid': 'is named twice',
      'lines.delete[0]': 'is named twice',
    });
    expect(problemsOf(await update(pid, { lines: { update: wrong.slice(2), set: [] } }))).toEqual({
      'lines.update[0].pid': 'must be the pid of a record',
      'lines.update[1].pid': 'must be the pid of a record',
      'lines.set': expect.any(String),
    });
    expect(problemsOf(await create({ lines: { unlink: [] } }))).toEqual({ 'lines.unlink': 'is not for a create' });
    expect(problemsOf(await create({ lines: [{ amount: 1 }] }))).toEqual({ lines: expect.any(String) });
    const deeper = { create: [{ amount: 1, lines: { create: [] } }] };
    expect(Object.keys(problemsOf(await create({ lines: deeper })))).toEqual(['lines.create[0].lines']);
    const batch = { items: [{ operationType: 'CREATE', payload: { name: 'b', lines: { create: [{}] } } }] };
    const answer = await call(`/api/meta/commands/execute/${command}/batch`, { token: user.token, body: batch });
    expect(Object.keys(problemsOf(answer))).toEqual(['items[0].payload.lines.create[0].amount']);
    const checked = await call(`/api/meta/commands/validate/${command}`, { token: user.token, body: batch.items[0] });
    expect(checked.body.data).toMatchObject({ valid: false, fieldErrors: { 'lines.create[0].amount': 'is required' } });
    expect(await everything()).toEqual(before);
  });

  it('takes 100 related records at most', async () => {
    const create101 = { create: Array.from({ length: 101 }, () => ({ amount: 1 })) };

    expect(problemsOf(await create({ lines: create101 }))).toEqual({
      payload: 'holds 101 related records; at most 100',
    });
    const { body } = await create({ lines: { create: create101.create.slice(1) } });
    expect(await linesOf(body.data.pid)).toHaveLength(100);
  });

  it('answers a record of another one, another tenant’s and a hidden one as one that is not there', async () => {
    const rule = { name: 'cheap', unless: 'all:see', conditions: [{ fieldName: 'amount', operator: 'lt', value: 5 }] };
    const bound = await newModel({ fields: [orderField(orders), ...LINE_FIELDS], rowRules: [rule] as never });
    const of = await newOrderCommand(orders, [linesRelation(bound)]);
    const clerk = await newUser([await newRole(['record:read:*', `command:execute:${of}`])], tenant);
    const foreign = await newTenant();
    const [pid = '', other = ''] = await insert(tenant, orders.code, [{ name: 'a' }, { name: 'b' }]);
    const [hidden, others] = await insert(tenant, bound.code, [
      { amount: 9, order: pid },
      { amount: 1, order: other },
    ]);
    const [theirs] = await insert(foreign, bound.code, [{ amount: 1, order: pid }]);
    const targets = ['01JNOSUCHRECORD00000000000', others, theirs, hidden];

    for (const kind of ['update', 'unlink', 'delete']) {
      const answers = await Promise.all(
        targets.map((target) =>
          update(pid, { name: 'x', lines: { [kind]: [{ pid: target, expectedVersion: 7 }] } }, { of, as: clerk }),
        ),
      );
      for (const { status, body } of answers) {
        expect({ status, code: body.code, data: body.data }).toEqual({
          status: 404,
          code: 'NOT_FOUND',
          data: { path: `lines.${kind}[0]` },
        });
      }
      expect(new Set(answers.map(({ body }) => body.message)).size).toBe(1);
    }
    const versions = [orders, bound].map(({ code }) => rowsOf(tenant.id, `select version from dev.mt_${code}`));
    expect((await Promise.all(versions)).flat().map(({ version }) => version)).toEqual([1, 1, 1, 1]);
  });

  it('holds them to transitions, unique values, relations, versions and row rules, at their place', async () => {
    const { pid, pids } = await newOrder('1', '2', '3');
    await update(pid, { lines: { update: [{ pid: pids[0], state: 'sent' }] } });
    const before = await everything();
    const refusal = async (related: object) => {
      const { status, body } = await update(pid, { name: 'y', lines: related });
      return { status, ...body.data };
    };

    const states = pids.map((each) => ({ pid: each, state: 'open' }));
    expect(await refusal({ update: states.toReversed() })).toMatchObject({
      status: 409,
      reason: 'STATE',
      path: 'lines.update[2]',
      state: 'sent',
    });
    expect(await refusal({ create: ['A', 'B', 'A'].map((no) => ({ amount: 1, no })) })).toMatchObject({
      status: 409,
      reason: 'UNIQUE',
      path: 'lines.create[2]',
      fieldErrors: { 'lines.create[2].no': 'is taken' },
    });
    expect(await refusal({ create: [{ amount: 1 }, { amount: 1, lead: '01JNOSUCHRECORD00000000000' }] })).toEqual({
      status: 400,
      fieldErrors: { 'lines.create[1].lead': 'is not a record of lead' },
    });
    expect(await refusal({ delete: [pids[1], { pid: pids[2], expectedVersion: 7 }] })).toMatchObject({
      status: 409,
      reason: 'VERSION',
      version: 1,
      path: 'lines.delete[1]',
    });
    // The header is about the order.
    const stale = { targetRecordId: pid, payload: { lines: { delete: [{ pid: pids[1], expectedVersion: 7 }] } } };
    const body = { operationType: 'UPDATE', ...stale };
    expect(await execute(user.token, command, body, { headers: { 'If-Match': '"2"' } })).toMatchObject({ status: 409 });
    expect(await execute(user.token, command, body, { headers: { 'If-Match': '"1"' } })).toMatchObject({ status: 412 });
    expect(await everything()).toEqual(before);
    // What goes makes room for what comes.
    const made = await update(pid, { lines: { create: [{ amount: 1, no: 'A' }] } });
    const [{ pid: old }] = made.body.data.lines.create;
    expect(await update(pid, { lines: { delete: [old], create: [{ amount: 1, no: 'A' }] } })).toMatchObject({
      status: 200,
    });
  });
});
