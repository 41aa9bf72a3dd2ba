import { ulid } from 'ulid';
import { insertBatch } from '../../src/features/commands/executions/batch-store.ts';
import { call, execute, type Answered, expectRefusal } from '../support/api.ts';
import { executionRow, holdRecord, publishProbe, rowsOf, until } from '../support/faults.ts';
import { newModel, newRole } from '../support/models.ts';
import { startOwnNode } from '../support/own-node.ts';
import { newExecution } from '../support/executions.ts';
import { container, newUser, signedInForEach } from '../support/world.ts';

// Its tests name the workflows of commands: those of others must not join them.
beforeAll(async () => {
  await startOwnNode('batches');
  await publishProbe();
});
const { tenant, user } = signedInForEach('ADMIN');

interface Sent {
  readonly mode?: string;
  readonly command?: string;
  readonly headers?: Record<string, string>;
  readonly token?: string;
}

const send = (items: unknown, { mode, command = 'probe:write', headers = {}, token = user.token }: Sent = {}) =>
  call(`/api/meta/commands/execute/${command}/batch`, { token, headers, body: { items, ...(mode && { mode }) } });
const create = (name: string, rest: object = {}) => ({ payload: { name }, ...rest });
const names = async (): Promise<string[]> =>
  (await rowsOf(tenant.id, 'select name from dev.mt_probe where deleted_at is null order by id')).map(
    ({ name }) => name as string,
  );
const eventCount = async (): Promise<number> =>
  (await rowsOf(tenant.id, 'select 1 from platform.event where tenant_id = $1', [tenant.id])).length;
const newProbe = async (name: string): Promise<string> =>
  (await execute(user.token, 'probe:write', create(name))).body.data.pid as string;
const find = (pid: string) => call(`/api/meta/commands/executions/${pid}`, { token: user.token });
const codes = ({ body }: Answered): string[] => body.data.results.map(({ code }: { code: string }) => code);

describe('POST /api/meta/commands/execute/{commandCode}/batch', () => {
  it('answers what became of each item, which is an execution of its own, in one workflow', async () => {
    const pid = await newProbe('old');
    const answer = await send([
      create('new'),
      { operationType: 'UPDATE', targetRecordId: pid, payload: { name: 'changed' }, expectedVersion: 1 },
      { operationType: 'UPDATE', targetRecordId: pid, payload: { name: 'again' }, expectedVersion: 2 },
    ]);

    expect(answer).toMatchObject({
      status: 200,
      body: {
        code: '0',
        data: { succeeded: 3, failed: 0, results: [{ index: 0, code: '0', data: { name: 'new' } }, {}, {}] },
      },
    });
    expect(await names()).toEqual(['again', 'new']);
    const batchPid = answer.headers.get('x-execution-pid') ?? '';
    expect((await find(batchPid)).body.data).toMatchObject({
      status: 'SUCCEEDED',
      workflowId: `command:${batchPid}`,
      batchPid,
      result: answer.body.data,
    });
    const [{ executionPid }] = answer.body.data.results;
    expect((await find(executionPid)).body.data).toMatchObject({
      status: 'SUCCEEDED',
      workflowId: `command:${batchPid}`,
      batchPid,
      result: { name: 'new' },
    });
    const listed = await call(`/api/meta/commands/executions?batchPid=${batchPid}`, { token: user.token });
    expect(listed.body.data.records).toHaveLength(4);
    expect(await eventCount()).toBe(4);
  });

  it.each([
    ['no items', [], 'items'],
    ['more than 500 items', Array.from({ length: 501 }, () => ({})), 'items'],
    ['an item that is none', [{ payload: { name: 'a' } }, 7], 'items[1]'],
    ['a key that requests have not', [{ payload: { name: 'a' }, commandCode: 'x' }], 'items[0].commandCode'],
    [
      'a key that two items use',
      [create('a', { clientRequestId: 'k' }), create('b', { clientRequestId: 'k' })],
      'items[1].clientRequestId',
    ],
  ])('with %s is a 400 in both modes', async (_what, items, path) => {
    for (const mode of ['atomic', 'partial']) {
      const { status, body } = await send(items, { mode });
      expect({ status, code: body.code }).toEqual({ status: 400, code: 'VALIDATION_ERROR' });
      expect(body.data.fieldErrors).toHaveProperty([path]);
    }
    expect(await send([create('a')], { mode: 'some' })).toMatchObject({ status: 400 });
    expect(await names()).toEqual([]);
  });

  it('obeys permissions, and is not for commands of the platform', async () => {
    const stranger = await newUser([await newRole(['record:read:probe'])], tenant);

    expect(await send([create('a')], { token: stranger.token })).toMatchObject({ status: 403 });
    expect(await send([{}], { command: 'record:restore' })).toMatchObject({
      status: 400,
      body: { data: { fieldErrors: { commandCode: expect.any(String) } } },
    });
    expect(await send([create('a')], { headers: { 'If-Match': '"1"' } })).toMatchObject({ status: 400 });
    expect(await send([create('a')], { command: 'probe:none' })).toMatchObject({ status: 404 });
  });
});

describe('an atomic batch', () => {
  it('names everything that is wrong in its items, and does nothing', async () => {
    const answer = await send([create('a'), { payload: {} }, { operationType: 'UPDATE', payload: { name: 7, x: 1 } }]);

    expectRefusal(answer, 'VALIDATION_ERROR');
    expect(Object.keys(answer.body.data.fieldErrors).sort()).toEqual([
      'items[1].payload.name',
      'items[2].payload.name',
      'items[2].payload.x',
      'items[2].targetRecordId',
    ]);
    expect(await names()).toEqual([]);
  });

  it('keeps nothing when an item fails, and answers its failure with what became of the others', async () => {
    const { code, command } = await newModel({ fields: [{ code: 'no', name: 'No', type: 'string', unique: true }] });
    const item = (no: string) => ({ payload: { no }, clientRequestId: no });
    const answer = await send([item('1'), item('2'), { payload: { no: '2' } }, item('3')], { command });

    expectRefusal(answer, 'CONFLICT', { reason: 'UNIQUE', index: 2, fieldErrors: { no: 'is taken' } });
    expect(answer.body.data.results).toMatchObject([
      { index: 0, code: 'CONFLICT', data: { reason: 'BATCH' } },
      { index: 1, code: 'CONFLICT', data: { reason: 'BATCH' } },
      { index: 2, code: 'CONFLICT', data: { reason: 'UNIQUE' } },
      { index: 3, code: 'CONFLICT', data: { reason: 'BATCH' } },
    ]);
    expect(await rowsOf(tenant.id, `select 1 from dev.mt_${code}`)).toEqual([]);
    expect(await eventCount()).toBe(0);
    const batch = await find(answer.headers.get('x-execution-pid') ?? '');
    expect(batch.body.data).toMatchObject({ status: 'FAILED', result: { succeeded: 0, failed: 4 } });
    // Keys of what failed are free again.
    expect((await send([item('1'), item('2')], { command })).body).toMatchObject({ code: '0' });
  });

  it('answers a stale expectedVersion of an item as a single command does', async () => {
    const pid = await newProbe('a');
    const change = { operationType: 'UPDATE', targetRecordId: pid, payload: { name: 'b' }, expectedVersion: 7 };

    expect(await send([create('c'), change])).toMatchObject({
      status: 409,
      body: { data: { reason: 'VERSION', index: 1, version: 1 } },
    });
    expect(await names()).toEqual(['a']);
  });
});

describe('a partial batch', () => {
  it('does what can be done, and answers 200 with the failures of the others', async () => {
    const pid = await newProbe('a');
    const answer = await send(
      [
        create('b'),
        { payload: {} },
        { operationType: 'DELETE', targetRecordId: pid },
        { operationType: 'DELETE', targetRecordId: ulid() },
      ],
      { mode: 'partial' },
    );

    expect(answer).toMatchObject({
      status: 200,
      body: {
        code: '0',
        data: {
          succeeded: 2,
          failed: 2,
          results: [
            { index: 0, code: '0', data: { name: 'b' } },
            { index: 1, code: 'VALIDATION_ERROR', data: { fieldErrors: { name: 'is required' } }, executionPid: null },
            { index: 2, code: '0', data: { pid } },
            { index: 3, code: 'NOT_FOUND', message: 'There is no such record' },
          ],
        },
      },
    });
    expect(await names()).toEqual(['b']);
    expect((await find(answer.headers.get('x-execution-pid') ?? '')).body.data.status).toBe('SUCCEEDED');
  });

  it('keeps the order of the items of one record', async () => {
    const pid = await newProbe('0');
    const changes = Array.from({ length: 20 }, (_, index) => ({
      operationType: 'UPDATE',
      targetRecordId: pid,
      payload: { name: `${index + 1}` },
      expectedVersion: index + 1,
    }));

    expect((await send(changes, { mode: 'partial' })).body.data).toMatchObject({ succeeded: 20, failed: 0 });
    expect(await names()).toEqual(['20']);
  });

  it('that takes long is answered 202, and found under its execution', async () => {
    const pid = await newProbe('held');
    const held = await holdRecord(tenant.id, 'dev.mt_probe', pid);
    const items = [create('b'), { operationType: 'UPDATE', targetRecordId: pid, payload: { name: 'late' } }];

    const answer = await send(items, { mode: 'partial', headers: { Prefer: 'respond-async, wait=1' } });

    expect(answer).toMatchObject({ status: 202, body: { data: { executionPid: expect.any(String) } } });
    const { executionPid } = answer.body.data;
    expect((await find(executionPid)).body.data).toMatchObject({ result: null, finishedAt: null });
    await held.release();
    await until('the batch ends', async () => (await executionRow(executionPid)).status === 'SUCCEEDED');
    expect((await find(executionPid)).body.data.result).toMatchObject({ succeeded: 2, failed: 0 });
  });
});

describe('a repeated X-Idempotent-Key of a batch', () => {
  it.each(['atomic', 'partial'])('answers the original result of a batch that is %s', async (mode) => {
    const items = [create('a'), create('b', { clientRequestId: 'b' })];
    const headers = { 'X-Idempotent-Key': 'batch' };
    const first = await send(items, { mode, headers });

    const again = await send(items, { mode, headers });
    const other = await send([create('c')], { mode, headers });

    expect(again).toMatchObject({ status: 200, body: { code: 'IDEMPOTENT_REPLAY', data: first.body.data } });
    expect(again.headers.get('x-idempotency-mismatch')).toBeNull();
    expect(other.body).toMatchObject({ code: 'IDEMPOTENT_REPLAY', data: first.body.data });
    expect(other.headers.get('x-idempotency-mismatch')).toBe('true');
    expect((await names()).sort()).toEqual(['a', 'b']);
  });

  it('and one at the same time waits for the first: each item is done once', async () => {
    const headers = { 'X-Idempotent-Key': 'batch' };
    const answers = await Promise.all([1, 2, 3].map(() => send([create('a'), create('b')], { headers })));

    expect(answers.map(({ body }) => body.code).sort()).toEqual(['0', 'IDEMPOTENT_REPLAY', 'IDEMPOTENT_REPLAY']);
    expect((await names()).sort()).toEqual(['a', 'b']);
  });
});

describe('the clientRequestId of an item', () => {
  it('that was used before answers its first result', async () => {
    const first = await execute(user.token, 'probe:write', create('a', { clientRequestId: 'k' }));
    const answer = await send([
      create('b'),
      create('a', { clientRequestId: 'k' }),
      create('c', { clientRequestId: 'l' }),
    ]);

    expect(codes(answer)).toEqual(['0', 'IDEMPOTENT_REPLAY', '0']);
    expect(answer.body.data.results[1]).toMatchObject({
      index: 1,
      data: first.body.data,
      executionPid: first.headers.get('x-execution-pid'),
    });
    expect(codes(await send([create('d', { clientRequestId: 'l' })]))).toEqual(['IDEMPOTENT_REPLAY']);
    expect((await send([create('d', { clientRequestId: 'l' })])).body.data.results[0].mismatch).toBe(true);
    expect(await names()).toEqual(['a', 'b', 'c']);
  });

  it('that a running command has refuses the batch', async () => {
    const pid = await newProbe('held');
    const held = await holdRecord(tenant.id, 'dev.mt_probe', pid);
    const change = { operationType: 'UPDATE', targetRecordId: pid, payload: { name: 'x' }, clientRequestId: 'k' };
    const prefer = { headers: { Prefer: 'respond-async' } };
    expect((await execute(user.token, 'probe:write', change, prefer)).status).toBe(202);

    expectRefusal(await send([create('b'), change]), 'CONFLICT', { reason: 'IN_PROGRESS', index: 1 });
    await held.release();
    expect(await names()).not.toContain('b');
  });
});

/** Setup: a node accepts a batch and dies; a worker does an item of it, where it can, and dies. */
describe('a batch whose node and worker have died', () => {
  it.each(['atomic', 'partial'])('that is %s is taken up, and each item ends once', async (mode) => {
    const { database, commandRunner } = await container();
    const execution = await newExecution(tenant, user, { operation: 'BATCH', payload: { mode }, idempotencyKey: null });
    const items = ['0', '1', '2'].map((name, batchIndex) => ({
      ...execution,
      pid: ulid(),
      operation: 'CREATE' as const,
      payload: { name },
      batchIndex,
    }));
    await insertBatch(database, execution, items);
    if (mode === 'partial') await commandRunner.run(items[1]?.pid ?? '', { isOfBatch: true });

    await until('the batch ends', async () => (await executionRow(execution.pid)).status === 'SUCCEEDED');

    expect((await names()).sort()).toEqual(['0', '1', '2']);
    expect(await eventCount()).toBe(3);
    expect((await find(execution.pid)).body.data.result).toMatchObject({ succeeded: 3, failed: 0 });
  });
});
