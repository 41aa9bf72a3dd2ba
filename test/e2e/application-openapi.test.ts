import { Validator } from '@seriousme/openapi-schema-validator';
import type { OpenApiDocument } from '../../src/features/api-docs/openapi-document.ts';
import { call, execute } from '../support/api.ts';
import { until } from '../support/faults.ts';
import { EVERY_TYPE, newCode, newModel, newRole, save, type TestModel } from '../support/models.ts';
import { ApiDocument, fetchDocument, type JsonSchema } from '../support/openapi.ts';
import { newTenant, newUser, type TestTenant } from '../support/world.ts';

const PATH = '/api/meta/openapi.json';
const split = `test:${newCode()}`;
let tenant: TestTenant;
let model: TestModel;
let unknown: TestModel;

beforeAll(async () => {
  tenant = await newTenant();
  unknown = await newModel({ fields: [{ code: 'name', name: 'Name', type: 'string' }] });
  model = await newModel({
    fields: [
      ...EVERY_TYPE.map((field) => (field.code === 'name' ? { ...field, required: true } : field)),
      { code: 'hidden_one', name: 'Hidden', type: 'integer', readPermission: true },
      { code: 'other', name: 'Other', type: 'relation', target: unknown.code },
    ],
  });
  await save('dev', {
    resourceType: 'COMMAND',
    code: split,
    content: {
      name: 'Split',
      modelCode: model.code,
      operations: ['CUSTOM'],
      target: true,
      payload: [{ code: 'note', name: 'Note', type: 'text', required: true }],
      steps: [
        { id: 'copy', operation: 'CREATE', modelCode: model.code, values: { name: 'record.name + payload.note' } },
        { id: 'more', operation: 'CREATE', modelCode: unknown.code, values: { name: '"x"' }, when: 'false' },
      ],
      result: {
        copy: 'steps.copy',
        more: 'steps.more',
        name: 'steps.copy.name',
        note: 'payload.note',
        secret: 'record.hidden_one',
        many: 'record.size > 1',
      },
    },
  });
});

const userWith = async (...codes: string[]): Promise<string> => (await newUser([await newRole(codes)], tenant)).token;
const all = (): string[] => [...model.permissions, `command:execute:${split}`];

async function documentFor(token: string): Promise<ApiDocument> {
  const response = await fetch(`${process.env.KEELSON_TEST_URL}${PATH}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
  return new ApiDocument((await response.json()) as OpenApiDocument);
}

describe('GET /api/meta/openapi.json', () => {
  it('is an OpenAPI 3.1 document by the meta-schema, with every operation named once', async () => {
    const { document, operations } = await documentFor(await userWith(...all()));

    expect(await new Validator().validate(structuredClone(document))).toMatchObject({ valid: true });
    const ids = operations.map((operation) => (operation as unknown as { operationId: string }).operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining([`${model.code}.list`, `${model.code}.get`, `${split}.execute`]));
  });

  it('has the paths of the pages and commands that the caller may use, and no trace of others', async () => {
    const { document, operations } = await documentFor(await userWith(`record:read:${model.code}`));

    const own = operations
      .filter(({ path }) => path.includes(model.code))
      .map(({ method, path }) => `${method} ${path}`);
    const fixed = (await fetchDocument()).operations.map(({ method, path }) => `${method} ${path}`);
    const ofPages = fixed.filter((one) => one.includes('{pageKey}'));
    expect(own).toEqual(ofPages.map((one) => one.replace('{pageKey}', model.code)).sort(byPath));
    const others = operations.filter(({ path }) => !path.includes(model.code)).map(({ path }) => path);
    expect(others.filter((path) => /dynamic|execute|validate/.test(path))).toEqual([]);
    for (const secret of ['hidden_one', unknown.code, model.command, split, '{modelCode}', '{pageKey}']) {
      expect(JSON.stringify(document)).not.toContain(secret);
    }
  });

  it('says of reads and commands what the program answers', async () => {
    const token = await userWith(...all());
    const api = await documentFor(token);
    const problemOf = async (method: string, path: string, body?: object): Promise<unknown> => {
      const answer = await call(path, { token, method, body });
      const operation = api.operationOf(method, path.replace(/\?.*/, ''));
      expect([path, answer.status, operation?.path]).toEqual([path, 200, expect.anything()]);
      if (operation) expect([path, api.problemOfAnswer(operation, 200, answer.body)]).toEqual([path, null]);
      return answer.body.data;
    };
    const created = (await problemOf('POST', `/api/meta/commands/execute/${model.command}`, {
      payload: { name: 'a', price: '1.50', big: '9007199254740993', extra: { x: 1 }, day: '2026-01-01' },
    })) as { pid: string };
    const page = `/api/dynamic/${model.code}`;
    await problemOf('GET', `${page}/list`);
    await problemOf('GET', `${page}/list?fields=name`);
    await problemOf('POST', `${page}/query`, { fields: ['name'] });
    await problemOf('GET', `${page}/${created.pid}`);
    await problemOf('POST', `${page}/aggregate`, {});
    const target = { targetRecordId: created.pid };
    await problemOf('POST', `/api/meta/commands/execute/${split}`, { ...target, payload: { note: 'b' } });
    await problemOf('POST', `/api/meta/commands/execute/${model.command}`, { ...target, operationType: 'DELETE' });
    await problemOf('GET', `${page}/trash`);
  });

  it('refuses by its types what the program refuses', async () => {
    const token = await userWith(...all());
    const api = await documentFor(token);
    const operation = api.operation('POST', `/api/meta/commands/execute/${split}`);
    const bodies = [
      {},
      { targetRecordId: 'x' },
      { targetRecordId: 'x', payload: { note: 1 } },
      { payload: { note: 'b' } },
    ];

    for (const body of bodies) {
      expect(api.problemOfBody(operation, body)).not.toBeNull();
      expect(await execute(token, split, body)).toMatchObject({ status: 400 });
    }
    expect(api.problemOfBody(operation, { targetRecordId: 'x', payload: { note: 'b' } })).toBeNull();
  });

  it('types a result by what this caller is answered', async () => {
    const resultFor = async (...codes: string[]): Promise<JsonSchema> => {
      const { document } = await documentFor(await userWith(...codes));
      const { schemas } = document.components as { schemas: Record<string, JsonSchema> };
      return schemas[`Result.${split.replace(':', '.')}`] ?? {};
    };
    const hidden = `field:read:${model.code}.hidden_one`;
    const limited = await resultFor(`command:execute:${split}`);
    expect(limited.required).toEqual(['copy', 'many', 'more', 'name', 'note']);
    expect(JSON.stringify(limited)).not.toContain('$ref');
    expect(await resultFor(...all(), hidden)).toMatchObject({
      properties: {
        copy: { $ref: `#/components/schemas/Record.${model.code}` },
        more: { anyOf: [{ additionalProperties: true }, { type: 'null' }] },
        name: { type: 'string' },
        note: { type: 'string' },
        secret: { type: ['integer', 'null'] },
        many: { type: 'boolean' },
      },
    });
  });

  it('is 304 to a caller who has it, and needs a token', async () => {
    const token = await userWith(...all());
    const url = `${process.env.KEELSON_TEST_URL}${PATH}`;
    // Other tests change the configuration meanwhile.
    await until('nothing changes between two requests', async () => {
      const headers = { authorization: `Bearer ${token}` };
      const etag = (await fetch(url, { headers })).headers.get('etag') ?? '';
      const again = await fetch(url, { headers: { ...headers, 'if-none-match': etag } });
      return again.status === 304 ? again : null;
    });
    expect((await fetch(url)).status).toBe(401);
  });
});

function byPath(a: string, b: string): number {
  const [first, second] = [a, b].map((one) => one.slice(one.indexOf(' ')));
  return (first ?? '') < (second ?? '') ? -1 : 1;
}
