import { request as httpRequest } from 'node:http';
import { gzipSync } from 'node:zlib';
import { call, execute, list } from '../support/api.ts';
import { EVERY_TYPE, newModel, newRole, type TestModel } from '../support/models.ts';
import { container, newTenant, newUser } from '../support/world.ts';

const INVALID = { code: 'VALIDATION_ERROR', message: 'The request is not valid' };
const CREATE_LEAD = '/api/meta/commands/execute/crm:create_lead';

const salesToken = async (): Promise<string> => (await newUser(['SALES'], await newTenant())).token;

describe('JSON bodies', () => {
  let token: string;

  beforeAll(async () => {
    token = await salesToken();
  });

  it.each<[string, string, string]>([
    ['no JSON', '{"payload": ', 'is not valid JSON'],
    ['a JSON text', '"x"', 'is not valid JSON'],
    ['null', 'null', 'is not valid JSON'],
    ['an array', '[{"payload": {}}]', 'must be a JSON object'],
    ['33 levels', nested(33), 'is nested deeper than 32 levels'],
    ['100,000 levels', nested(100_000), 'is nested deeper than 32 levels'],
    ['__proto__', '{"payload": {"name": "x", "__proto__": {"admin": true}}}', 'must not contain the key __proto__'],
    ['constructor, escaped', '{"payload": {"\\u0063onstructor": {}}}', 'must not contain the key constructor'],
    ['prototype in an array', '{"payload": {"a": [[{"prototype": 1}]]}}', 'must not contain the key prototype'],
  ])('with %s are 400 VALIDATION_ERROR', async (_what, body, problem) => {
    for (const path of [CREATE_LEAD, '/api/auth/login']) {
      const answered = await call(path, { token, body });
      expect({ path, status: answered.status, body: answered.body }).toEqual({
        path,
        status: 400,
        body: { ...INVALID, data: { fieldErrors: { body: problem } } },
      });
    }
  });

  it('may have 32 levels', async () => {
    const { body } = await call(CREATE_LEAD, { token, body: nested(32) });

    expect(body.data.fieldErrors).not.toHaveProperty('body');
  });

  it('over 1 MiB are 413 PAYLOAD_TOO_LARGE, compressed ones as they unpack', async () => {
    const large = JSON.stringify({ payload: { notes: 'x'.repeat(1024 * 1024) } });
    const packed = await sendBytes(token, gzipSync(large), { 'content-encoding': 'gzip' });
    for (const { status, body } of [await call(CREATE_LEAD, { token, body: large }), packed]) {
      expect({ status, body }).toEqual({
        status: 413,
        body: { code: 'PAYLOAD_TOO_LARGE', message: 'The request body is too large', data: null },
      });
    }
    const fits = await call(CREATE_LEAD, { token, body: { payload: { name: 'x', notes: 'x'.repeat(99_000) } } });
    expect(fits.status).toBe(200);
  });

  it('of another content type are 415 UNSUPPORTED_MEDIA_TYPE', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/xml',
      'multipart/form-data; boundary=x',
    ]) {
      const { status, body } = await call(CREATE_LEAD, {
        token,
        body: '{"payload":{"name":"x"}}',
        headers: { 'content-type': type },
      });
      expect({ type, status, body }).toEqual({
        type,
        status: 415,
        body: { code: 'UNSUPPORTED_MEDIA_TYPE', message: 'Send Content-Type: application/json', data: null },
      });
    }
    for (const headers of [
      { 'content-type': 'application/json; charset=latin9' },
      { 'content-encoding': 'br2' },
    ] as Record<string, string>[]) {
      const { status, body } = await call(CREATE_LEAD, { token, body: '{}', headers });
      expect({ status, body }).toMatchObject({ status: 415, body: { code: 'UNSUPPORTED_MEDIA_TYPE', data: null } });
    }
  });

  it('with characters that Postgres cannot store are 400 at their field', async () => {
    const model = await newModel({ fields: EVERY_TYPE });
    const { token: writer } = await newUser([await newRole(model.permissions)], await newTenant());
    for (const [field, text] of [
      ['name', 'a\0b'],
      ['note', 'a\ud800b'],
      ['state', '\udfff'],
      ['extra', { deep: [{ 'a\0': 1 }] }],
      ['extra', { '\ud800': 1 }],
      ['parent', 'a\0'],
    ] as const) {
      const { status, body } = await execute(writer, model.command, { payload: { [field]: text } });
      expect({ field, status, body }).toEqual({
        field,
        status: 400,
        body: { ...INVALID, data: { fieldErrors: { [field]: expect.any(String) } } },
      });
    }
    const kept = { note: 'Zoë \u{1f680} \u0001 \\u0000', extra: { text: '\\u0000 \\ud800', '': null } };
    expect((await execute(writer, model.command, { payload: kept })).body.data).toMatchObject(kept);
  });
});

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

/** A JSON object of so many levels. */
function nested(levels: number): string {
  return '{"a":'.repeat(levels - 1) + '{}' + '}'.repeat(levels - 1);
}

function sendBytes(
  token: string,
  bytes: Buffer,
  headers: Record<string, string>,
): Promise<{ status: number; body: unknown }> {
  const url = `${process.env.KEELSON_TEST_URL}${CREATE_LEAD}`;
  const all = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers };
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { method: 'POST', headers: all }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }));
    });
    sent.on('error', reject);
    sent.end(bytes);
  });
}
