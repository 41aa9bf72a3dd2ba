import { call, execute, refusal } from '../support/api.ts';
import { insert, newCode, newModel, newRole, save } from '../support/models.ts';
import { newTenant, newUser, type TestTenant } from '../support/world.ts';

const FIELDS = [
  { code: 'name', name: 'Name', type: 'string' as const },
  { code: 'state', name: 'State', type: 'enum' as const, values: ['open', 'won'] },
  { code: 'size', name: 'Size', type: 'integer' as const },
];
const PARAMS = [
  { code: 'state', name: 'State', type: 'enum' as const, values: ['open', 'won'] },
  { code: 'least', name: 'Least', type: 'integer' as const, default: 0, min: 0 },
];

let tenant: TestTenant;
let table: string;
let modelCode: string;
let author: string;
beforeAll(async () => {
  tenant = await newTenant();
  ({ code: modelCode } = await newModel({ fields: FIELDS }));
  table = `mt_${modelCode}`;
  author = (await newUser(['PLATFORM_ADMIN'], tenant)).token;
  await insert(tenant, modelCode, [
    { name: 'a', state: 'open', size: 1 },
    { name: 'b', state: 'open', size: 2 },
    { name: 'c', state: 'won', size: 3 },
    { name: "d' or true --", state: 'won', size: 4 },
  ]);
});

/** A saved data source, with its reader. */
async function newSource(content: object) {
  const code = newCode();
  await save('dev', { resourceType: 'DATASOURCE', code, content: { name: code, ...content } });
  const { token } = await newUser([await newRole([`datasource:read:${code}`])], tenant);
  const ask = (params?: unknown) => {
    const given = params === undefined ? '' : `&params=${encodeURIComponent(JSON.stringify(params))}`;
    return call(`/api/datasource/list?datasourceId=${code}${given}`, { token });
  };
  const names = async (params?: unknown) =>
    ((await ask(params)).body.data as { name: string }[]).map(({ name }) => name).join();
  return { code, token, ask, names };
}
const saving = (content: object) =>
  execute(author, 'meta:save', {
    payload: { resourceType: 'DATASOURCE', code: newCode(), content: { name: 'D', ...content } },
  });
/** Path in the content -> problem: some of a save are named with the resource. */
const problemsIn = ({ body }: Awaited<ReturnType<typeof call>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries<string>(body.data.fieldErrors).map(([path, problem]) => [path.split(' ').at(-1), problem]),
  );

const OF_KINDS = {
  sql: () => ({
    kind: 'sql',
    params: PARAMS,
    sql: `select name from ${table} where (:state is null or state = :state) and size >= :least order by name`,
  }),
  model: () => ({
    kind: 'model',
    params: PARAMS,
    modelCode,
    fields: ['name'],
    sortFields: [{ fieldName: 'name', order: 'asc' }],
    conditions: [
      { fieldName: 'state', operator: 'eq', value: '$params.state' },
      { fieldName: 'size', operator: 'gte', value: '$params.least' },
    ],
  }),
};

describe.each(['sql', 'model'] as const)('GET /api/datasource/list with params, of kind %s', (kind) => {
  it('reads the rows that they ask for; those not given have their default, or no value', async () => {
    const { names } = await newSource(OF_KINDS[kind]());

    expect(await names()).toBe("a,b,c,d' or true --");
    expect(await names({ state: 'open' })).toBe('a,b');
    expect(await names({ state: 'won', least: 4 })).toBe("d' or true --");
    expect(await names({ state: null, least: 2 })).toBe("b,c,d' or true --");
  });

  it('answers 400 that names each one that is wrong, unknown or missing', async () => {
    const { ask } = await newSource(OF_KINDS[kind]());
    const wrong = async (params: unknown) => {
      const answer = await ask(params);
      expect(refusal(answer)).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
      return answer.body.data.fieldErrors;
    };

    expect(await wrong({ state: 'lost', least: -1, more: 1, __proto__x: 1 })).toEqual({
      'params.state': 'must be one of open, won',
      'params.least': expect.any(String),
      'params.more': 'is not a parameter of this data source',
      'params.__proto__x': 'is not a parameter of this data source',
    });
    expect(Object.keys(await wrong({ least: '1; drop table x' }))).toEqual(['params.least']);
    expect(await wrong([1])).toEqual({ params: 'must be a JSON object' });
    const required = { ...OF_KINDS[kind](), params: PARAMS.map((param) => ({ ...param, required: true })) };
    expect((await (await newSource(required)).ask()).body.data.fieldErrors).toEqual({ 'params.state': 'is required' });
  });
});

describe('the params of a data source', () => {
  it('are values, whatever text they hold', async () => {
    const params = [{ code: 'name', name: 'Name', type: 'string' }];
    const { names } = await newSource({ kind: 'sql', params, sql: `select name from ${table} where name = :name` });

    expect(await names({ name: "d' or true --" })).toBe("d' or true --");
    expect(await names({ name: "x' or true --" })).toBe('');
    expect(await names({ name: '$1' })).toBe('');
  });

  it('hold a list as JSON', async () => {
    const params = [{ code: 'states', name: 'States', type: 'json', required: true }];
    const bySql = await newSource({
      kind: 'sql',
      params,
      sql: `select name from ${table} where state in (select jsonb_array_elements_text(:states)) order by 1`,
    });
    const byModel = await newSource({
      kind: 'model',
      params,
      modelCode,
      fields: ['name'],
      conditions: [{ fieldName: 'state', operator: 'in', value: '$params.states' }],
      sortFields: [{ fieldName: 'name', order: 'asc' }],
    });

    for (const { names } of [bySql, byModel]) expect(await names({ states: ['open'] })).toBe('a,b');
    expect(refusal(await byModel.ask({ states: [1] }))).toMatchObject({
      status: 400,
      data: { fieldErrors: { 'params.states': expect.any(String) } },
    });
    expect(refusal(await byModel.ask({ states: 'open' }))).toMatchObject({ status: 400 });
  });

  it('are shown by /api/meta/app as the JSON Schema of what a caller may send', async () => {
    const { code, token } = await newSource(OF_KINDS.sql());
    const { dataSources } = (await call('/api/meta/app', { token })).body.data;

    expect(dataSources).toMatchObject([
      { code, paramsSchema: { properties: { state: { title: 'State' }, least: { minimum: 0 } } } },
    ]);
  });

  it.each<[what: string, content: () => object, path: string]>([
    ['a name in SQL that is not declared', () => ({ kind: 'sql', sql: 'select :nope as x' }), 'content.sql'],
    [
      'one in a condition that is not declared',
      () => ({
        kind: 'model',
        modelCode,
        fields: ['name'],
        conditions: [{ fieldName: 'name', operator: 'eq', value: '$params.nope' }],
      }),
      'content.conditions',
    ],
    [
      'one that cannot be compared with its column',
      () => ({
        kind: 'sql',
        params: [{ code: 'at', name: 'At', type: 'date' }],
        sql: `select name\nfrom ${table} where size = :at`,
      }),
      'content.sql',
    ],
    [
      'one of another type than its field',
      () => ({
        kind: 'model',
        modelCode,
        fields: ['name'],
        params: [{ code: 'at', name: 'At', type: 'date' }],
        conditions: [{ fieldName: 'size', operator: 'eq', value: '$params.at' }],
      }),
      'content.conditions.0',
    ],
    [
      'a default of the wrong type',
      () => ({ kind: 'sql', params: [{ code: 'n', name: 'N', type: 'integer', default: 'x' }], sql: 'select :n as n' }),
      'content.params.0.default',
    ],
    ['params of static rows', () => ({ kind: 'static', rows: [], params: PARAMS }), 'content.params'],
  ])('refuse at the save %s', async (_what, content, path) => {
    const answer = await saving(content());
    expect(refusal(answer)).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
    expect(Object.keys(problemsIn(answer))).toEqual([path]);
  });

  it('say at the save where the SQL does not fit', async () => {
    const answer = await saving({
      kind: 'sql',
      params: PARAMS,
      sql: `select name,\n  :state as s, nope\nfrom ${table}`,
    });
    expect(problemsIn(answer)['content.sql']).toBe(
      'does not fit the models: column "nope" does not exist (line 2, column 16)',
    );
  });

  it('warn at the save where one is used nowhere', async () => {
    const answer = await saving({ kind: 'sql', params: PARAMS, sql: `select name from ${table} where size > :least` });
    expect(answer.body.data.warnings).toEqual([{ path: 'content.params.0', message: 'is used nowhere' }]);
  });
});
