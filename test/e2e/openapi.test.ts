import { Validator } from '@seriousme/openapi-schema-validator';
import { ERROR_CATALOGUE } from '../../src/foundation/errors/catalogue.ts';
import { call, expectRefusal } from '../support/api.ts';
import { keelson } from '../support/cli.ts';
import { fetchDocument, type ApiDocument } from '../support/openapi.ts';
import { TEXTS } from '../support/texts.ts';
import { allRoutes } from '../support/routes.ts';
import { typeProblemsIn } from '../support/type-problems.ts';

let api: ApiDocument;

beforeAll(async () => {
  api = await fetchDocument();
});

describe('GET /api/openapi.json', () => {
  it('is an OpenAPI 3.1 document by the meta-schema', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(api.document));

    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
    expect(api.document.openapi).toBe('3.1.0');
  });

  it('is printed as types by keelson types --api', async () => {
    const { out } = await keelson(['types', '--api'], { as: null });
    expect(out).toMatch(/^\/\/ Printed by keelson types from the API of version [\d.]+\. Do not edit\.\n/);
    const used = `
import type { Api, Errors, Schemas } from './keelson-api';
declare const list: Api['GET /api/dynamic/{pageKey}/list'];
const pid: string | undefined = list.data.records[0]?.pid;
const record: Schemas['Record'] | undefined = list.data.records[0];
const page: string = list.params.pageKey;
const size: number | undefined = list.query.pageSize;
const body: Api['POST /api/auth/login']['body'] = { email: 'a@b.c', password: 'x' };
// @ts-expect-error the password is missing
const half: Api['POST /api/auth/login']['body'] = { email: 'a@b.c' };
// @ts-expect-error no such route
type None = Api['GET /api/nothing'];
const upload: Api['POST /api/files']['body'] = new FormData();
const problem: Record<string, string> = (null as unknown as Errors['VALIDATION_ERROR']).fieldErrors;
`;
    expect(typeProblemsIn({ '/types/keelson-api.d.ts': out, '/types/used.ts': used })).toEqual([]);
  });

  it('describes every route, and nothing else', async () => {
    const routes = await allRoutes();
    const described = api.operations.map(({ method, path }) => `${method} ${path}`);

    expect(new Set(described)).toEqual(
      new Set(routes.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`)),
    );
    expect(described.length).toBeGreaterThan(70);
  });

  it('says of each object whether other keys are allowed, so that generated clients can send and read them', () => {
    const silent: string[] = [];
    const walk = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return;
      const schema = value as Record<string, unknown>;
      if (schema.type === 'object' && schema.additionalProperties === undefined && !schema.allOf) silent.push(path);
      for (const [key, item] of Object.entries(schema)) if (key !== 'example') walk(item, `${path}/${key}`);
    };
    const { paths, components } = api.document as unknown as Record<string, unknown>;
    walk({ paths, components }, '');

    expect(silent.filter((path) => /payload|requestBody|Record$|\/data(\/|$)/.test(path))).toEqual([]);
    const { requestBody } = api.operation('POST', '/api/meta/commands/execute/{commandCode}');
    expect(requestBody?.content['application/json']?.schema).toMatchObject({
      properties: { payload: { type: 'object', additionalProperties: true } },
    });
  });

  it('names each operation once', () => {
    const ids = api.operations.map((operation) => (operation as unknown as { operationId: string }).operationId);

    expect(new Set(ids).size).toBe(ids.length);
  });

  it('names the permission codes of a route, its budget, and whether it needs a token', () => {
    expect(api.operation('GET', '/api/dynamic/{pageKey}/list')).toMatchObject({
      'x-permissions': ['record:read:{modelCode}'],
      'x-rate-limit': { budget: 'lists', perMinute: 1_000_000 },
    });
    expect(api.operation('GET', '/api/admin/audit')).toMatchObject({
      'x-permissions': ['audit:read', 'admin:environments'],
      'x-rate-limit': { budget: 'reads' },
    });
    expect(api.operation('POST', '/api/auth/login').security).toEqual([]);
    expect(api.operation('POST', '/api/auth/logout').security).toBeUndefined();
    expect(api.document).toMatchObject({
      security: [{ bearer: [] }],
      info: { 'x-max-upload-bytes': 100 * 1024 * 1024 },
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    });
  });

  it('has a schema for every code of the catalogue, and each code under its HTTP status', () => {
    const { schemas } = api.document.components as { schemas: Record<string, unknown> };

    for (const code of Object.keys(ERROR_CATALOGUE)) expect(schemas).toHaveProperty([`Error.${code}`]);
    for (const { method, path, responses } of api.operations) {
      for (const [status, response] of Object.entries(responses)) {
        const [codes] = [JSON.stringify(response).match(/Error\.[A-Z_]+/g) ?? []];
        const statuses = codes.map((name) => ERROR_CATALOGUE[name.slice(6) as keyof typeof ERROR_CATALOGUE].status);
        expect([method, path, new Set(statuses)]).toEqual([
          method,
          path,
          new Set(codes.length > 0 ? [Number(status)] : []),
        ]);
      }
    }
  });

  it('says what is wrong with a value in words that every language has', () => {
    const words: string[] = [];
    JSON.stringify(api.document, (key, value: unknown) => {
      if (key === 'x-problem') words.push(value as string);
      return value;
    });

    const known = TEXTS.flatMap((table) => Object.values(table)).map(({ en }) => patternOf(en));
    expect(words.length).toBeGreaterThan(10);
    expect(words.filter((problem) => !known.some((pattern) => pattern.test(problem)))).toEqual([]);
  });

  it('says of streams that they are text/event-stream', () => {
    const { responses } = api.operation('GET', '/api/admin/promotions/{pid}/stream');

    expect(Object.keys(responses[200]?.content ?? {})).toEqual(['text/event-stream']);
  });

  it('is public, and is asked for again only when it has changed', async () => {
    const url = `${process.env.KEELSON_TEST_URL}/api/openapi.json`;
    const first = await fetch(url);
    const again = await fetch(url, {
      headers: { 'if-none-match': first.headers.get('etag') ?? '', 'cache-control': 'max-age=0' },
    });

    expect(first.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect([first.status, again.status]).toEqual([200, 304]);
  });
});

describe('GET /api/docs', () => {
  const get = async (path: string) => {
    const response = await fetch(`${process.env.KEELSON_TEST_URL}${path}`);
    return { response, text: await response.text() };
  };

  it('is a page whose every part comes from this node, under a policy without inline scripts', async () => {
    const { response, text } = await get('/api/docs');
    const parts = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, part]) => part as string);
    const policy = response.headers.get('content-security-policy') ?? '';

    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toMatch(/script-src 'self';/);
    expect(text).not.toMatch(/<script>|<script [^>]*>[^<]|\son\w+=/);
    expect(parts.length).toBeGreaterThan(3);
    for (const part of parts) {
      const found = await get(part);
      expect([part, found.response.status, found.text.length > 100]).toEqual([part, 200, true]);
      expect(found.response.headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  it('lets browsers keep the renderer, and has nothing else', async () => {
    const { response } = await get('/api/docs/swagger-ui-bundle.js');

    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('public, max-age=3600');
    for (const name of ['package.json', '..%2fpackage.json', '%2e%2e%2fpackage.json', 'index.html', 'constructor']) {
      expectRefusal(await call(`/api/docs/${name}`), 'NOT_FOUND');
    }
  });
});

/** What a template looks like with values in its places. */
function patternOf(template: string): RegExp {
  const words = template.split(/\{\w+\}/).map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${words.join('.+')}$`);
}
