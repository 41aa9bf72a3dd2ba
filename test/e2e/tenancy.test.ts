import { runSql } from '../support/platform.ts';
import { call, execute, list, type Answered, type CallOptions } from '../support/api.ts';
import { insert, newCode, newModel, newRole, save } from '../support/models.ts';
import { newTenant, newUser, PASSWORD, type TestTenant, type TestUser } from '../support/world.ts';

const TENANT_FORBIDDEN = {
  status: 403,
  body: { code: 'TENANT_FORBIDDEN', message: 'Not a member of this tenant', data: null },
};
const NOT_FOUND = { status: 404, body: { code: 'NOT_FOUND', message: 'There is no such record', data: null } };

const inTenant = ({ id }: TestTenant): CallOptions => ({ headers: { 'x-tenant-id': id } });
const answer = ({ status, body }: Answered) => ({ status, body });

const createLead = (token: string, name: string, options?: CallOptions): Promise<Answered> =>
  execute(token, 'crm:create_lead', { payload: { name } }, options);

const names = ({ body }: Answered): string[] => body.data.records.map(({ name }: { name: string }) => name);

describe('X-Tenant-Id', () => {
  it('overrides the tenant of the token, on reads and on commands', async () => {
    const [home, other] = [await newTenant(), await newTenant()];
    const { token } = await newUser(['SALES'], home, other);

    const created = await createLead(token, 'at the other', inTenant(other));
    await createLead(token, 'at home');

    expect(created.body.data.tenant_id).toBe(other.id);
    expect(names(await list(token, 'leads'))).toEqual(['at home']);
    expect(names(await list(token, 'leads', {}, inTenant(home)))).toEqual(['at home']);
    expect(names(await list(token, 'leads', {}, inTenant(other)))).toEqual(['at the other']);
    const path = `/api/dynamic/leads/${created.body.data.pid}`;
    expect((await call(path, { token, ...inTenant(other) })).status).toBe(200);
    expect(answer(await call(path, { token }))).toEqual(NOT_FOUND);
  });

  it('of a tenant the user is not a member of is 403 TENANT_FORBIDDEN, whatever the role', async () => {
    const [home, foreign] = [await newTenant(), await newTenant()];
    for (const role of ['SALES', 'ADMIN', 'PLATFORM_ADMIN']) {
      const { token } = await newUser([role], home);
      expect(answer(await list(token, 'leads', {}, inTenant(foreign)))).toEqual(TENANT_FORBIDDEN);
      expect(answer(await createLead(token, 'x', inTenant(foreign)))).toEqual(TENANT_FORBIDDEN);
      expect(answer(await call('/api/dynamic/leads/X', { token, ...inTenant(foreign) }))).toEqual(TENANT_FORBIDDEN);
    }
    expect(await runSql('select 1 from dev.mt_lead where tenant_id = $1', [foreign.id])).toEqual([]);
  });

  it('that is no tenant id is 403 TENANT_FORBIDDEN, too', async () => {
    const { token } = await newUser(['ADMIN'], await newTenant());

    for (const value of [
      '',
      '0',
      '-1',
      '9'.repeat(21),
      "1' or '1'='1",
      '1 or 1=1',
      'null',
      '__proto__',
      'constructor',
    ]) {
      const answered = await list(token, 'leads', {}, { headers: { 'x-tenant-id': value } });
      expect({ value, ...answer(answered) }).toEqual({ value, ...TENANT_FORBIDDEN });
    }
  });

  it('decides which roles count: they belong to a tenant', async () => {
    const [home, other] = [await newTenant(), await newTenant()];
    const { token, id, email } = await newUser(['SALES'], home, other);
    await runSql(`update platform.membership set roles = '{VIEWER}' where user_id = $1 and tenant_id = $2`, [
      id,
      other.id,
    ]);
    const { body } = await call('/api/auth/login', { body: { email, password: PASSWORD } });

    expect((await createLead(body.data.jwt, 'x')).status).toBe(200);
    expect(answer(await createLead(body.data.jwt, 'x', inTenant(other)))).toEqual({
      status: 403,
      body: {
        code: 'FORBIDDEN',
        message: 'Permission denied',
        data: { permission: 'command:execute:crm:create_lead' },
      },
    });
    expect((await list(token, 'leads', {}, inTenant(other))).status).toBe(200);
  });
});

describe('data is scoped by tenant_id', () => {
  let owner: TestUser;
  let stranger: TestUser;
  let pid: string;

  beforeEach(async () => {
    owner = await newUser(['SALES'], await newTenant());
    stranger = await newUser(['PLATFORM_ADMIN'], await newTenant());
    pid = (await createLead(owner.token, 'theirs')).body.data.pid;
  });

  const theirs = async (): Promise<unknown> =>
    (await call(`/api/dynamic/leads/${pid}`, { token: owner.token })).body.data;

  it('lists and totals count only the own, whatever the filter', async () => {
    await createLead(stranger.token, 'mine');
    for (const query of [
      {},
      { keyword: 'theirs' },
      { filters: [{ fieldName: 'pid', operator: 'eq', value: pid }] },
      {
        filters: [
          {
            or: [
              { fieldName: 'tenant_id', operator: 'is_not_null' },
              { fieldName: 'name', op: 'eq', value: 'x' },
            ],
          },
        ],
      },
      { filters: [{ not: { fieldName: 'name', operator: 'eq', value: 'mine' } }] },
    ]) {
      const { body } = await list(stranger.token, 'leads', query);
      expect(body.data.records.map((record: { name: string }) => record.name)).not.toContain('theirs');
      expect(body.data.total).toBe(body.data.records.length);
    }
  });

  it("a foreign record's update and delete are NOT_FOUND and leave it as it is", async () => {
    const before = await theirs();

    for (const [code, body] of [
      ['crm:update_lead', { operationType: 'UPDATE', targetRecordId: pid, payload: { name: 'stolen' } }],
      ['crm:delete_lead', { operationType: 'DELETE', targetRecordId: pid }],
      ['crm:convert_lead', { targetRecordId: pid, payload: {} }],
    ] as const) {
      expect(answer(await execute(stranger.token, code, body))).toEqual(NOT_FOUND);
    }

    expect(await theirs()).toEqual(before);
    expect((await list(stranger.token, 'deals')).body.data.total).toBe(0);
  });

  it('a relation to a foreign record is a VALIDATION_ERROR at the field', async () => {
    const account = await execute(owner.token, 'crm:create_account', { payload: { name: 'A' } });

    const { status, body } = await execute(stranger.token, 'crm:create_lead', {
      payload: { name: 'x', account: account.body.data.pid },
    });

    expect({ status, body }).toEqual({
      status: 400,
      body: {
        code: 'VALIDATION_ERROR',
        message: 'The request is not valid',
        data: { fieldErrors: { account: 'is not a record of account' } },
      },
    });
  });

  it('the payload cannot set tenant_id or another system field', async () => {
    for (const field of ['id', 'pid', 'tenant_id', 'created_at', 'created_by', 'updated_at', 'updated_by', 'version']) {
      const { status, body } = await execute(stranger.token, 'crm:create_lead', {
        payload: { name: 'x', [field]: '1' },
      });
      expect({ status, errors: body.data.fieldErrors }).toEqual({
        status: 400,
        errors: { [field]: 'is set by the platform' },
      });
    }
    const { body } = await execute(stranger.token, 'crm:create_lead', { payload: { name: 'x', deleted_at: null } });
    expect(body.data.fieldErrors).toEqual({ deleted_at: 'is not a field of lead' });
  });

  it('what is unique is so within a tenant', async () => {
    const payload = { name: 'A', code: 'SAME-1' };
    expect((await execute(owner.token, 'crm:create_account', { payload })).status).toBe(200);
    expect((await execute(stranger.token, 'crm:create_account', { payload })).status).toBe(200);

    const { status, body } = await execute(owner.token, 'crm:create_account', { payload });

    expect({ status, code: body.code, data: body.data }).toEqual({
      status: 409,
      code: 'CONFLICT',
      data: { reason: 'UNIQUE', fieldErrors: { code: 'is taken' } },
    });
  });
});

describe('X-Environment', () => {
  it('that is unknown is 400', async () => {
    const { token } = await newUser(['ADMIN'], await newTenant());

    for (const value of ['', 'Dev', 'production', 'dev,staging', "dev'; --", '__proto__']) {
      const answered = await list(token, 'leads', {}, { headers: { 'x-environment': value } });
      expect({ value, ...answer(answered) }).toEqual({
        value,
        status: 400,
        body: {
          code: 'VALIDATION_ERROR',
          message: 'The request is not valid',
          data: { fieldErrors: { 'X-Environment': 'must be one of dev, staging, prod' } },
        },
      });
    }
  });

  it('names the environment whose configuration and records answer; records never cross', async () => {
    const tenant = await newTenant();
    const { token } = await newUser(['ADMIN'], tenant);
    const model = await newModel({ fields: [{ code: 'name', name: 'Name', type: 'string' }] });
    await insert(tenant, model.code, [{ name: 'in dev' }]);
    const staging: CallOptions = { headers: { 'x-environment': 'staging' } };
    expect((await list(token, model.code, {}, staging)).body).toEqual({
      code: 'NOT_FOUND',
      message: 'There is no such page',
      data: null,
    });

    const content = { name: 'Same', fields: [{ code: 'name', name: 'Name', type: 'string' as const }] };
    await save(
      'staging',
      { resourceType: 'MODEL', code: model.code, content },
      {
        resourceType: 'PAGE_SCHEMA',
        code: model.code,
        content: { name: 'P', modelCode: model.code, columns: ['name'] },
      },
    );

    expect((await list(token, model.code, {}, staging)).body.data).toMatchObject({ records: [], total: 0 });
    expect(names(await list(token, model.code, {}, { headers: { 'x-environment': 'dev' } }))).toEqual(['in dev']);
  });

  it('decides what a role grants: one that the environment does not know grants nothing there', async () => {
    const code = newCode();
    const fields = [{ code: 'name', name: 'Name', type: 'string' as const }];
    for (const environment of ['dev', 'staging']) {
      await save(
        environment,
        { resourceType: 'MODEL', code, content: { name: code, fields } },
        { resourceType: 'PAGE_SCHEMA', code, content: { name: code, modelCode: code, columns: ['name'] } },
      );
    }
    const { token } = await newUser([await newRole([`record:read:${code}`])], await newTenant());

    expect((await list(token, code)).status).toBe(200);
    expect(answer(await list(token, code, {}, { headers: { 'x-environment': 'staging' } }))).toEqual({
      status: 403,
      body: { code: 'FORBIDDEN', message: 'Permission denied', data: { permission: `record:read:${code}` } },
    });
  });
});
