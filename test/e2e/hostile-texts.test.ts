import { runSql } from '../support/platform.ts';
import { call, execute, list } from '../support/api.ts';
import { newModel, type TestModel } from '../support/models.ts';
import { newTenant, newUser } from '../support/world.ts';

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
      fieldName: 400,
      operator: 400,
      sortField: 400,
      sortOrder: 400,
      pageSize: 400,
      count: 400,
      pageKey: 404,
      recordId: 404,
      command: 404,
      execution: 404,
      payloadKey: 400,
      targetRecordId: 400,
      tenant: 403,
      environment: 400,
      email: 401,
    });
    expect((await list(token, model.code)).body.data.total).toBe(HOSTILE.length + 1);
  });

  it.each(HOSTILE)('%j finds nothing but itself in figures, options, views and relations', async (text) => {
    const path = `/api/dynamic/${model.code}`;
    const own = { fieldName: 'name', operator: 'eq', value: text };
    const post = (to: string, body: object) => call(`${path}/${to}`, { token, body });
    const get = (to: string, query: Record<string, string>) =>
      call(`${path}/${to}?${new URLSearchParams(query).toString()}`, { token });
    const having = [{ fieldName: 'name', operator: 'in', value: [text] }];
    const groupBy = [{ fieldName: 'name' }];
    const filters = JSON.stringify([own]);

    expect((await post('query', { conditions: [own] })).body.data.total).toBe(1);
    expect((await post('aggregate', { conditions: [own] })).body.data.rows).toEqual([{ count: 1 }]);
    expect((await post('aggregate', { groupBy, having })).body.data.rows).toEqual([{ name: text, count: 1 }]);
    expect((await get('stats', { fields: 'name', filters })).body.data).toMatchObject({
      total: 1,
      fields: { name: { min: text, max: text } },
    });
    const view = { name: text, pageKey: model.code, conditions: [{ ...own, value: '$params.it' }] };
    const { pid } = (await call('/api/views', { token, body: view })).body.data;
    const extraParams = JSON.stringify({ it: text });
    for (const answered of [
      await list(token, model.code, { viewId: pid, extraParams }),
      await get('stats', { viewId: pid, extraParams }),
    ]) {
      expect(answered.body.data.total).toBe(1);
    }
  });

  it.each(HOSTILE)('%j as name in figures, options, views, relations and histories is refused', async (text) => {
    const path = `/api/dynamic/${model.code}`;
    const record = (await list(token, model.code, { pageSize: 1 })).body.data.records[0].pid as string;
    const encoded = encodeURIComponent(text);
    const post = (to: string, body: object) => call(`${path}/${to}`, { token, body });
    const count = { fn: 'count', as: 'n' };
    const condition = { fieldName: text, operator: 'eq', value: 1 };
    const views = { name: 'x', pageKey: model.code };
    const answers = {
      groupBy: await post('aggregate', { groupBy: [{ fieldName: text }] }),
      as: await post('aggregate', { groupBy: [{ fieldName: 'name', as: text }] }),
      part: await post('aggregate', { groupBy: [{ fieldName: 'created_at', part: text }] }),
      timeZone: await post('aggregate', { groupBy: [{ fieldName: 'created_at', part: 'day', timeZone: text }] }),
      fn: await post('aggregate', { measures: [{ ...count, fn: text }] }),
      measured: await post('aggregate', { measures: [{ ...count, fieldName: text }] }),
      having: await post('aggregate', { having: [condition] }),
      sorted: await post('aggregate', { sortFields: [{ fieldName: text }] }),
      queried: await post('query', { conditions: [condition] }),
      cursor: await post('query', { cursor: text }),
      fields: await post('query', { fields: [text] }),
      expand: await post('query', { expand: [text] }),
      stats: await call(`${path}/stats?fields=${encoded}`, { token }),
      options: await call(`${path}/options/${encoded}`, { token }),
      viewId: await call(`${path}/list?viewId=${encoded}`, { token }),
      viewed: await call('/api/views', { token, body: { ...views, conditions: [condition] } }),
      column: await call('/api/views', { token, body: { ...views, columns: [text] } }),
      relation: await call(`${path}/${record}/relations/${encoded}`, { token }),
      history: await call(`${path}/${record}/history?cursor=${encoded}`, { token }),
      trash: await call(`${path}/trash?pageNum=${encoded}`, { token }),
    };

    const statuses = Object.fromEntries(Object.entries(answers).map(([sink, { status }]) => [sink, status]));
    expect(statuses).toEqual({
      ...Object.fromEntries(Object.keys(answers).map((sink) => [sink, 400])),
      options: 404,
      relation: 404,
    });
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
    expect(await runSql(`select count(*)::int as n from dev.mt_${model.code} where name = 'once'`)).toEqual([
      { n: HOSTILE.length },
    ]);
  });

  it.each(['a\0', 'a\ud800'])('%j, which Postgres cannot store, is refused at its place', async (text) => {
    const { token: admin } = await newUser(['PLATFORM_ADMIN'], await newTenant());
    const page = `/api/dynamic/${model.code}`;
    const purge = { modelCode: model.code, pid: 'nothing', reason: text };
    const asked: [string, object?][] = [
      ['/api/views?pageKey=a%00'],
      [`${page}/list?viewId=a%00`],
      [`${page}/query`, { viewId: text }],
      [`${page}/imports`, { filePid: text, format: 'csv' }],
      ['/api/meta/commands/execute/record:purge', { payload: purge }],
    ];
    for (const [path, body] of asked) {
      const answer = await call(path, { token: admin, ...(body && { body }) });
      const problem = 'must not contain NUL or ill-formed Unicode';
      expect([path, answer.status, Object.values(answer.body.data.fieldErrors)]).toEqual([path, 400, [problem]]);
    }
  });
});
