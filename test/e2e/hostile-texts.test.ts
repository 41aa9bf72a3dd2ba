import { call, execute, list } from '../support/api.ts';
import { newModel, type TestModel } from '../support/models.ts';
import { container, newTenant, newUser } from '../support/world.ts';

describe('hostile texts stay values', () => {
  const HOSTILE = [
    "'; drop table dev.mt_lead; --",
    "' or '1'='1",
    '" or 1=1 --',
    '$1',
    '\\',
    "\\'; select pg_sleep(9); --",
    '%s%n${x}{{x}}',
    '$$; select 1; $$',
    ';commit;',
    '*/ union select * from platform."user" /*',
  ];
  let model: TestModel;
  let token: string;

  beforeAll(async () => {
    model = await newModel({ fields: [{ code: 'name', name: 'Name', type: 'string', searchable: true }] });
    ({ token } = await newUser(['ADMIN'], await newTenant()));
    for (const name of ['plain', ...HOSTILE]) await execute(token, model.command, { payload: { name } });
  });

  it('as payloads are stored as they are', async () => {
    const { body } = await list(token, model.code, { sortField: 'id', sortOrder: 'asc', pageSize: 500 });

    expect(body.data.records.map(({ name }: { name: string }) => name)).toEqual(['plain', ...HOSTILE]);
  });

  it.each(HOSTILE)('%j as value of a filter or keyword finds itself alone', async (text) => {
    for (const query of [
      { filters: [{ fieldName: 'name', operator: 'eq', value: text }] },
      { filters: [{ fieldName: 'name', operator: 'in', value: [text] }] },
      { filters: [{ fieldName: 'name', operator: 'contains', value: text }] },
      { filters: [{ fieldName: 'name', operator: 'between', value: [text, text] }] },
      { keyword: text },
    ]) {
      const { body } = await list(token, model.code, query);
      const found = body.data.records.map(({ name }: { name: string }) => name);
      expect(found).toEqual(
        HOSTILE.filter((other) =>
          'keyword' in query || JSON.stringify(query).includes('contains') ? other.includes(text) : other === text,
        ).reverse(),
      );
    }
  });

  it.each(HOSTILE)('%j as name, code, pid or header is refused without an effect', async (text) => {
    const encoded = encodeURIComponent(text);
    const update = { operationType: 'UPDATE', targetRecordId: text, payload: { name: 'x' } };
    const answers = {
      fieldName: await list(token, model.code, { filters: [{ fieldName: text, operator: 'eq', value: 1 }] }),
      operator: await list(token, model.code, { filters: [{ fieldName: 'name', operator: text, value: 'x' }] }),
      sortField: await list(token, model.code, { sortField: text }),
      sortOrder: await list(token, model.code, { sortOrder: text }),
      pageSize: await list(token, model.code, { pageSize: text }),
      count: await list(token, model.code, { count: text }),
      pageKey: await call(`/api/dynamic/${encoded}/list`, { token }),
      recordId: await call(`/api/dynamic/${model.code}/${encoded}`, { token }),
      command: await call(`/api/meta/commands/execute/${encoded}`, { token, body: { payload: {} } }),
      execution: await call(`/api/meta/commands/executions/${encoded}`, { token }),
      payloadKey: await execute(token, model.command, { payload: { [text]: 1 } }),
      targetRecordId: await execute(token, model.command, update),
      tenant: await list(token, model.code, {}, { headers: { 'x-tenant-id': text } }),
      environment: await list(token, model.code, {}, { headers: { 'x-environment': text } }),
      email: await call('/api/auth/login', { body: { email: text, password: text } }),
    };

    const statuses = Object.fromEntries(Object.entries(answers).map(([sink, { status }]) => [sink, status]));
    expect(statuses).toEqual({
      ...{ fieldName: 400, operator: 400, sortField: 400, sortOrder: 400, pageSize: 400, count: 400, pageKey: 404 },
      ...{ recordId: 404, command: 404, execution: 404, payloadKey: 400, targetRecordId: 400, tenant: 403 },
      ...{ environment: 400, email: 401 },
    });
    expect((await list(token, model.code)).body.data.total).toBe(HOSTILE.length + 1);
  });

  it('as idempotency keys are keys', async () => {
    for (const key of HOSTILE) {
      const [first, second] = [
        await execute(token, model.command, { payload: { name: 'once' }, clientRequestId: key }),
        await execute(token, model.command, { payload: { name: 'once' }, clientRequestId: key }),
      ];
      expect([first.body.code, second.body.code]).toEqual(['0', 'IDEMPOTENT_REPLAY']);
      expect(second.body.data).toEqual(first.body.data);
    }
    const { orm } = await container();
    expect(
      await orm.em.fork().execute(`select count(*)::int as n from dev.mt_${model.code} where name = 'once'`),
    ).toEqual([{ n: HOSTILE.length }]);
  });
});
