import { ulid } from 'ulid';
import { call, list, type Answered, type CallOptions } from '../support/api.ts';
import { newAutomation, runIs, startRun } from '../support/automations.ts';
import { rowsOf, temporal, until } from '../support/faults.ts';
import { newChannel, post } from '../support/im.ts';
import { anotherNode } from '../support/nodes.ts';
import { runSql } from '../support/platform.ts';
import { newTenant, newUser, PASSWORD, type TestTenant, type TestUser } from '../support/world.ts';
import { RUN_CHANGED, runWorkflowId } from '../../workflows/contracts.ts';

let acme: TestTenant;
let globex: TestTenant;
let platformAdmin: TestUser;
let other: string;

beforeAll(async () => {
  other = await anotherNode();
});
beforeEach(async () => {
  acme = await newTenant();
  globex = await newTenant();
  platformAdmin = await newUser(['PLATFORM_ADMIN'], await newTenant());
});

const answered = ({ status, body }: Answered) => ({ status, body });
const forbidden = (permission: string) => ({
  status: 403,
  body: { code: 'FORBIDDEN', message: 'Permission denied', data: { permission } },
});
const patchTenant = (pid: string, body: unknown) =>
  call(`/api/admin/tenants/${pid}`, { method: 'PATCH', token: platformAdmin.token, body });
const fieldErrors = ({ status, body }: Answered) => ({ status, errors: body.data?.fieldErrors });

const SUSPENDED = { code: 'TENANT_FORBIDDEN', message: 'The tenant is suspended', data: { reason: 'SUSPENDED' } };

async function auditOf(pid: string) {
  return runSql<{ action: string; before: unknown; after: unknown; actor: { userPid: string } }>(
    'select action, actor, before, after from platform.audit_entry where target_pid = $1 order by id',
    [pid],
  );
}

async function tenantPid({ id }: TestTenant): Promise<string> {
  const [row] = await runSql<{ pid: string }>('select pid from platform.tenant where id = $1', [id]);
  return row?.pid ?? '';
}

describe('/api/admin/tenants', () => {
  it('need admin:users', async () => {
    const admin = await newUser(['ADMIN'], acme);
    for (const options of [{}, { body: { name: 'x' } }] as CallOptions[]) {
      const refused = await call('/api/admin/tenants', { ...options, token: admin.token });
      expect(answered(refused)).toEqual(forbidden('admin:users'));
    }
  });

  it('are made, read, renamed and listed', async () => {
    const name = `Tenant ${ulid()}`;
    const made = await call('/api/admin/tenants', { token: platformAdmin.token, body: { name } });
    const { pid, tenantId } = made.body.data;
    expect(made.body.data).toEqual({
      pid: expect.stringMatching(/^[0-9A-Z]{26}$/),
      tenantId: expect.stringMatching(/^\d+$/),
      name,
      status: 'active',
      timeZone: 'UTC',
      createdAt: expect.stringMatching(/Z$/),
    });

    const renamed = await patchTenant(pid, { name: `${name} Ltd` });

    expect(renamed.body.data.name).toBe(`${name} Ltd`);
    const read = await call(`/api/admin/tenants/${pid}`, { token: platformAdmin.token });
    expect(read.body.data).toEqual(renamed.body.data);
    const listed: unknown[] = [];
    for (let page = 1, last = 1; page <= last; page += 1) {
      const { data } = (await call(`/api/admin/tenants?pageSize=500&pageNum=${page}`, { token: platformAdmin.token }))
        .body;
      listed.push(...data.records);
      last = Math.ceil(data.total / 500);
    }
    expect(listed).toContainEqual(renamed.body.data);
    const state = { tenantId, status: 'active', timeZone: 'UTC' };
    expect((await auditOf(pid)).map(({ action, before, after }) => [action, before, after])).toEqual([
      ['tenant.create', null, { ...state, name }],
      ['tenant.update', { ...state, name }, { ...state, name: `${name} Ltd` }],
    ]);
  });

  it('are found by a part of the name, whatever its case; % and _ mean themselves', async () => {
    const find = async (keyword: string) => {
      const { body } = await call(`/api/admin/tenants?keyword=${encodeURIComponent(keyword)}`, {
        token: platformAdmin.token,
      });
      return [body.data.total, body.data.records.map(({ name }: { name: string }) => name)];
    };
    expect(await find(acme.name.slice(2).toLowerCase())).toEqual([1, [acme.name]]);
    expect(await find(`${acme.name.slice(0, -1)}_`)).toEqual([0, []]);
  });

  it('answer 400, 404 and 409 for wrong names, pids and names that are taken', async () => {
    const pid = await tenantPid(acme);
    const post = (body: unknown) => call('/api/admin/tenants', { token: platformAdmin.token, body });

    expect(fieldErrors(await post({}))).toEqual({ status: 400, errors: { name: 'is required' } });
    expect(fieldErrors(await post({ name: 'x', status: 'active' }))).toEqual({
      status: 400,
      errors: { status: 'is not known here; known are name, timeZone' },
    });
    expect(fieldErrors(await patchTenant(pid, { status: 'gone' }))).toEqual({
      status: 400,
      errors: { status: 'must be one of active, suspended' },
    });
    expect((await patchTenant('NOWHERE', { name: 'x' })).status).toBe(404);
    for (const taken of [await post({ name: globex.name }), await patchTenant(pid, { name: globex.name })]) {
      expect(fieldErrors(taken)).toEqual({ status: 409, errors: { name: 'is taken' } });
    }
  });
});

describe('a suspended tenant', () => {
  it('answers 403 TENANT_FORBIDDEN to all of its requests, at once and on all nodes, until it is active again', async () => {
    const user = await newUser(['SALES'], acme, globex);
    const pid = await tenantPid(acme);
    expect((await list(user.token, 'leads')).status).toBe(200);

    expect((await patchTenant(pid, { status: 'suspended' })).body.data.status).toBe('suspended');

    for (const baseUrl of [undefined, other]) {
      expect(answered(await list(user.token, 'leads', {}, { ...(baseUrl && { baseUrl }) }))).toEqual({
        status: 403,
        body: SUSPENDED,
      });
    }
    expect((await list(user.token, 'leads', {}, { headers: { 'x-tenant-id': globex.id } })).status).toBe(200);

    await patchTenant(pid, { status: 'active' });
    expect((await list(user.token, 'leads')).status).toBe(200);
  });

  it('is not spoken for: a message of its channel is refused', async () => {
    const { code } = await newChannel(acme);
    const pid = await tenantPid(acme);
    const message = { conversationId: ulid(), sender: 'ada', text: 'how many leads' };
    await patchTenant(pid, { status: 'suspended' });

    expect(answered(await post(code, message))).toEqual({ status: 403, body: SUSPENDED });

    await patchTenant(pid, { status: 'active' });
    expect((await post(code, message)).status).toBe(202);
  });

  it('has its runs pause, which go on when it is active again', async () => {
    const user = await newUser(['ADMIN'], acme);
    const pid = await tenantPid(acme);
    const code = await newAutomation({
      steps: [
        { id: 'rest', type: 'wait', seconds: 8 },
        { id: 'make', type: 'command', commandCode: 'crm:create_lead', payload: { name: '"late"' } },
      ],
    });
    const { body } = await startRun(user.token, code);
    const { runPid } = body.data;
    await runIs(user.token, runPid, ['WAITING']);
    await patchTenant(pid, { status: 'suspended' });

    const long = `select 1 from platform.automation_step where run_pid = $1 and due_at < now() - interval '2 seconds'`;
    await until('the rest is long over', async () => (await runSql(long, [runPid])).length === 1);

    expect(await rowsOf(acme.id, 'select name from dev.mt_lead')).toEqual([]);
    await patchTenant(pid, { status: 'active' });
    // It looks once a minute; whoever wakes it need not wait for that.
    await (await temporal()).workflow.getHandle(runWorkflowId(runPid)).signal(RUN_CHANGED);
    await runIs(user.token, runPid, ['SUCCEEDED']);
    expect(await rowsOf(acme.id, 'select name from dev.mt_lead')).toEqual([{ name: 'late' }]);
  });

  it('shows in tenantStatus; a member of another tenant is logged in there', async () => {
    const [only, both] = [await newUser(['SALES'], acme), await newUser(['SALES'], acme, globex)];
    await patchTenant(await tenantPid(acme), { status: 'suspended' });
    const login = async ({ email }: TestUser) => {
      const { tenantId, tenantStatus } = (await call('/api/auth/login', { body: { email, password: PASSWORD } })).body
        .data;
      return { tenantId, tenantStatus };
    };

    expect(await login(only)).toEqual({ tenantId: acme.id, tenantStatus: 'suspended' });
    expect(await login(both)).toEqual({ tenantId: globex.id, tenantStatus: 'member' });
  });

  it('is never the one of whoever suspends it', async () => {
    const boss = await newUser(['PLATFORM_ADMIN'], acme);

    const { status, body } = await call(`/api/admin/tenants/${await tenantPid(acme)}`, {
      method: 'PATCH',
      token: boss.token,
      body: { status: 'suspended' },
    });

    expect([status, body.data]).toEqual([409, { reason: 'SELF' }]);
  });
});
