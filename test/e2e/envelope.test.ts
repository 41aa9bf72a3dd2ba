import { randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { gzipSync } from 'node:zlib';
import { listen, type HttpServer } from '../../src/foundation/http/server.ts';
import { call, execute, list, expectRefusal } from '../support/api.ts';
import { workflowOf } from '../support/command-workflows.ts';
import { EVERY_TYPE, newModel, newRole } from '../support/models.ts';
import { temporal } from '../support/faults.ts';
import { startNodeAlone } from '../support/own-node.ts';
import { runSql } from '../support/platform.ts';
import { sendText } from '../support/raw-request.ts';
import { promotionWorkflowId } from '../../workflows/contracts.ts';
import { container, newTenant, newUser } from '../support/world.ts';

const INVALID = { code: 'VALIDATION_ERROR', message: 'The request is not valid' };
const CREATE_LEAD = '/api/meta/commands/execute/crm:create_lead';

const salesToken = async (): Promise<string> => (await newUser(['SALES'], await newTenant())).token;

describe('every response', () => {
  it('is the envelope: code, message, data, and nothing else', async () => {
    const token = await salesToken();
    for (const answered of [
      await call('/api/health'),
      await call('/nowhere'),
      await list(token, 'leads'),
      await list(token, 'leads', { pageNum: 0 }),
      await call(CREATE_LEAD, { token, body: { payload: { name: 'x' } } }),
      await call(CREATE_LEAD, { token, body: '{' }),
      await call('/api/auth/login', { method: 'DELETE' }),
    ]) {
      expect(Object.keys(answered.body)).toEqual(['code', 'message', 'data']);
      expect(answered.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(answered.headers.get('x-powered-by')).toBeNull();
    }
  });

  it('carries a trace id of its own in X-Trace-Id', async () => {
    const traces = await Promise.all(
      ['/api/health', '/nowhere', '/api/dynamic/leads/list'].map(async (path) =>
        (await call(path)).headers.get('x-trace-id'),
      ),
    );

    for (const trace of traces) expect(trace).toMatch(/^[0-9a-f]{32}$/);
    expect(new Set(traces).size).toBe(3);
  });

  it("carries the caller's trace id where it sent a traceparent, and a new one for a broken header", async () => {
    const traceId = randomBytes(16).toString('hex');
    const traceOf = async (traceparent: string) =>
      (await call('/api/health', { headers: { traceparent } })).headers.get('x-trace-id');

    expect(await traceOf(`00-${traceId}-00f067aa0ba902b7-01`)).toBe(traceId);
    for (const broken of [
      traceId,
      `00-${traceId.toUpperCase()}-00f067aa0ba902b7-01`,
      `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
      '<script>',
    ]) {
      const given = await traceOf(broken);
      expect(given).toMatch(/^[0-9a-f]{32}$/);
      expect(given).not.toBe(traceId);
      expect(given).not.toBe('0'.repeat(32));
    }
  });
});

describe('a trace id', () => {
  const traced = () => {
    const traceId = randomBytes(16).toString('hex');
    return { traceId, headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` } };
  };
  const memoOf = async (workflowId: string) =>
    (await (await temporal()).workflow.getHandle(workflowId).describe()).memo;

  it('goes with a command: to its execution, its workflow and its event', async () => {
    const { traceId, headers } = traced();
    const { url: baseUrl } = await startNodeAlone();

    const body = { payload: { name: 'x' } };
    const done = await execute(await salesToken(), 'crm:create_lead', body, { headers, baseUrl });

    const pid = done.headers.get('x-execution-pid') ?? '';
    expect((await (await workflowOf(pid)).describe()).memo).toEqual({ traceId });
    const traces = await runSql(
      `select x.trace_id as execution, e.trace_id as event from platform.command_execution x
       join platform.event e on e.execution_pid = x.pid where x.pid = $1`,
      [pid],
    );
    expect(traces).toEqual([{ execution: traceId, event: traceId }]);
  });

  it("goes with a promotion: to its workflow, and each request's own to what the request does", async () => {
    const { token } = await newUser(['PLATFORM_ADMIN'], await newTenant());
    const environments = (await call('/api/admin/environments', { token })).body.data as { id: number; code: string }[];
    const idOf = (code: string) => environments.find((environment) => environment.code === code)?.id;
    const [creation, cancellation] = [traced(), traced()];
    const body = { sourceEnvId: idOf('dev'), targetEnvId: idOf('staging'), units: '*' };

    const created = await call('/api/admin/promotions', { token, body, headers: creation.headers });
    const { pid } = created.body.data;
    expect(await memoOf(promotionWorkflowId(pid))).toEqual({ traceId: creation.traceId });
    await call(`/api/admin/promotions/${pid}/cancel`, { token, body: {}, headers: cancellation.headers });

    const trail = await runSql<{ action: string; traceId: string }>(
      `select action, trace_id from platform.audit_entry where target_pid = $1 order by id`,
      [pid],
    );
    expect(trail).toEqual([
      { action: 'promotion.create', traceId: creation.traceId },
      { action: 'promotion.cancel', traceId: cancellation.traceId },
    ]);
  });
});

describe('paths and methods', () => {
  it.each([
    '/',
    '/api',
    '/api/dynamic',
    '/api/dynamic/leads',
    '/api/nowhere',
    '/actuator',
    '/actuator/env',
    '/api/dynamic/leads/x/y',
    // Nothing has such a name, and Postgres would refuse to look for it.
    '/api/dynamic/leads/%00',
    '/api/meta/commands/executions/a%00b',
    '/api/webhooks/%00/metrics',
  ])('%s is 404 NOT_FOUND', async (path) => {
    const { status, body } = await call(path);

    expect({ status, body }).toEqual({
      status: 404,
      body: { code: 'NOT_FOUND', message: 'There is nothing at this path', data: null },
    });
  });

  it.each([
    ['GET', '/api/auth/login', 'POST'],
    ['PUT', '/api/auth/login', 'POST'],
    ['POST', '/api/dynamic/leads/list', 'GET, HEAD'],
    ['DELETE', '/api/dynamic/leads/01ARZ3NDEKTSV4RRFFQ69G5FAV', 'GET, HEAD'],
    ['PATCH', '/api/dynamic/leads/01ARZ3NDEKTSV4RRFFQ69G5FAV', 'GET, HEAD'],
    ['GET', CREATE_LEAD, 'POST'],
    ['DELETE', '/api/health', 'GET, HEAD'],
  ])('%s %s is 405 METHOD_NOT_ALLOWED with Allow: %s', async (method, path, allow) => {
    const { status, headers, body } = await call(path, { method });

    expect({ status, allow: headers.get('allow'), body }).toEqual({
      status: 405,
      allow,
      body: { code: 'METHOD_NOT_ALLOWED', message: 'Method not allowed', data: null },
    });
  });

  it.each(['/api/dynamic/%E0%A4%A/list', '/api/dynamic/leads/%', '/api/dynamic/%ff/x'])(
    '%s is 400, not 500',
    async (path) => {
      const { status, body } = await call(path);

      expect({ status, body }).toEqual({
        status: 400,
        body: { ...INVALID, data: { fieldErrors: { request: 'is malformed' } } },
      });
    },
  );

  it('what is no HTTP gets an envelope, too', async () => {
    const malformed = { ...INVALID, data: { fieldErrors: { request: 'is malformed' } } };
    const encoded = {
      ...INVALID,
      data: { fieldErrors: { url: 'must be percent-encoded: ASCII without spaces' } },
    };
    const host = { ...INVALID, data: { fieldErrors: { Host: 'is required' } } };
    const tooLong = { code: 'HEADERS_TOO_LARGE', message: 'The URL or the headers are too long', data: null };
    for (const [text, status, body] of [
      ['NONSENSE\r\n\r\n', '400 Bad Request', malformed],
      ['GET /api/dynamic/leads/list?keyword=gr\u00fcn HTTP/1.1\r\nHost: x\r\n\r\n', '400 Bad Request', encoded],
      ['GET / HTTP/1.1\r\nHost: x\r\nBad Header: 1\r\n\r\n', '400 Bad Request', malformed],
      ['GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', '400 Bad Request', malformed],
      ['GET /api/health HTTP/1.1\r\nConnection: close\r\n\r\n', '400 Bad Request', host],
      [`GET /${'x'.repeat(200_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, '431 Request Header Fields Too Large', tooLong],
      [
        `GET / HTTP/1.1\r\nHost: x\r\nA: ${'x'.repeat(200_000)}\r\n\r\n`,
        '431 Request Header Fields Too Large',
        tooLong,
      ],
    ] as const) {
      const answered = await sendText(text);
      expect(answered.split('\r\n')[0]).toBe(`HTTP/1.1 ${status}`);
      expect(answered).toMatch(/\r\nX-Trace-Id: [0-9a-f]{32}\r\n/);
      expect(JSON.parse(answered.split('\r\n\r\n')[1] ?? '')).toEqual(body);
    }
  });

  it('an Expect that nobody can meet changes nothing', async () => {
    const answered = await sendText(
      'GET /api/health HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\nConnection: close\r\n\r\n',
    );
    expect(answered).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });

  it('filters of a list may be as long as they may be many', async () => {
    const filters = [{ fieldName: 'pid', operator: 'in', value: Array(1_000).fill('01ARZ3NDEKTSV4RRFFQ69G5FAV') }];

    const { status, body } = await list(await salesToken(), 'leads', { filters });

    expect({ status, data: body.data }).toMatchObject({ status: 200, data: { total: 0 } });
  });
});

describe('Accept', () => {
  it.each([
    undefined,
    '*/*',
    'application/json',
    'application/*',
    'application/json; charset=utf-8',
    'text/html, */*;q=0.1',
    'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    '',
  ])('%p takes JSON', async (accept) => {
    const { status } = await call('/api/health', accept === undefined ? {} : { headers: { accept } });
    expect(status).toBe(200);
  });

  it.each(['text/html', 'application/xml', 'application/json;q=0', 'image/*', 'application/json;q=0, text/*'])(
    '%p does not: 406, and nothing is done',
    async (accept) => {
      const { token } = await newUser(['SALES'], await newTenant());
      const options = { token, headers: { accept } };
      for (const answered of [
        await call(CREATE_LEAD, { ...options, body: { payload: { name: 'x' } } }),
        await call('/api/dynamic/leads/list', options),
        await call('/api/health', options),
      ]) {
        expect({ status: answered.status, body: answered.body }).toEqual({
          status: 406,
          body: { code: 'NOT_ACCEPTABLE', message: 'Answers are JSON', data: null },
        });
      }
      expect((await list(token, 'leads')).body.data.total).toBe(0);
    },
  );

  it('changes no failure: those are JSON for everybody', async () => {
    const { status, body } = await call('/nowhere', { headers: { accept: 'text/html' } });
    expect([status, body.code]).toEqual([404, 'NOT_FOUND']);
  });
});

describe('a client that is slow', () => {
  let server: HttpServer;

  beforeAll(async () => {
    server = await listen((await container()).app, 0, { headersMs: 300, requestMs: 600, keepAliveMs: 5_000 });
  });
  afterAll(() => server.stop(0));

  it.each([
    ['headers', 'GET /api/health HTTP/1.1\r\nHost: x\r\nA: '],
    [
      'a body',
      'POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    ],
  ])('with %s is told 408, in an envelope, and loses its connection', async (_what, text) => {
    const answered = await sendText(text, `http://127.0.0.1:${server.port}`);

    expect(answered).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(answered.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(JSON.parse(answered.split('\r\n\r\n')[1] ?? '')).toEqual({
      code: 'REQUEST_TIMEOUT',
      message: 'The request did not arrive in time',
      data: null,
    });
  });
});

describe('JSON bodies', () => {
  let token: string;

  beforeAll(async () => {
    token = await salesToken();
  });

  it.each<[string, string, string]>([
    ['no JSON', '{"payload": ', 'is not valid JSON'],
    ['a JSON text', '"x"', 'must be a JSON object'],
    ['null', 'null', 'must be a JSON object'],
    ['an array', '[{"payload": {}}]', 'must be a JSON object'],
    ['33 levels', nested(33), 'is nested deeper than 32 levels'],
    ['100,000 levels', nested(100_000), 'is nested deeper than 32 levels'],
    ['__proto__', '{"payload": {"name": "x", "__proto__": {"admin": true}}}', 'must not contain the key __proto__'],
    ['constructor, escaped', '{"payload": {"\\u0063onstructor": {}}}', 'must not contain the key constructor'],
    ['prototype in an array', '{"payload": {"a": [[{"prototype": 1}]]}}', 'must not contain the key prototype'],
  ])('with %s are 400 VALIDATION_ERROR', async (_what, body, problem) => {
    // A log-in is at most 8 KiB.
    for (const path of body.length > 8_192 ? [CREATE_LEAD] : [CREATE_LEAD, '/api/auth/login']) {
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
      { 'content-type': 'application/json; charset=utf-16' },
      { 'content-encoding': 'br2' },
    ] as Record<string, string>[]) {
      expectRefusal(await call(CREATE_LEAD, { token, body: '{}', headers }), 'UNSUPPORTED_MEDIA_TYPE', null);
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
