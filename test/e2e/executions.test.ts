import { ulid } from 'ulid';
import { codeOfFailure } from '../../src/foundation/errors/temporal-failure.ts';
import { commandWorkflowId } from '../../workflows/contracts.ts';
import { call, execute, type Answered, expectRefusal } from '../support/api.ts';
import { historyText, workflowOf } from '../support/command-workflows.ts';
import { executionRow, publishProbe, rowsOf, temporal, until } from '../support/faults.ts';
import { startNodeHere, startOwnNode } from '../support/own-node.ts';
import { newRole } from '../support/models.ts';
import { runSql } from '../support/platform.ts';
import { container, newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

let tenant: TestTenant;
let user: TestUser;

// Its tests name the workflows of commands: those of others must not join them.
beforeAll(async () => {
  await startOwnNode('executions');
  await publishProbe();
});
beforeEach(async () => {
  tenant = await newTenant();
  user = await newUser(['ADMIN'], tenant);
});

const executionOf = ({ headers }: Answered): string => headers.get('x-execution-pid') ?? '';
const read = (pid: string, token = user.token, headers: Record<string, string> = {}): Promise<Answered> =>
  call(`/api/meta/commands/executions/${pid}`, { token, headers });

/** The execution of the user's last command: failures do not name theirs. */
async function lastExecution(): Promise<string> {
  const { database } = await container();
  const [row] = await database.query<{ pid: string }>(
    'select pid from platform.command_execution where tenant_id = $1 order by pid desc limit 1',
    [tenant.id],
  );
  return row?.pid ?? '';
}

describe('GET /api/meta/commands/executions/{pid}', () => {
  it('answers how a command ended, with its result', async () => {
    const done = await execute(user.token, 'crm:create_lead', { payload: { name: 'Ada' } });
    const pid = executionOf(done);

    const { status, body } = await read(pid);

    expect({ status, code: body.code }).toEqual({ status: 200, code: '0' });
    expect(body.data).toEqual({
      pid,
      batchPid: null,
      commandCode: 'crm:create_lead',
      status: 'SUCCEEDED',
      result: done.body.data,
      error: null,
      startedAt: expect.stringMatching(/Z$/),
      finishedAt: expect.stringMatching(/Z$/),
      workflowId: expect.stringMatching(/^command/),
      traceId: done.headers.get('x-trace-id'),
      changes: [expect.objectContaining({ recordPid: done.body.data.pid, action: 'CREATE' })],
      events: [{ pid: expect.any(String), eventType: 'crm:create_lead' }],
    });
  });

  it('answers why a command failed', async () => {
    await execute(user.token, 'crm:update_lead', {
      operationType: 'UPDATE',
      targetRecordId: ulid(),
      payload: { name: 'A' },
    });

    const { body } = await read(await lastExecution());

    expect(body.data).toMatchObject({
      status: 'FAILED',
      result: null,
      finishedAt: expect.any(String),
      error: { code: 'NOT_FOUND', message: 'There is no such record', data: null },
    });
  });

  it('is NOT_FOUND for everyone else: another user, another tenant, another environment', async () => {
    const other = await newTenant();
    user = await newUser(['ADMIN'], tenant, other);
    const pid = executionOf(await execute(user.token, 'crm:create_lead', { payload: { name: 'Ada' } }));
    const colleague = await newUser(['SALES'], tenant);

    expect(await read(pid)).toMatchObject({ status: 200 });
    for (const answer of [
      await read(pid, colleague.token),
      await read(pid, user.token, { 'X-Tenant-Id': other.id }),
      await read(pid, user.token, { 'X-Environment': 'staging' }),
      await read(ulid()),
      await read("' or true --"),
    ]) {
      expectRefusal(answer, 'NOT_FOUND', null);
    }
    expect(await call(`/api/meta/commands/executions/${pid}`)).toMatchObject({ status: 401 });
  });
});

describe('GET /api/meta/commands/executions', () => {
  const listed = (query = '', { token } = user): Promise<Answered> =>
    call(`/api/meta/commands/executions${query}`, { token });
  const create = (name: string, { token } = user) => execute(token, 'crm:create_lead', { payload: { name } });

  it("lists the caller's executions, newest first, by cursor", async () => {
    await create('Eve', await newUser(['ADMIN'], tenant));
    const pids = [executionOf(await create('a')), executionOf(await create('b')), executionOf(await create('c'))];
    const own = `?userPid=${user.pid}&pageSize=2`;

    const { records, nextCursor } = (await listed(own)).body.data;

    expect(records).toMatchObject([{ pid: pids[2] }, { pid: pids[1], status: 'SUCCEEDED', operation: 'CREATE' }]);
    expect(JSON.stringify(records)).not.toContain('payload');
    expect((await listed(`${own}&cursor=${nextCursor}`)).body.data).toMatchObject({
      records: [{ pid: pids[0], userPid: user.pid, error: null }],
      nextCursor: null,
    });
  });

  it('finds by command, status, record and time', async () => {
    const made = await create('a');
    const { pid } = made.body.data;
    const changed = await execute(user.token, 'crm:update_lead', { targetRecordId: pid, payload: { name: 'b' } });
    await execute(user.token, 'crm:update_lead', { targetRecordId: ulid(), payload: { name: 'b' } });
    const found = async (query: string) =>
      ((await listed(query)).body.data.records as { pid: string }[]).map((execution) => execution.pid);

    expect(await found(`?recordPid=${pid}`)).toEqual([executionOf(changed), executionOf(made)]);
    expect(await found('?commandCode=crm:create_lead&status=SUCCEEDED')).toEqual([executionOf(made)]);
    expect(await found('?status=FAILED')).toHaveLength(1);
    expect(await found('?since=2100-01-01T00:00:00Z')).toEqual([]);
    expect(await found('?until=2100-01-01T00:00:00Z')).toHaveLength(3);
    expect(await listed('?since=yesterday')).toMatchObject({ status: 400 });
  });

  it('shows those of others with execution:read alone, and none of another tenant', async () => {
    const pid = executionOf(await create('a'));
    const plain = await newUser(['SALES'], tenant);
    const operator = await newUser([await newRole(['execution:read'])], tenant);

    expect((await listed('', plain)).body.data.records).toEqual([]);
    expect(await listed(`?userPid=${user.pid}`, plain)).toMatchObject({ status: 403 });
    expect((await listed('', operator)).body.data.records).toMatchObject([{ pid }]);
    const { traceId } = (await read(pid)).body.data;
    expect((await read(pid, operator.token)).body.data).toMatchObject({
      pid,
      status: 'SUCCEEDED',
      result: null,
      traceId,
    });
    expect((await read(pid, plain.token)).status).toBe(404);
    const stranger = await newUser(['ADMIN'], await newTenant());
    expect((await listed(`?userPid=${user.pid}`, stranger)).body.data.records).toEqual([]);
  });
});

describe('POST /api/meta/commands/executions/{pid}/retry', () => {
  const retry = (pid: string, { token } = user) =>
    call(`/api/meta/commands/executions/${pid}/retry`, { method: 'POST', token });

  it('executes a failed request again, once', async () => {
    const made = await execute(user.token, 'crm:create_lead', { payload: { name: 'a' } });
    const converted = { targetRecordId: made.body.data.pid as string, payload: { deal_name: 'Big' } };
    await runSql(`update dev.mt_lead set status = 'won' where pid = $1`, [converted.targetRecordId]);
    await execute(user.token, 'crm:convert_lead', converted);
    const failed = await lastExecution();
    await runSql(`update dev.mt_lead set status = 'new' where pid = $1`, [converted.targetRecordId]);

    const first = await retry(failed);

    expect(first).toMatchObject({ status: 200, body: { code: '0', data: { deal: { name: 'Big' } } } });
    expect(executionOf(first)).not.toBe(failed);
    expect(await retry(failed)).toMatchObject({ status: 200, body: { code: 'IDEMPOTENT_REPLAY' } });
    expect(await retry(executionOf(first))).toMatchObject({ status: 409, body: { data: { reason: 'STATE' } } });
    expect(await retry(failed, await newUser(['ADMIN'], tenant))).toMatchObject({ status: 404 });
  });
});

describe('POST /api/meta/commands/executions/{pid}/cancel', () => {
  const cancel = (pid: string, { token } = user) =>
    call(`/api/meta/commands/executions/${pid}/cancel`, { method: 'POST', token });

  it('is 409 for one that has ended, and 404 for that of another user', async () => {
    const done = executionOf(await execute(user.token, 'crm:create_lead', { payload: { name: 'a' } }));

    expect(await cancel(done)).toMatchObject({ status: 409, body: { data: { reason: 'STATE' } } });
    expect(await cancel(done, await newUser(['ADMIN'], tenant))).toMatchObject({ status: 404 });
  });

  /** Setup: a node whose task queue has no worker, so that what it accepts does not begin. */
  it('ends a command, or a batch, that has not begun, and tells its caller; its key is free again', async () => {
    const node = await startNodeHere({ TEMPORAL_TASK_QUEUE: `none-${ulid()}`, KEELSON_ROLES: 'api' });
    const body = { payload: { name: 'a' }, clientRequestId: 'k' };
    const single = execute(user.token, 'crm:create_lead', body, { baseUrl: node.url });
    const batch = call('/api/meta/commands/execute/crm:create_lead/batch', {
      token: user.token,
      baseUrl: node.url,
      body: { items: [{ payload: { name: 'b' } }] },
    });
    for (const answer of [single, batch]) {
      const pid = await until('it waits', async () => {
        const { body: found } = await call('/api/meta/commands/executions?status=RECEIVED', { token: user.token });
        const own = answer === batch ? 'BATCH' : 'CREATE';
        const waiting = found.data.records as { pid: string; operation: string; batchPid: string | null }[];
        return waiting.find(({ operation, batchPid }) => operation === own && (batchPid === null || own === 'BATCH'))
          ?.pid;
      });

      expect(await cancel(pid)).toMatchObject({ status: 200, body: { data: { pid, status: 'CANCELLED' } } });

      expect(await answer).toMatchObject({ status: 409, body: { code: 'CONFLICT', data: { reason: 'CANCELLED' } } });
      expect(await cancel(pid)).toMatchObject({ status: 409 });
    }
    const { records } = (await call('/api/meta/commands/executions', { token: user.token })).body.data;
    expect(records).toHaveLength(3);
    for (const record of records) expect(record).toMatchObject({ status: 'CANCELLED' });
    expect(await execute(user.token, 'crm:create_lead', body)).toMatchObject({ status: 200, body: { code: '0' } });
  });
});

describe('POST /api/meta/commands/validate/{code}', () => {
  const validate = (body: object, { token } = user) =>
    call('/api/meta/commands/validate/crm:create_lead', { token, body });

  it('says what is wrong with a body and executes nothing', async () => {
    expect((await validate({ payload: { name: 'Ada' } })).body.data).toEqual({ valid: true, fieldErrors: {} });
    expect((await validate({ payload: { nme: 'Ada' } })).body.data).toEqual({
      valid: false,
      fieldErrors: { name: 'is required', nme: 'is not a field of lead' },
    });
    expect(await lastExecution()).toBe('');
  });

  it('asks the rules that do not read the record', async () => {
    const ruled = (name: string) =>
      call('/api/meta/commands/validate/probe:ruled', { token: user.token, body: { payload: { name } } });

    expect((await ruled('state')).body.data).toEqual({ valid: false, fieldErrors: { payload: 'Not in this state' } });
    expect((await ruled('invalid')).body.data).toEqual({ valid: false, fieldErrors: { name: 'Not this name' } });
    expect((await ruled('fine')).body.data).toEqual({ valid: true, fieldErrors: {} });
  });

  it('needs the permission to execute', async () => {
    expect(await validate({}, await newUser(['VIEWER'], tenant))).toMatchObject({ status: 403 });
  });
});

describe('the workflow of a command', () => {
  it('is found in Temporal by tenantId, commandCode and environment', async () => {
    const done = await execute(user.token, 'probe:alone', { payload: { name: 'A' } });
    const { workflow } = await temporal();
    const query = `tenantId = "${tenant.id}" and commandCode = "probe:alone" and environment = "dev"`;

    const found = await until('the workflow is listed', async () => {
      for await (const info of workflow.list({ query })) if (info.status.name === 'COMPLETED') return info;
      return null;
    });

    expect(found).toMatchObject({ workflowId: commandWorkflowId(executionOf(done)), type: 'executeCommand' });
  });

  it('has no value of the payload, no result and no error text in its history', async () => {
    const secret = `secret ${ulid()}`;
    const done = await execute(user.token, 'probe:alone', { payload: { name: secret, code: secret } });
    await execute(user.token, 'probe:alone', { payload: { name: secret, code: secret } });

    for (const pid of [executionOf(done), await lastExecution()]) {
      await (await workflowOf(pid)).result().catch(() => undefined);
      const text = await historyText(pid);
      // The one argument can be read, so the rest could be, too.
      expect(text).toContain('executionPid');
      expect(text).not.toContain(secret);
      expect(text).not.toContain(secret.split(' ')[1]);
      expect(text).not.toContain(user.email);
    }
  });

  it("fails with the code of the command's failure as its type", async () => {
    const code = ulid();
    await execute(user.token, 'probe:alone', { payload: { name: 'A', code } });
    await execute(user.token, 'probe:alone', { payload: { name: 'B', code } });

    const workflow = await workflowOf(await lastExecution());
    const failure: unknown = await workflow.result().catch((error: unknown) => error);

    expect(codeOfFailure(failure)).toBe('CONFLICT');
  });

  it('does not exist for a command that says inline', async () => {
    const done = await execute(user.token, 'probe:inline', { payload: { name: 'A' } });

    await expect(historyText(executionOf(done))).rejects.toThrow('workflow not found');
  });
});

describe('commands that arrive together', () => {
  it('share workflows, and each has its own transaction, outcome and answer', async () => {
    const neighbour = await newUser(['ADMIN'], await newTenant());
    const code = ulid();
    const asked = Array.from({ length: 40 }, (_, index) =>
      execute((index % 4 === 0 ? neighbour : user).token, 'probe:write', {
        payload: { name: `name ${index}`, ...(index > 37 && { code }) },
      }),
    );

    const answers = await Promise.all(asked);

    const [refused, ...more] = answers.filter(({ status }) => status !== 200) as [Answered, ...Answered[]];
    expect(more).toEqual([]);
    expectRefusal(refused, 'CONFLICT', { reason: 'UNIQUE' });
    expect(await rowsOf(tenant.id, 'select name from dev.mt_probe')).toHaveLength(30 - 1);
    const groups = new Map<string, string[]>();
    for (const answer of answers) {
      const pid = executionOf(answer);
      const { groupPid } = await executionRow(pid);
      if (groupPid) groups.set(groupPid, [...(groups.get(groupPid) ?? []), pid]);
    }
    expect(groups.size).toBeGreaterThan(0);
    expect(groups.size).toBeLessThan(20);
    const [[groupPid, pids]] = [...groups].sort(([, a], [, b]) => b.length - a.length) as [[string, string[]]];
    const own = answers.find((answer) => answer.status === 200 && pids.includes(executionOf(answer)));
    const reader = own?.body.data.tenant_id === tenant.id ? user : neighbour;
    expect((await read(executionOf(own as Answered), reader.token)).body.data.workflowId).toBe(`commands:${groupPid}`);

    const { workflow } = await temporal();
    const handle = await workflowOf(pids[0] ?? '');
    await handle.result();
    const described = await handle.describe();
    const history = await handle.fetchHistory();
    const [input] = history.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
    expect(JSON.parse(Buffer.from(input?.data ?? []).toString())).toEqual({
      groupPid,
      executionPids: expect.arrayContaining(pids),
    });
    expect(described.historyLength).toBeLessThan(20);
    expect(await described.staticSummary()).toMatch(/^\d+ commands: probe:write \d+$/);
    expect(described.searchAttributes).toMatchObject({ commandCodes: ['probe:write'], environment: ['dev'] });
    expect(JSON.stringify(history)).not.toContain('name 3');
    const query = `commandCodes = "probe:write" and tenantIds = "${tenant.id}"`;
    await until('the groups are listed by tenant', async () => {
      for await (const { workflowId } of workflow.list({ query })) if (workflowId.startsWith('commands:')) return true;
      return false;
    });
  });
});

/**
 * Setup: an API node whose task queue has no worker, and which waits 300 ms for a command.
 * Timeline: a command is accepted; a worker comes; the command ends.
 * What this proves: a long command is answered 202 in time, goes on without its caller, and its key replays
 * it.
 */
describe('a command that takes longer than COMMAND_WAIT_MS', () => {
  it('is answered 202 with executionPid and status, and can be followed to its end', async () => {
    const settings = { TEMPORAL_TASK_QUEUE: `late-${ulid()}` };
    const api = await startNodeHere({
      ...settings,
      KEELSON_ROLES: 'api',
      COMMAND_WAIT_MS: '300',
      DUPLICATE_WAIT_MS: '100',
    });
    const body = { payload: { name: 'Ada' }, clientRequestId: 'k' };
    const startedAt = Date.now();
    const accepted = await execute(user.token, 'crm:create_lead', body, { baseUrl: api.url });
    const tookMs = Date.now() - startedAt;

    const executionPid = executionOf(accepted);
    expect(accepted).toMatchObject({
      status: 202,
      body: { code: '0', data: { executionPid, status: 'RECEIVED' } },
    });
    expect(accepted.headers.get('location')).toBe(`/api/meta/commands/executions/${executionPid}`);
    expect(tookMs).toBeGreaterThanOrEqual(300);
    expect((await read(executionPid)).body.data).toMatchObject({
      status: expect.stringMatching(/^(RECEIVED|RUNNING)$/),
      result: null,
      finishedAt: null,
    });

    const impatient = await execute(user.token, 'crm:create_lead', body, { baseUrl: api.url });
    expectRefusal(impatient, 'CONFLICT', { reason: 'IN_PROGRESS', executionPid });

    await startNodeHere({ ...settings, KEELSON_ROLES: 'worker' });
    await until('the command ends', async () => (await read(executionPid)).body.data.status === 'SUCCEEDED');
    const replayed = await execute(user.token, 'crm:create_lead', body, { baseUrl: api.url });
    expect(replayed.body).toMatchObject({ code: 'IDEMPOTENT_REPLAY', data: { name: 'Ada' } });
    expect(await rowsOf(tenant.id, 'select name from dev.mt_lead')).toEqual([{ name: 'Ada' }]);
    expect(await executionRow(executionPid)).toMatchObject({ status: 'SUCCEEDED' });
  });
});
