import { ulid } from 'ulid';
import { call, execute, type Answered, expectRefusal } from '../support/api.ts';
import { executionRow, holdRecord, publishProbe, rowsOf } from '../support/faults.ts';
import { container, newTenant, newUser, signedInForEach } from '../support/world.ts';

beforeAll(publishProbe);
const { tenant, user } = signedInForEach('ADMIN');

interface Sent {
  key?: string;
  command?: string;
  headers?: Record<string, string>;
  token?: string;
}

function send(payload: object, { key, command = 'probe:write', headers = {}, token = user.token }: Sent = {}) {
  return execute(token, command, { payload }, { headers: { ...(key && { 'X-Idempotent-Key': key }), ...headers } });
}

const names = async (): Promise<string[]> =>
  (await rowsOf(tenant.id, 'select name from dev.mt_probe order by id')).map(({ name }) => name);
const executionOf = ({ headers }: Answered): string | null => headers.get('x-execution-pid');

describe('a repeated X-Idempotent-Key or clientRequestId', () => {
  it.each([
    ['X-Idempotent-Key', {}, { 'X-Idempotent-Key': 'the key' }],
    ['clientRequestId', { clientRequestId: 'the key' }, {}],
  ])('%s returns IDEMPOTENT_REPLAY with HTTP 200 and the original result as data', async (_name, rest, headers) => {
    const body = { payload: { name: 'once' }, ...rest };
    const first = await execute(user.token, 'probe:write', body, { headers });
    const again = await execute(user.token, 'probe:write', body, { headers });

    expect(first).toMatchObject({ status: 200, body: { code: '0' } });
    expect(again).toMatchObject({ status: 200, body: { code: 'IDEMPOTENT_REPLAY', data: first.body.data } });
    expect(executionOf(again)).toBe(executionOf(first));
    expect(again.headers.has('x-idempotency-mismatch')).toBe(false);
    expect(await names()).toEqual(['once']);
  });

  it('is the same key in the header and in the body', async () => {
    const first = await send({ name: 'once' }, { key: 'k' });
    const again = await execute(user.token, 'probe:write', { payload: { name: 'once' }, clientRequestId: 'k' });

    expect(again.body).toMatchObject({ code: 'IDEMPOTENT_REPLAY', data: first.body.data });
  });

  it('replays the result as it was, whatever has become of the record', async () => {
    const first = await send({ name: 'once' }, { key: 'k' });
    const { pid } = first.body.data;
    await execute(user.token, 'probe:write', { operationType: 'DELETE', targetRecordId: pid });

    expect((await send({ name: 'once' }, { key: 'k' })).body.data).toEqual(first.body.data);
  });

  it('replays a delete, too', async () => {
    const { data } = (await send({ name: 'once' })).body;
    const body = { operationType: 'DELETE', targetRecordId: data.pid, clientRequestId: 'k' };
    const first = await execute(user.token, 'probe:write', body);

    expect(first.body).toMatchObject({ code: '0', data: { pid: data.pid } });
    expect((await execute(user.token, 'probe:write', body)).body).toEqual({
      code: 'IDEMPOTENT_REPLAY',
      message: expect.any(String),
      data: { pid: data.pid },
    });
  });

  it('makes one record of 20 parallel requests, and answers all of them with it', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => send({ name: 'once' }, { key: 'k' })));

    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(new Set(answers.map(({ body }) => body.data.pid)).size).toBe(1);
    expect(answers.filter(({ body }) => body.code === '0')).toHaveLength(1);
    expect(answers.filter(({ body }) => body.code === 'IDEMPOTENT_REPLAY')).toHaveLength(19);
    expect(await names()).toEqual(['once']);
  });

  it('waits for the first request while that is running', async () => {
    const { data } = (await send({ name: 'before' })).body;
    const held = await holdRecord(tenant.id, 'dev.mt_probe', data.pid);
    const body = {
      operationType: 'UPDATE',
      targetRecordId: data.pid,
      payload: { name: 'after' },
      clientRequestId: 'k',
    };
    const first = execute(user.token, 'probe:write', body);
    await held.waiting();
    const again = execute(user.token, 'probe:write', body);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await held.release();

    expect((await first).body).toMatchObject({ code: '0', data: { name: 'after', version: 2 } });
    expect((await again).body).toMatchObject({ code: 'IDEMPOTENT_REPLAY', data: { name: 'after', version: 2 } });
  });
});

describe('a repeated key with another body', () => {
  it('replays the original result and says so in X-Idempotency-Mismatch', async () => {
    const first = await send({ name: 'once' }, { key: 'k' });
    const other = await send({ name: 'twice' }, { key: 'k' });

    expect(other.body).toMatchObject({ code: 'IDEMPOTENT_REPLAY', data: first.body.data });
    expect(other.headers.get('x-idempotency-mismatch')).toBe('true');
    expect(await names()).toEqual(['once']);
  });

  it('is no other body when only its keys stand in another order', async () => {
    await send({ name: 'once', data: { a: 1, b: 2 } }, { key: 'k' });

    const again = await send({ data: { b: 2, a: 1 }, name: 'once' }, { key: 'k' });

    expect(again.headers.has('x-idempotency-mismatch')).toBe(false);
  });

  it('is 409 CONFLICT IDEMPOTENCY_KEY for a command that is strict', async () => {
    const first = await send({ name: 'once' }, { key: 'k', command: 'probe:strict' });
    const same = await send({ name: 'once' }, { key: 'k', command: 'probe:strict' });
    const other = await send({ name: 'twice' }, { key: 'k', command: 'probe:strict' });

    expect(same.body).toMatchObject({ code: 'IDEMPOTENT_REPLAY', data: first.body.data });
    expectRefusal(other, 'CONFLICT', { reason: 'IDEMPOTENCY_KEY' });
    expect(await names()).toEqual(['once']);
  });
});

describe('an idempotency key', () => {
  it('is free again when its command has failed', async () => {
    const code = ulid();
    const holder = await send({ name: 'holder', code });
    const failed = await send({ name: 'next', code }, { key: 'k' });
    expectRefusal(failed, 'CONFLICT');
    await execute(user.token, 'probe:write', { operationType: 'DELETE', targetRecordId: holder.body.data.pid });

    const again = await send({ name: 'next', code }, { key: 'k' });

    expect(again).toMatchObject({ status: 200, body: { code: '0', data: { name: 'next' } } });
  });

  it("gives parallel requests of a failing command the failure, not somebody else's result", async () => {
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => send({ name: 'state' }, { key: 'k', command: 'probe:ruled' })),
    );

    for (const answer of answers) expect(answer).toMatchObject({ status: 409, body: { data: { reason: 'STATE' } } });
  });

  it('is not taken by a request that was refused before it was accepted', async () => {
    expect(await send({}, { key: 'k' })).toMatchObject({ status: 400 });

    expect((await send({ name: 'once' }, { key: 'k' })).body.code).toBe('0');
  });

  it('is free again after 24 hours, and not before', async () => {
    const first = await send({ name: 'once' }, { key: 'k' });
    const { database } = await container();
    const age = (interval: string): Promise<unknown> =>
      database.query('update platform.command_execution set created_at = now() - $2::interval where pid = $1', [
        executionOf(first),
        interval,
      ]);

    await age('23 hours 59 minutes');
    expect((await send({ name: 'once' }, { key: 'k' })).body.code).toBe('IDEMPOTENT_REPLAY');

    await age('24 hours 1 minute');
    const later = await send({ name: 'once' }, { key: 'k' });
    expect(later.body.code).toBe('0');
    expect(later.body.data.pid).not.toBe(first.body.data.pid);
    // The old execution stays what it is; the key is the new one's.
    expect(await executionRow(executionOf(first))).toMatchObject({ status: 'SUCCEEDED', idempotencyKey: null });
    expect((await send({ name: 'once' }, { key: 'k' })).body.data.pid).toBe(later.body.data.pid);
  });

  it('makes one record of parallel requests that find it over-aged', async () => {
    const first = await send({ name: 'once' }, { key: 'k' });
    const { database } = await container();
    await database.query(
      `update platform.command_execution set created_at = now() - interval '25 hours' where pid = $1`,
      [executionOf(first)],
    );

    const answers = await Promise.all(Array.from({ length: 8 }, () => send({ name: 'once' }, { key: 'k' })));

    expect(new Set(answers.map(({ body }) => body.data.pid)).size).toBe(1);
    expect(await names()).toEqual(['once', 'once']);
  });

  it('belongs to one user, tenant, command and environment', async () => {
    const other = await newTenant();
    const colleague = await newUser(['ADMIN'], tenant);
    const both = await newUser(['ADMIN'], tenant, other);

    const answers = [
      await send({ name: 'mine' }, { key: 'k' }),
      await send({ name: "a colleague's" }, { key: 'k', token: colleague.token }),
      await send({ name: 'of another command' }, { key: 'k', command: 'probe:strict' }),
      await send({ name: 'at home' }, { key: 'k', token: both.token }),
      await send({ name: 'of another tenant' }, { key: 'k', token: both.token, headers: { 'X-Tenant-Id': other.id } }),
    ];
    expect(answers.map(({ body }) => body.code)).toEqual(['0', '0', '0', '0', '0']);

    const { resources } = await container();
    await resources.save('staging', stagingProbe(), null);
    const staged = await send({ name: 'staged' }, { key: 'k', headers: { 'X-Environment': 'staging' } });
    expect(staged.body).toMatchObject({ code: '0', data: { name: 'staged' } });
    const headers = { 'X-Environment': 'staging' };
    const { body } = await call(`/api/meta/commands/executions/${executionOf(staged)}`, { token: user.token, headers });
    expect(body.data).toMatchObject({ status: 'SUCCEEDED' });
    expect(await names()).not.toContain('staged');
  });

  it.each([
    ['empty', ' '],
    ['longer than 200 characters', 'k'.repeat(201)],
  ])('is refused when it is %s', async (_what, clientRequestId) => {
    expectRefusal(
      await execute(user.token, 'probe:write', { payload: { name: 'A' }, clientRequestId }),
      'VALIDATION_ERROR',
      { fieldErrors: { clientRequestId: expect.any(String) } },
    );
  });
});

/** Enough of the probe for one command in another environment. */
function stagingProbe() {
  const fields = [{ code: 'name', name: 'Name', type: 'string' as const, required: true }];
  return [
    { resourceType: 'MODEL' as const, code: 'probe', content: { name: 'Probe', fields } },
    {
      resourceType: 'COMMAND' as const,
      code: 'probe:write',
      content: { name: 'write', modelCode: 'probe', operations: ['CREATE' as const] },
    },
  ];
}
