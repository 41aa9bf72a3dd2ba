import { request as httpRequest } from 'node:http';
import { call, execute, list } from '../support/api.ts';
import { EVERY_TYPE, newModel, newRole, type TestModel } from '../support/models.ts';
import { newTenant, newUser } from '../support/world.ts';

const ROUNDED = 'which would be rounded: send at most 15 digits, or a text where the field takes one';

let token: string;
let model: TestModel;

beforeAll(async () => {
  model = await newModel({
    fields: [...EVERY_TYPE, { code: 'short', name: 'Short', type: 'string', maxLength: 3 }],
  });
  token = (await newUser([await newRole(model.permissions)], await newTenant())).token;
});

const create = (payload: string) => execute(token, model.command, `{"operationType":"CREATE","payload":${payload}}`);
const errorsOf = ({ status, body }: Awaited<ReturnType<typeof call>>) => ({ status, errors: body.data?.fieldErrors });

describe('a number that JavaScript would round', () => {
  it.each([
    ['a decimal', '{"name":"n","price":1234567890.1234567891}', 'payload.price', '1234567890.1234567891'],
    ['a bigint', '{"name":"n","big":9007199254740993}', 'payload.big', '9007199254740993'],
    ['a json field', '{"name":"n","extra":{"a":[1e400]}}', 'payload.extra.a.0', '1e400'],
  ])('is refused in %s, and not stored as another', async (_what, payload, path, number) => {
    expect(errorsOf(await create(payload))).toEqual({
      status: 400,
      errors: { [path]: `holds the number ${number}, ${ROUNDED}` },
    });
    expect((await list(token, model.code)).body.data.total).toBe(0);
  });

  it('is refused in the items of a batch', async () => {
    const body =
      '{"operationType":"CREATE","items":[{"payload":{"name":"n"}},{"payload":{"price":0.1234567890123456789}}]}';
    const answered = await call(`/api/meta/commands/execute/${model.command}/batch`, { token, body });

    expect(errorsOf(answered).errors).toHaveProperty(['items.1.payload.price']);
  });

  it('is refused in the conditions of a list, a query and an aggregate', async () => {
    const conditions = '[{"fieldName":"big","operator":"eq","value":9007199254740993}]';
    const problem = `holds the number 9007199254740993, ${ROUNDED}`;

    expect(errorsOf(await list(token, model.code, { filters: conditions }))).toEqual({
      status: 400,
      errors: { filters: `0.value: ${problem}` },
    });
    for (const path of ['query', 'aggregate']) {
      const body = `{"conditions":${conditions}}`;
      const answered = await call(`/api/dynamic/${model.code}/${path}`, { token, body });
      expect(errorsOf(answered)).toEqual({ status: 400, errors: { 'conditions.0.value': problem } });
    }
  });

  it('is kept as a text, where the field takes one', async () => {
    const { body } = await create(
      '{"name":"n","price":"1234567890.1234567891","big":"9007199254740993","size":-2147483648}',
    );

    expect(body.data).toMatchObject({ price: '1234567890.1234567891', big: '9007199254740993', size: -2147483648 });
  });

  it('and a decimal that is too long is told the limits of the type', async () => {
    expect(errorsOf(await create(`{"name":"n","price":"${'1'.repeat(31)}"}`)).errors).toEqual({
      price: 'must have at most 30 digits before the point and 20 after it',
    });
  });
});

describe('text that is not UTF-8', () => {
  it('is refused in a body', async () => {
    const bytes = Buffer.from('{"operationType":"CREATE","payload":{"name":"gr\xfcn"}}', 'latin1');

    expect(await send(`/api/meta/commands/execute/${model.command}`, bytes)).toMatchObject({
      status: 400,
      errors: { body: 'is not UTF-8' },
    });
  });

  it.each(['keyword=gr%FCn', 'keyword=%ED%A0%80', 'filters=%5B%22%ff%22%5D&keyword=a'])(
    'is refused in a query string: %s',
    async (query) => {
      const answered = await call(`/api/dynamic/${model.code}/list?${query}`, { token });
      expect(errorsOf(answered)).toEqual({ status: 400, errors: { [query.split('=')[0] as string]: 'is not UTF-8' } });
    },
  );

  it('leaves what is UTF-8 alone', async () => {
    const answered = await call(`/api/dynamic/${model.code}/list?keyword=gr%C3%BCn%F0%9F%98%80&%C3%BC=1`, { token });
    expect(answered.status).toBe(200);
  });
});

describe('JSON that is too much', () => {
  it.each(['sortFields', 'filters', 'extraParams'])('is refused in %s of a list', async (name) => {
    const answered = await list(token, model.code, { [name]: '['.repeat(7_000) + ']'.repeat(7_000) });
    expect(errorsOf(answered)).toEqual({ status: 400, errors: { [name]: 'is nested deeper than 32 levels' } });
  });

  it('is refused in names of fields, of which each stands for those of the page', async () => {
    const ask = (body: object) => call(`/api/dynamic/${model.code}/query`, { token, body });

    expect(errorsOf(await ask({ fields: Array.from({ length: 80_000 }, () => '@columns') }))).toEqual({
      status: 400,
      errors: { fields: 'must have 0 to 1000 entries' },
    });
    expect(errorsOf(await ask({ fields: 'a,'.repeat(500_000) })).errors).toEqual({
      fields: 'must not be longer than 65536 characters',
    });
    expect((await ask({ fields: ['@columns', '@columns', 'name'] })).status).toBe(200);
  });

  it('is refused by its keys before it is parsed, and of fewer wrong keys a hundred are told', async () => {
    const keys = (count: number) => `{${Array.from({ length: count }, (_, index) => `"k${index}":1`).join(',')}}`;

    for (const path of [`/api/meta/commands/execute/${model.command}`, `/api/dynamic/${model.code}/query`]) {
      const crowded = await call(path, { token, body: keys(90_000) });
      expect(errorsOf(crowded)).toEqual({ status: 400, errors: { body: 'has more than 30000 keys' } });
      const { status, errors } = errorsOf(await call(path, { token, body: keys(25_000) }));
      expect([status, Object.keys(errors).length]).toEqual([400, 100]);
    }
    const { status, errors } = errorsOf(await create(keys(25_000)));
    expect([status, Object.keys(errors).length]).toEqual([400, 100]);
  });
});

describe('a value that an enum does not have', () => {
  const problem = { state: 'must be one of open, won' };

  it.each([
    ['eq', 'lost'],
    ['ne', 'lost'],
    ['in', ['open', 'lost']],
    ['not_in', ['lost']],
  ])('is refused by %s', async (operator, value) => {
    const filters = [{ fieldName: 'state', operator, value }];
    expect(errorsOf(await list(token, model.code, { filters }))).toEqual({ status: 400, errors: problem });
    const answered = await call(`/api/dynamic/${model.code}/query`, { token, body: { conditions: filters } });
    expect(errorsOf(answered)).toEqual({ status: 400, errors: problem });
  });

  it('may be looked for as a part of one', async () => {
    const filters = [{ fieldName: 'state', operator: 'contains', value: 'o' }];
    expect((await list(token, model.code, { filters })).status).toBe(200);
  });
});

describe('lengths', () => {
  it('are counted in characters, and an emoji is one', async () => {
    expect((await create('{"name":"n","short":"😀😀😀"}')).body.data).toMatchObject({ short: '😀😀😀' });
    expect(errorsOf(await create('{"name":"n","short":"😀😀😀😀"}')).errors).toEqual({
      short: 'must not be longer than 3 characters',
    });
  });
});

/** Bytes as they are. */
function send(path: string, bytes: Buffer): Promise<{ status: number; errors: unknown }> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const sent = httpRequest(`${process.env.KEELSON_TEST_URL}${path}`, { method: 'POST', headers }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, errors: JSON.parse(text).data?.fieldErrors }),
      );
    });
    sent.on('error', reject);
    sent.end(bytes);
  });
}
