import { call, execute, refusal } from '../support/api.ts';
import { newCode, newModel, newRole, save } from '../support/models.ts';
import { runSql } from '../support/platform.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

let tenant: TestTenant;
let author: TestUser;
let modelCode: string;
beforeAll(async () => {
  tenant = await newTenant();
  author = await newUser(['PLATFORM_ADMIN'], tenant);
  const model = await newModel({
    fields: [
      { code: 'name', name: 'Name', type: 'string' },
      { code: 'state', name: 'State', type: 'enum', values: ['open', 'won'] },
      { code: 'amount', name: 'Amount', type: 'decimal', readPermission: true },
    ],
  });
  modelCode = model.code;
  for (const name of ['a', 'b']) await execute(author.token, model.command, { payload: { name, amount: '1.5' } });
});

async function newSource(content: object): Promise<string> {
  const code = newCode();
  await save('dev', { resourceType: 'DATASOURCE', code, content: { name: `The ${code}`, ...content } });
  return code;
}
const reader = async (...codes: string[]) =>
  newUser([await newRole(codes.map((code) => (code.includes(':') ? code : `datasource:read:${code}`)))], tenant);
const listed = (code: string, { token }: TestUser, headers = {}) =>
  call(`/api/datasource/list?datasourceId=${code}`, { token, headers });

describe('a data source of kind dictionary', () => {
  it('gives the values of an enum field, with the labels that I18N resources have for them', async () => {
    const code = await newSource({ kind: 'dictionary', modelCode, field: 'state' });
    const messages = { [`${modelCode}.state.open`]: '进行中' };
    await save('dev', { resourceType: 'I18N', code: newCode(), content: { locale: 'zh-CN', messages } });
    const user = await reader(code);

    expect((await listed(code, user)).body.data).toEqual([
      { value: 'open', label: 'open' },
      { value: 'won', label: 'won' },
    ]);
    expect((await listed(code, user, { 'accept-language': 'zh-CN' })).body.data).toEqual([
      { value: 'open', label: '进行中' },
      { value: 'won', label: 'won' },
    ]);
    const options = `/api/dynamic/${modelCode}/options/state`;
    const { body } = await call(options, { token: author.token, headers: { 'accept-language': 'zh-CN' } });
    expect(body.data[0]).toEqual({ value: 'open', label: '进行中' });
  });

  it.each([
    ['nope', 'is not a field of'],
    ['name', 'is string, not enum'],
  ])('cannot be saved for the field %s', async (field, problem) => {
    const content = { name: 'D', kind: 'dictionary', modelCode, field };
    const answer = await execute(author.token, 'meta:save', {
      payload: { resourceType: 'DATASOURCE', code: newCode(), content },
    });
    expect(Object.entries(answer.body.data.fieldErrors)).toEqual([
      [expect.stringMatching(/ content\.field$/), expect.stringContaining(problem)],
    ]);
  });
});

describe('GET /api/datasource/catalogue', () => {
  it('has the data sources that the caller may read, with params and columns', async () => {
    const params = [{ code: 'least', name: 'Least', type: 'integer', required: true }];
    const sql = `select name, count(*) as n, count(*)::int as i, now() as at, null::date as day, 1.5::float8 as f
      from mt_${modelCode} where length(name) > :least group by name`;
    const codes = [
      await newSource({ kind: 'sql', params, sql }),
      await newSource({ kind: 'model', modelCode, fields: ['pid', 'name'] }),
      await newSource({ kind: 'dictionary', modelCode, field: 'state' }),
      await newSource({ kind: 'static', rows: [{ a: 1 }, { b: 2 }] }),
      await newSource({ kind: 'rest', url: 'https://service.example/' }),
    ].sort();
    await newSource({ kind: 'static', rows: [] });
    const { token } = await reader(...codes);

    const { data } = (await call('/api/datasource/catalogue?pageSize=100', { token })).body;

    expect(data).toMatchObject({ total: 5, pageNum: 1, pageSize: 100 });
    expect(data.records.map(({ code }: { code: string }) => code)).toEqual(codes);
    const of = (kind: string) => data.records.find((record: { kind: string }) => record.kind === kind);
    expect(of('sql')).toMatchObject({
      name: expect.stringMatching(/^The /),
      paramsSchema: { properties: { least: { title: 'Least', type: 'integer' } }, required: ['least'] },
      columns: [
        { name: 'name', type: 'text' },
        { name: 'n', type: 'bigint' },
        { name: 'i', type: 'integer' },
        { name: 'at', type: 'datetime' },
        { name: 'day', type: 'date' },
        { name: 'f', type: null },
      ],
    });
    expect(of('model').columns).toEqual([
      { name: 'pid', type: 'string' },
      { name: 'name', type: 'string' },
    ]);
    expect(of('dictionary').columns.map(({ name }: { name: string }) => name)).toEqual(['value', 'label']);
    expect(of('static').columns.map(({ name }: { name: string }) => name)).toEqual(['a', 'b']);
    expect(of('rest').columns).toBeNull();
    const second = await call('/api/datasource/catalogue?pageSize=2&pageNum=3', { token });
    expect(second.body.data).toMatchObject({ total: 5, records: [{ code: codes[4] }] });
  });

  it('leaves hidden fields out of columns, and says which permission one needs that names them', async () => {
    const all = await newSource({ kind: 'sql', sql: `select * from mt_${modelCode}` });
    const naming = await newSource({ kind: 'sql', sql: `select sum(amount) as total from mt_${modelCode}` });
    const fields = await newSource({ kind: 'model', modelCode, fields: ['amount'] });
    const permission = `field:read:${modelCode}.amount`;
    const entries = async ({ token }: TestUser) =>
      new Map(
        (await call('/api/datasource/catalogue', { token })).body.data.records.map((entry: { code: string }) => [
          entry.code,
          entry,
        ]),
      );

    const weak = await entries(await reader(all, naming, fields));
    expect(JSON.stringify(weak.get(all))).not.toContain('amount');
    for (const code of [naming, fields]) {
      expect(weak.get(code)).toMatchObject({ columns: null, missingPermission: permission });
    }
    const strong = await entries(await reader(all, naming, fields, permission));
    expect(JSON.stringify(strong.get(all))).toContain('{"name":"amount","type":"decimal"}');
    expect(strong.get(naming)).toMatchObject({ columns: [{ name: 'total', type: 'decimal' }] });
  });
});

describe('POST /api/datasource/test', () => {
  const test = (body: object, token = author.token) => call('/api/datasource/test', { token, body });

  it('runs content that is not saved, and says what a save would warn of', async () => {
    const content = {
      name: 'T',
      kind: 'sql',
      sql: `select name from mt_${modelCode} where name = :of`,
      params: ['of', 'unused'].map((code) => ({ code, name: code, type: 'string' })),
    };

    const { body } = await test({ content, params: { of: 'b' } });

    expect(body.data).toEqual({
      rows: [{ name: 'b' }],
      columns: [{ name: 'name', type: 'text' }],
      durationMs: expect.any(Number),
      warnings: [{ path: 'content.params.1', message: 'is used nowhere' }],
    });
    expect((await test({ content, params: { of: 'b' }, maxItems: 0 })).body.data.fieldErrors).toHaveProperty(
      'maxItems',
    );
    expect((await test({ content, params: { off: 'b' } })).body.data.fieldErrors).toHaveProperty(['params.off']);
  });

  it.each([
    ['select name frm x y', 'content.sql', /is not valid SQL: .* \(line 1, column 17\)/],
    ['select\n nope from mt_lead', 'content.sql', /column "nope" does not exist \(line 2, column 2\)/],
    ['select pg_sleep(1)', 'content.sql', /calls pg_sleep/],
    ['', 'content.sql', /must not be empty/],
  ])('refuses what a save would refuse: %j', async (sql, path, problem) => {
    const answer = await test({ content: { name: 'T', kind: 'sql', sql } });
    expect(refusal(answer)).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
    expect(answer.body.data.fieldErrors).toEqual({ [path]: expect.stringMatching(problem) });
  });

  it('has the rights of its author, and is noted in the audit trail', async () => {
    const weak = await reader('datasource:read:*');
    expect(refusal(await test({ content: {} }, weak.token))).toMatchObject({
      status: 403,
      data: { permission: 'admin:metadata' },
    });
    const mark = newCode();
    const rest = { kind: 'rest', url: 'http://service.invalid/x', headers: { 'x-key': '{{secret:SOME_KEY}}' } };

    const answer = await test({ content: { name: mark, ...rest } });
    expect(answer.body.data.fieldErrors).toEqual({
      'content.url': 'no saved data source sends the secret SOME_KEY to http://service.invalid',
    });
    await test({ content: { name: mark, kind: 'static', rows: [{ a: mark }] } });

    const entries = await runSql<{ after: object }>(
      `select after from platform.audit_entry where action = 'datasource.test' and after::text like '%${mark}%'`,
    );
    expect(entries).toEqual([{ after: { content: { name: mark, kind: 'static' } } }]);
  });

  it('calls where no save is allowed only what a saved data source calls', async () => {
    const url = 'https://service.invalid/rows';
    const headers = { 'x-environment': 'prod' };
    const { token } = author;
    const body = { content: { name: 'T', kind: 'rest', url } };

    expect((await call('/api/datasource/test', { token, headers, body })).body.data.fieldErrors).toEqual({
      'content.url': 'no saved data source calls https://service.invalid',
    });
    expect((await test(body)).status).toBe(503);
  });
});
