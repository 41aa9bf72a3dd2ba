import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DataSourceContent } from '../../src/features/datasources/kinds/kinds.ts';
import type { ResourceDraft } from '../../src/platform/metadata/changes/resources.service.ts';
import { call, execute, dataOf, refusal } from '../support/api.ts';
import { newCode, save } from '../support/models.ts';
import { startOwnProgram, type OwnProgram } from '../support/own-program.ts';
import { newAdmin, unitOf, type Admin } from '../support/promotions.ts';
import { newUser } from '../support/world.ts';

let own: OwnProgram;
let admin: Admin;
let server: Server;
let base: string;
let closedPort: number;
/** What the other service does with a request; each test says. */
let respond: (request: IncomingMessage, response: ServerResponse) => void;
beforeAll(async () => {
  own = await startOwnProgram('rest', { WEBHOOK_ALLOW_CIDRS: '127.0.0.1/32' });
  admin = await newAdmin();
  server = createServer((request, response) => respond(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  closedPort = (other.address() as AddressInfo).port;
  await new Promise((resolve) => other.close(resolve));
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await own.stop();
});

const SECRETS = '/admin/environments';
const set = (environment: string, name: string, value: unknown) =>
  admin.put(`${SECRETS}/${environment}/secrets/${name}`, { value });
const remove = (environment: string, name: string) => admin.delete(`${SECRETS}/${environment}/secrets/${name}`);
const namesIn = async (environment: string) =>
  dataOf(await admin.get(`${SECRETS}/${environment}/secrets`)).map(({ name }: { name: string }) => name);
const newName = () => `S_${newCode().toUpperCase()}`;
const VALUE = 'a-very-secret-value';

type Rest = Extract<DataSourceContent, { kind: 'rest' }>;
const restDraft = (content: Partial<Rest> = {}): ResourceDraft => ({
  resourceType: 'DATASOURCE',
  code: newCode(),
  content: { name: 'Another service', kind: 'rest', url: `${base}/rows`, ...content },
});
const json =
  (body: unknown, status = 200, type = 'application/json') =>
  (_request: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': type }).end(typeof body === 'string' ? body : JSON.stringify(body));
  };
/** A data source in dev, asked once. */
async function ask(content: Partial<Rest> = {}, query = '') {
  const draft = restDraft(content);
  await save('dev', draft);
  return call(`/api/datasource/list?datasourceId=${draft.code}${query}`, { token: admin.user.token });
}

describe('a secret that a resource of its environment needs', () => {
  it('cannot be deleted', async () => {
    const name = newName();
    await set('dev', name, VALUE);
    const draft = restDraft({ headers: { authorization: `Bearer {{secret:${name}}}` } });
    await save('dev', draft);

    expect(refusal(await remove('dev', name))).toMatchObject({
      status: 409,
      code: 'CONFLICT',
      data: { reason: 'REFERENCE', resources: [{ code: draft.code }] },
    });
    expect(await namesIn('dev')).toContain(name);
  });
});

describe('SECRET_MISSING', () => {
  it('is a conflict for each secret that a unit needs and the target lacks, until it is set there', async () => {
    const [token, key] = [newName(), newName()];
    const draft = restDraft({
      headers: { authorization: `Bearer {{secret:${token}}}` },
      query: { key: `{{secret:${key}}}` },
    });
    await save('dev', draft);
    const unit = await unitOf('DATASOURCE', draft.code);
    const pid = await admin.created([unit]);

    expect((await admin.conflicting(pid)).conflicts).toMatchObject(
      [token, key].map((secret) => ({
        type: 'SECRET_MISSING',
        severity: 'blocking',
        resourcePid: unit.resourcePid,
        details: { secret },
        message: `The target has no secret ${secret}`,
        resolutions: ['skip'],
      })),
    );
    await set('staging', token, VALUE);
    expect((await admin.conflicting(pid)).conflicts).toMatchObject([{ details: { secret: key } }]);
    await set('staging', key, VALUE);
    expect(dataOf(await admin.validate(pid))).toMatchObject({ status: 'VALIDATED', conflicts: [] });

    dataOf(await remove('staging', key));
    expect(refusal(await admin.apply(pid))).toMatchObject({ status: 409, code: 'STALE_PLAN' });
    await set('staging', key, VALUE);
    dataOf(await admin.validate(pid));
    expect(dataOf(await admin.apply(pid))).toMatchObject({ status: 'APPLIED' });
    const inverse = dataOf(await admin.act(pid, 'rollback')).pid;
    dataOf(await admin.validate(inverse));
    expect(dataOf(await admin.apply(inverse))).toMatchObject({ status: 'APPLIED' });
  });

  it('leaves values out of snapshots, plans and promotions', async () => {
    const name = newName();
    await set('dev', name, VALUE);
    await set('staging', name, VALUE);
    const draft = restDraft({ headers: { 'x-key': `{{secret:${name}}}` } });
    await save('dev', draft);
    const pid = await admin.promote([await unitOf('DATASOURCE', draft.code)]);

    const seen = [await admin.post('/admin/environments/dev/export'), await admin.promotion(pid)];
    expect(JSON.stringify(seen)).toContain(`{{secret:${name}}}`);
    expect(JSON.stringify(seen)).not.toContain(VALUE);
  });
});

describe('a REST data source', () => {
  it('gives the rows of another service, called with its secrets, at most maxItems', async () => {
    const name = newName();
    await set('dev', name, 'a b&c');
    let asked: { url: string | undefined; method: string | undefined; key: unknown } | undefined;
    respond = (request, response) => {
      asked = { url: request.url, method: request.method, key: request.headers['x-key'] };
      json({ data: { items: [{ id: 1, title: { en: 'One' } }, { id: 2 }, { id: 3 }] } })(request, response);
    };

    const answer = await ask(
      {
        url: `${base}/rows?a=1`,
        method: 'POST',
        headers: { 'x-key': `k {{secret:${name}}}` },
        query: { key: `{{secret:${name}}}` },
        rowsPath: 'data.items',
        fields: { value: 'id', label: 'title.en' },
      },
      '&maxItems=2',
    );

    expect(dataOf(answer)).toEqual([
      { value: 1, label: 'One' },
      { value: 2, label: null },
    ]);
    expect(asked).toEqual({ url: '/rows?a=1&key=a+b%26c', method: 'POST', key: 'k a b&c' });
  });

  it('goes on with the trace id of the request that asks', async () => {
    let traceparent: unknown;
    respond = (request, response) => {
      traceparent = request.headers.traceparent;
      json([])(request, response);
    };

    const { headers } = await ask();

    expect(traceparent).toMatch(new RegExp(`^00-${headers.get('x-trace-id')}-[0-9a-f]{16}-01$`));
  });

  it('gives the rows as they are when nothing else is said', async () => {
    respond = json([{ any: ['thing'] }], 200, 'application/vnd.api+json; charset=utf-8');
    expect(dataOf(await ask())).toEqual([{ any: ['thing'] }]);
  });

  it('gives numbers that JavaScript would round as texts', async () => {
    respond = json('[{"id":9007199254740993,"price":1.5,"constructor":"any"}]');
    expect(dataOf(await ask())).toEqual([{ id: '9007199254740993', price: 1.5, constructor: 'any' }]);
  });

  it('takes as many rows as an answer has room for', async () => {
    const rows = Array.from({ length: 1_000 }, (_, row) =>
      Object.fromEntries(Array.from({ length: 100 }, (_, column) => [`c${column}`, row])),
    );
    respond = json(rows);
    expect((await ask()).status).toBe(200);
  });

  it.each<[what: string, response: typeof respond, status: number, code: string, data: object]>([
    ['HTTP 500', json({ secret: 'internals' }, 500), 503, 'SERVICE_UNAVAILABLE', { reason: 'STATUS', status: 500 }],
    ['HTTP 429', json('', 429), 503, 'SERVICE_UNAVAILABLE', { reason: 'STATUS', status: 429 }],
    ['HTTP 401', json({ secret: 'internals' }, 401), 502, 'BAD_GATEWAY', { reason: 'STATUS', status: 401 }],
    ['a redirect', (_q, r) => void r.writeHead(302, { location: '/x' }).end(), 502, 'BAD_GATEWAY', { status: 302 }],
    ['HTML', json('<html>', 200, 'text/html'), 502, 'BAD_GATEWAY', { reason: 'NOT_JSON' }],
    ['broken JSON', json('{"internals'), 502, 'BAD_GATEWAY', { reason: 'NOT_JSON' }],
    [
      '100,000 levels',
      json(`${'['.repeat(100_000)}${']'.repeat(100_000)}`),
      502,
      'BAD_GATEWAY',
      { reason: 'NOT_JSON' },
    ],
    ['no array', json({ internals: 1 }), 502, 'BAD_GATEWAY', { reason: 'SHAPE' }],
    ['no objects', json([1, 2]), 502, 'BAD_GATEWAY', { reason: 'SHAPE' }],
    ['too much', json([{ x: 'x'.repeat(2 * 1024 * 1024) }]), 502, 'BAD_GATEWAY', { reason: 'TOO_LARGE' }],
    ['nothing', () => undefined, 503, 'SERVICE_UNAVAILABLE', { reason: 'TIMEOUT' }],
  ])(
    'says what is wrong when the service answers %s, and nothing of its answer',
    async (_w, response, status, code, data) => {
      respond = response;
      const answer = await ask({ timeoutMs: 'reason' in data && data.reason === 'TIMEOUT' ? 300 : 10_000 });

      expect(refusal(answer)).toMatchObject({ status, code, data });
      expect(JSON.stringify(answer.body)).not.toMatch(/internals|127\.0\.0\.1/);
      expect(answer.headers.get('retry-after')).toBe(status === 503 ? '5' : null);
    },
  );

  it('is unavailable when nobody listens', async () => {
    expect(refusal(await ask({ url: `http://127.0.0.1:${closedPort}/` }))).toMatchObject({
      status: 503,
      code: 'SERVICE_UNAVAILABLE',
      data: { dependency: 'datasource', reason: 'REFUSED' },
    });
  });

  // Of the two addresses of that name, ::1 is not in the allow list.
  it('cannot call the own network by a name', async () => {
    expect(refusal(await ask({ url: 'http://localhost:6443/' }))).toMatchObject({
      status: 409,
      code: 'CONFLICT',
      data: { reason: 'DATASOURCE' },
    });
  });

  it('says which secret is missing', async () => {
    const name = newName();
    const answer = await ask({ headers: { 'x-key': `{{secret:${name}}}` } });

    expect(refusal(answer)).toMatchObject({ status: 409, data: { reason: 'DATASOURCE' } });
    expect(answer.body.message).toContain(`dev has no secret ${name}`);
  });

  it('with a secret that cannot stand in a header does not show it', async () => {
    const name = newName();
    await set('dev', name, `${VALUE}\r\nx-more: 1`);
    const answer = await ask({ headers: { 'x-key': `{{secret:${name}}}` } });

    expect(refusal(answer)).toMatchObject({ status: 409, data: { reason: 'DATASOURCE' } });
    expect(JSON.stringify(answer.body)).not.toContain(VALUE);
    expect(own.program.logs()).not.toContain(VALUE);
  });

  it('needs datasource:read:<code>', async () => {
    const draft = restDraft();
    await save('dev', draft);
    const { token } = await newUser([], admin.tenant);
    expect(refusal(await call(`/api/datasource/list?datasourceId=${draft.code}`, { token }))).toMatchObject({
      status: 403,
      data: { permission: `datasource:read:${draft.code}` },
    });
  });

  it.each<[what: string, content: Record<string, unknown>, path: string]>([
    ['a secret in its URL', { url: 'https://service.example/{{secret:A}}' }, 'content.url'],
    ['a password in its URL', { url: 'https://me:you@service.example/' }, 'content.url'],
    ['an address of the own network', { url: 'http://127.0.0.2:6443/' }, 'content.url'],
    ['another protocol', { url: 'file:///etc/passwd' }, 'content.url'],
    ['a header that steers the connection', { headers: { Host: 'x' } }, 'content.headers.Host'],
    ['a reference that is none', { headers: { 'x-key': '{{SECRET A}}' } }, 'content.headers.x-key'],
    ['a secret that no secret can be called', { query: { key: '{{secret:a}}' } }, 'content.query.key'],
  ])('cannot be saved with %s', async (_what, content, path) => {
    const { resourceType, code, content: whole } = restDraft(content);
    const payload = { resourceType, code, content: whole };
    const answer = await execute(admin.user.token, 'meta:save', { payload });

    expect(refusal(answer)).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
    expect(Object.keys(answer.body.data.fieldErrors).join()).toContain(path);
  });
});
