import { runSql } from '../support/platform.ts';
import { call, execute, list, type Answered, expectRefusal } from '../support/api.ts';
import { EVERY_TYPE, insert, newModel, newRole, RECORDS_OF_EVERY_TYPE } from '../support/models.ts';
import { newTenant, newUser } from '../support/world.ts';

const NOT_FOUND = { code: 'NOT_FOUND', message: 'There is no such record', data: null };

const detail = (token: string, pageKey: string, recordId: string): Promise<Answered> =>
  call(`/api/dynamic/${pageKey}/${recordId}`, { token });

describe('a dynamic record', () => {
  it("is an object of the model's field codes and the system fields, id and bigint as strings", async () => {
    const tenant = await newTenant();
    const { token, pid: userPid } = await newUser(['SALES'], tenant);
    const payload = { name: 'Ada', amount: '12.50', score: 7, due_on: '2026-01-31' };
    const created = await execute(token, 'crm:create_lead', { payload });

    const { body } = await detail(token, 'leads', created.body.data.pid);

    expect(body).toEqual({
      code: '0',
      message: 'ok',
      data: {
        id: expect.stringMatching(/^\d+$/),
        pid: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{26}$/),
        tenant_id: tenant.id,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        created_by: userPid,
        updated_at: body.data.created_at,
        updated_by: userPid,
        version: 1,
        name: 'Ada',
        status: 'new',
        email: null,
        phone: null,
        amount: '12.50',
        score: 7,
        source: null,
        owner: null,
        account: null,
        notes: null,
        due_on: '2026-01-31',
      },
    });
  });

  it('is the same object in the detail, in the list and as the answer of the command', async () => {
    const { token } = await newUser(['SALES'], await newTenant());
    const created = await execute(token, 'crm:create_lead', { payload: { name: 'Ada' } });
    const { pid } = created.body.data;

    const record = (await detail(token, 'leads', pid)).body.data;

    expect(created.body.data).toEqual(record);
    expect((await list(token, 'leads')).body.data.records).toEqual([record]);
    const changed = await execute(token, 'crm:update_lead', {
      operationType: 'UPDATE',
      targetRecordId: pid,
      payload: { name: 'Bea' },
    });
    expect((await detail(token, 'leads', pid)).body.data).toEqual(changed.body.data);
    expect(changed.body.data).toMatchObject({ ...record, name: 'Bea', version: 2, updated_at: expect.any(String) });
  });

  it('holds each type in its JSON form', async () => {
    const model = await newModel({ fields: EVERY_TYPE });
    const tenant = await newTenant();
    const { token } = await newUser([await newRole(model.permissions)], tenant);
    const [pid = ''] = await insert(tenant, model.code, RECORDS_OF_EVERY_TYPE);

    const { body } = await detail(token, model.code, pid);

    expect(body.data).toMatchObject({
      name: 'a',
      note: 'Alpha 100%',
      state: 'open',
      size: 1,
      big: '9007199254740993',
      price: '1.10',
      flag: true,
      day: '2026-01-01',
      at: '2026-01-01T00:00:00.000Z',
      extra: { x: 1 },
      parent: null,
      file: null,
    });
  });
});

describe('GET /api/dynamic/{pageKey}/{recordId}', () => {
  it('takes the pid, never the numeric id', async () => {
    const { token } = await newUser(['SALES'], await newTenant());
    const { body } = await execute(token, 'crm:create_lead', { payload: { name: 'Ada' } });
    const { pid, id } = body.data;

    expect((await detail(token, 'leads', pid)).body.data).toMatchObject({ pid, id });
    expect((await detail(token, 'leads', id)).body).toEqual(NOT_FOUND);
    expect((await detail(token, 'leads', pid.toLowerCase())).body).toEqual(NOT_FOUND);
  });

  it('answers 404 NOT_FOUND for a record that never was', async () => {
    const { token } = await newUser(['SALES'], await newTenant());

    const { status, body } = await detail(token, 'leads', '01ARZ3NDEKTSV4RRFFQ69G5FAV');

    expect({ status, body }).toEqual({ status: 404, body: NOT_FOUND });
  });

  it('answers 404 NOT_FOUND for a deleted record, which stays in the table', async () => {
    const { token } = await newUser(['SALES'], await newTenant());
    const { pid } = (await execute(token, 'crm:create_lead', { payload: { name: 'Ada' } })).body.data;
    await execute(token, 'crm:delete_lead', { operationType: 'DELETE', targetRecordId: pid });

    const { status, body } = await detail(token, 'leads', pid);

    expect({ status, body }).toEqual({ status: 404, body: NOT_FOUND });
    expect((await list(token, 'leads')).body.data).toMatchObject({ records: [], total: 0 });
    const rows = await runSql('select name from dev.mt_lead where pid = $1 and deleted_at is not null', [pid]);
    expect(rows).toEqual([{ name: 'Ada' }]);
  });

  it("answers 404 NOT_FOUND for another tenant's record", async () => {
    const owner = await newUser(['SALES'], await newTenant());
    const { pid } = (await execute(owner.token, 'crm:create_lead', { payload: { name: 'Ada' } })).body.data;
    const other = await newUser(['PLATFORM_ADMIN'], await newTenant());

    const { status, body } = await detail(other.token, 'leads', pid);

    expect({ status, body }).toEqual({ status: 404, body: NOT_FOUND });
  });

  it("answers 404 NOT_FOUND for a record of another page's model", async () => {
    const { token } = await newUser(['SALES'], await newTenant());
    const { pid } = (await execute(token, 'crm:create_lead', { payload: { name: 'Ada' } })).body.data;

    expect((await detail(token, 'accounts', pid)).body).toEqual(NOT_FOUND);
    expect((await detail(token, 'nowhere', pid)).body).toMatchObject({ code: 'NOT_FOUND', data: null });
  });

  it('answers 404 NOT_FOUND for what cannot be a pid', async () => {
    const { token } = await newUser(['SALES'], await newTenant());
    await execute(token, 'crm:create_lead', { payload: { name: 'Ada' } });

    for (const recordId of ["' or 1=1 --", '%', '_', '\u{1f680}', 'a'.repeat(33), 'a;b', '../list', '*', 'null']) {
      const { status, body } = await detail(token, 'leads', encodeURIComponent(recordId));
      expect({ recordId, status, body }).toEqual({ recordId, status: 404, body: NOT_FOUND });
    }
  });
});

describe('versions of a record', () => {
  const fields = [
    { code: 'name', name: 'Name', type: 'string' as const },
    { code: 'secret', name: 'Secret', type: 'string' as const, readPermission: true },
  ];

  it('a detail carries its version as ETag, and is 304 for who has it', async () => {
    const model = await newModel({ fields });
    const { token } = await newUser([await newRole(model.permissions)], await newTenant());
    const { pid } = (await execute(token, model.command, { payload: { name: 'a' } })).body.data;
    const get = (headers: Record<string, string>) => call(`/api/dynamic/${model.code}/${pid}`, { token, headers });

    expect((await get({})).headers.get('etag')).toBe('"1"');
    for (const known of ['"1"', 'W/"1"', '"0", "1"', '*']) {
      const { status, body, headers } = await get({ 'if-none-match': known });
      expect({ status, body, etag: headers.get('etag') }).toEqual({ status: 304, body: null, etag: '"1"' });
    }
    const change = { operationType: 'UPDATE', targetRecordId: pid, payload: { name: 'b' } };
    await execute(token, model.command, change, { headers: { 'if-match': '"1"' } });
    const fresh = await get({ 'if-none-match': '"1"' });
    expect({ status: fresh.status, name: fresh.body.data.name }).toEqual({ status: 200, name: 'b' });
    expect(fresh.headers.get('etag')).toBe('"2"');
  });

  it('a stale If-Match is 412 and a stale expectedVersion 409, with the record as its reader sees it', async () => {
    const model = await newModel({ fields });
    const tenant = await newTenant();
    const writer = [`command:execute:${model.command}`];
    const [{ token }, blind] = await Promise.all([
      newUser([await newRole(model.permissions)], tenant),
      newUser([await newRole(writer)], tenant),
    ]);
    const [pid = ''] = await insert(tenant, model.code, [{ name: 'a', secret: 'hidden' }]);
    const change = { operationType: 'UPDATE', targetRecordId: pid, payload: { name: 'b' } };
    await execute(token, model.command, change);
    const record = (await detail(token, model.code, pid)).body.data;
    const stale = { headers: { 'if-match': '"1"' } };

    for (const body of [change, { operationType: 'DELETE', targetRecordId: pid }]) {
      const guarded = await execute(token, model.command, body, stale);
      const data = { version: 2, record };
      expect({ status: guarded.status, body: guarded.body }).toEqual({
        status: 412,
        body: { code: 'PRECONDITION_FAILED', message: 'The record has changed meanwhile', data },
      });
      expect(guarded.headers.get('x-execution-pid')).toEqual(expect.any(String));
      expectRefusal(await execute(token, model.command, { ...body, expectedVersion: 1 }), 'CONFLICT', {
        reason: 'VERSION',
        version: 2,
        record,
      });
    }
    expect(record).not.toHaveProperty('secret');
    expect((await execute(blind.token, model.command, change, stale)).body.data).toEqual({ version: 2 });
  });

  it('an If-Match that a compressing proxy has changed is the ETag that it was', async () => {
    const model = await newModel({ fields });
    const { token } = await newUser([await newRole(model.permissions)], await newTenant());
    const { pid } = (await execute(token, model.command, { payload: { name: 'a' } })).body.data;
    const change = { operationType: 'UPDATE', targetRecordId: pid, payload: { name: 'b' } };
    const matching = (header: string) => execute(token, model.command, change, { headers: { 'if-match': header } });

    for (const [header, stale] of [
      ['W/"1"', '"1-gzip"'],
      ['"2-br"', 'W/"2"'],
    ] as const) {
      expect((await matching(header)).status).toBe(200);
      expect((await matching(stale)).status).toBe(412);
    }
    for (const known of ['"3-gzip"', 'W/"3"']) {
      const answered = await call(`/api/dynamic/${model.code}/${pid}`, { token, headers: { 'if-none-match': known } });
      expect(answered.status).toBe(304);
    }
  });

  it('an If-Match that is none, or contradicts expectedVersion, is 400; * is any version', async () => {
    const model = await newModel({ fields });
    const { token } = await newUser([await newRole(model.permissions)], await newTenant());
    const { pid } = (await execute(token, model.command, { payload: { name: 'a' } })).body.data;
    const change = { operationType: 'UPDATE', targetRecordId: pid, payload: { name: 'b' } };
    const matching = (header: string, more = {}) =>
      execute(token, model.command, { ...change, ...more }, { headers: { 'if-match': header } });

    for (const header of ['1', '"x"', '"1", "2"', 'W/1']) {
      expect((await matching(header)).body.data.fieldErrors).toEqual({
        'If-Match': 'must be the ETag of a detail, such as "7", or *',
      });
    }
    expect((await matching('"1"', { expectedVersion: 2 })).body.data.fieldErrors).toEqual({
      'If-Match': 'names another version than expectedVersion',
    });
    expect((await matching('*')).status).toBe(200);
    expect((await matching('"2"', { expectedVersion: 2 })).status).toBe(200);
  });

  it('a model with concurrency: required demands one of the two', async () => {
    const model = await newModel({ fields, concurrency: 'required' });
    const { token } = await newUser([await newRole(model.permissions)], await newTenant());
    const { pid } = (await execute(token, model.command, { payload: { name: 'a' } })).body.data;
    const change = { operationType: 'UPDATE', targetRecordId: pid, payload: { name: 'b' } };
    const deletion = { operationType: 'DELETE', targetRecordId: pid };

    for (const [body, headers] of [
      [change, {}],
      [deletion, {}],
      [change, { 'if-match': '*' }],
    ] as const) {
      const { status, body: answered } = await execute(token, model.command, body, { headers });
      expectRefusal({ status, body: answered }, 'PRECONDITION_REQUIRED');
    }
    expect((await execute(token, model.command, { ...change, expectedVersion: 1 })).status).toBe(200);
    expect((await execute(token, model.command, deletion, { headers: { 'if-match': '"2"' } })).status).toBe(200);
  });
});
