import { call, type Answered } from '../support/api.ts';
import { changeModel, insert, newCode, newModel, newRole, save, type TestModel } from '../support/models.ts';
import { failureOf } from '../support/platform.ts';
import { newTenant, newUser, type TestTenant } from '../support/world.ts';

const fields = [
  { code: 'name', name: 'Name', type: 'string' as const },
  { code: 'state', name: 'State', type: 'enum' as const, values: ['open', 'won'] },
  { code: 'amount', name: 'Amount', type: 'decimal' as const },
  { code: 'day', name: 'Day', type: 'date' as const },
  { code: 'at', name: 'At', type: 'datetime' as const },
  { code: 'secret', name: 'Secret', type: 'integer' as const, readPermission: true },
];
const dashboard = newCode();
const source = newCode();
let tenant: TestTenant;
let model: TestModel;
let reader: string;

const tile = (code: string, rest: object): object => ({ code, title: code, kind: 'number', page: model.code, ...rest });
const equal = (fieldName: string, value: unknown) => ({ fieldName, operator: 'eq', value });
const draft = (tiles: readonly object[], code = dashboard) => {
  return { resourceType: 'DASHBOARD', code, content: { name: 'Figures', tiles } };
};
const read = (token: string, path = ''): Promise<Answered> => call(`/api/dashboards${path}`, { token });
const rows = async (token: string, code: string) => (await read(token, `/${dashboard}/tiles/${code}`)).body.data;
const refused = async (...tiles: object[]): Promise<Record<string, string>> => {
  const { data } = await failureOf(save('dev', draft(tiles, newCode())));
  const { fieldErrors } = data as { readonly fieldErrors: Record<string, string> };
  return Object.fromEntries(
    Object.entries(fieldErrors).map(([path, told]) => [path.replace(/^.*content\.tiles\./, ''), told]),
  );
};

beforeAll(async () => {
  tenant = await newTenant();
  model = await newModel({ fields });
  await insert(tenant, model.code, [
    { name: 'a', state: 'open', amount: '1.5', day: '2026-01-05', at: '2026-01-31T20:00:00Z', secret: 7 },
    { name: 'b', state: 'open', amount: '2', day: '2026-01-20', at: '2026-01-31T10:00:00Z', secret: 8 },
    { name: 'c', state: 'won', amount: '4', day: '2026-02-01' },
  ]);
  await insert(await newTenant(), model.code, [{ name: 'of others', state: 'won', amount: '100' }]);
  const content = { name: 'Rows', kind: 'static', rows: [{ label: 'x', count: 2 }] };
  await save('dev', { resourceType: 'DATASOURCE', code: source, content });
  await save(
    'dev',
    draft([
      tile('won', { conditions: [equal('state', 'won')] }),
      tile('sum', {
        aggregate: { measures: [{ fn: 'sum', fieldName: 'amount', as: 'total', label: 'Total' }] },
        conditions: [equal('state', 'open')],
        compareWith: { label: 'won', conditions: [equal('state', 'won')] },
      }),
      tile('by_state', { kind: 'bar', aggregate: { groupBy: [{ fieldName: 'state' }] } }),
      tile('by_month', { kind: 'line', width: 12, aggregate: { groupBy: [{ fieldName: 'day', part: 'month' }] } }),
      tile('trend', {
        aggregate: { measures: [{ fn: 'sum', fieldName: 'amount', as: 'total' }] },
        trend: { fieldName: 'day', part: 'day', points: 2 },
      }),
      tile('by_moment', { kind: 'table', aggregate: { groupBy: [{ fieldName: 'at', part: 'month' }] } }),
      tile('in_utc', { kind: 'table', aggregate: { groupBy: [{ fieldName: 'at', part: 'month', timeZone: 'UTC' }] } }),
      tile('hidden', { kind: 'table', aggregate: { groupBy: [{ fieldName: 'secret' }] } }),
      tile('by_hidden', { conditions: [equal('secret', 7)] }),
      { code: 'listed', title: 'Listed', kind: 'table', dataSource: source },
    ]),
  );
  const role = await newRole([...model.permissions, `dashboard:read:${dashboard}`, `datasource:read:${source}`]);
  reader = (await newUser([role], tenant)).token;
});

describe('GET /api/dashboards', () => {
  it('lists what the caller may read, as meta/app does', async () => {
    const expected = [{ code: dashboard, name: 'Figures' }];
    expect((await read(reader)).body.data).toEqual(expected);
    expect((await call('/api/meta/app', { token: reader })).body.data.dashboards).toEqual(expected);

    const other = await newUser([await newRole(model.permissions)], tenant);
    expect((await read(other.token)).body.data).toEqual([]);
    expect(await read(other.token, `/${dashboard}`)).toMatchObject({
      status: 403,
      body: { data: { permission: `dashboard:read:${dashboard}` } },
    });
  });
});

describe('GET /api/dashboards/{code}', () => {
  it('has the tiles without those that show what is hidden from the caller, or whose source they may not read', async () => {
    const { data } = (await read(reader, `/${dashboard}`)).body;

    expect(data.tiles.map(({ code }: { code: string }) => code)).toEqual([
      'won',
      'sum',
      'by_state',
      'by_month',
      'trend',
      'by_moment',
      'in_utc',
      'listed',
    ]);
    expect(data.tiles[1]).toEqual({
      code: 'sum',
      title: 'sum',
      kind: 'number',
      width: 3,
      pageKey: model.code,
      conditions: [equal('state', 'open')],
      comparison: { label: 'won' },
      columns: [{ name: 'total', label: 'Total', type: 'decimal', isGroup: false, fieldName: 'amount' }],
    });
    expect(data.tiles[3].columns).toEqual([
      { name: 'day', label: 'Day', type: 'date', isGroup: true, fieldName: 'day', part: 'month' },
      { name: 'count', label: null, type: 'integer', isGroup: false },
    ]);
    const few = await newUser([await newRole([`dashboard:read:${dashboard}`])], tenant);
    expect((await read(few.token, `/${dashboard}`)).body.data.tiles).toEqual([]);
  });
});

describe('GET /api/dashboards/{code}/tiles/{tile}', () => {
  it("answers figures of the caller's tenant, with those that they are compared with", async () => {
    expect(await rows(reader, 'won')).toEqual({ rows: [{ count: 1 }], truncated: false });
    expect(await rows(reader, 'sum')).toEqual({
      rows: [{ total: '3.5' }],
      previous: [{ total: '4' }],
      truncated: false,
    });
    expect((await rows(reader, 'by_state')).rows).toEqual([
      { state: 'open', count: 2 },
      { state: 'won', count: 1 },
    ]);
    expect((await rows(reader, 'by_month')).rows).toEqual([
      { day: '2026-01-01', count: 2 },
      { day: '2026-02-01', count: 1 },
    ]);
    expect((await rows(reader, 'listed')).rows).toEqual([{ label: 'x', count: 2 }]);
  });

  it('has the trend of a number: its newest parts of a date, the oldest first', async () => {
    expect(await rows(reader, 'trend')).toEqual({
      rows: [{ total: '7.5' }],
      trend: [
        { at: '2026-01-20', value: '2' },
        { at: '2026-02-01', value: '4' },
      ],
      truncated: false,
    });
  });

  it('takes months of moments in the zone of the reader, where the tile names none', async () => {
    const inShanghai = async (code: string) => (await rows(reader, `${code}?timeZone=Asia/Shanghai`)).rows;
    expect((await rows(reader, 'by_moment')).rows.slice(0, 1)).toEqual([{ at: '2026-01-01', count: 2 }]);
    expect((await inShanghai('by_moment')).slice(0, 2)).toEqual([
      { at: '2026-01-01', count: 1 },
      { at: '2026-02-01', count: 1 },
    ]);
    expect(await inShanghai('in_utc')).toEqual((await rows(reader, 'in_utc')).rows);
    expect(await inShanghai('by_month')).toEqual((await rows(reader, 'by_month')).rows);
    expect(await read(reader, `/${dashboard}/tiles/by_moment?timeZone=Mars`)).toMatchObject({ status: 400 });
  });

  it('refuses what is hidden from the caller, and what is not there', async () => {
    const refusal = { status: 403, body: { data: { permission: `field:read:${model.code}.secret` } } };
    for (const code of ['hidden', 'by_hidden']) {
      expect(await read(reader, `/${dashboard}/tiles/${code}`)).toMatchObject(refusal);
    }
    expect(await read(reader, `/${dashboard}/tiles/none`)).toMatchObject({ status: 404 });
    const boss = await newUser(['PLATFORM_ADMIN'], tenant);
    expect(await read(boss.token, `/${newCode()}`)).toMatchObject({ status: 404 });
    expect((await rows(boss.token, 'by_hidden')).rows).toEqual([{ count: 1 }]);
  });
});

describe('POST /api/dashboards/preview', () => {
  const preview = (token: string, drawn: object) => call('/api/dashboards/preview', { token, body: { tile: drawn } });
  const newAuthor = async () => (await newUser(['PLATFORM_ADMIN'], tenant)).token;

  it('answers a tile that is not saved with its rows, for authors alone', async () => {
    const drawn = tile('sum', {
      aggregate: { measures: [{ fn: 'sum', fieldName: 'amount', as: 'total', label: 'Total' }] },
      compareWith: { conditions: [equal('state', 'won')] },
    });
    const { data } = (await preview(await newAuthor(), drawn)).body;

    expect(data).toMatchObject({
      tile: {
        code: 'sum',
        kind: 'number',
        width: 3,
        pageKey: model.code,
        columns: [{ name: 'total', label: 'Total' }],
      },
      rows: [{ total: '7.5' }],
      previous: [{ total: '4' }],
    });
    expect(await preview(reader, drawn)).toMatchObject({
      status: 403,
      body: { data: { permission: 'admin:metadata' } },
    });
  });

  it('says what a save would refuse, at the key of the tile', async () => {
    const author = await newAuthor();
    const problemsOf = async (drawn: object) => (await preview(author, drawn)).body.data.fieldErrors;
    const drawn = { kind: 'bar', aggregate: { groupBy: [{ fieldName: 'stat' }] } };

    expect(Object.keys(await problemsOf(tile('by', drawn)))).toEqual(['tile.aggregate.groupBy.0.fieldName']);
    expect(await problemsOf(tile('by', { ...drawn, page: 'no_such_page' }))).toHaveProperty(['tile.page']);
    expect(await problemsOf(tile('by', { ...drawn, kind: 'pie' }))).toHaveProperty(['tile.kind']);
  });
});

describe('a dashboard that is saved', () => {
  it.each<[string, () => object, string, string]>([
    ['an unknown page', () => ({ page: 'nothing' }), '0.page', ''],
    ['neither page nor source', () => ({ page: undefined }), '0.page', 'is required'],
    ['an unknown source', () => ({ page: undefined, dataSource: 'nothing', kind: 'table' }), '0.dataSource', ''],
    ['page and source', () => ({ dataSource: source }), '0.dataSource', 'is not beside page'],
    [
      'an unknown field',
      () => ({ aggregate: { measures: [{ fn: 'sum', fieldName: 'nope', as: 'x' }] } }),
      '0.aggregate.measures.0.fieldName',
      'is not a field of',
    ],
    [
      'a sum of texts',
      () => ({ aggregate: { measures: [{ fn: 'sum', fieldName: 'name', as: 'x' }] } }),
      '0.aggregate.measures.0.fn',
      'is not for a string field',
    ],
    ['a condition', () => ({ conditions: [equal('state', 'gone')] }), '0.conditions.0', ''],
    ['a param in a condition', () => ({ conditions: [equal('name', '$params.x')] }), '0.conditions.0', ''],
    [
      'a condition to compare with',
      () => ({ compareWith: { conditions: [equal('nope', 1)] } }),
      '0.compareWith.conditions.0',
      '',
    ],
    [
      'a number with groups',
      () => ({ aggregate: { groupBy: [{ fieldName: 'state' }] } }),
      '0.aggregate.groupBy',
      'is not for number',
    ],
    [
      'a trend of bars',
      () => ({
        kind: 'bar',
        aggregate: { groupBy: [{ fieldName: 'state' }] },
        trend: { fieldName: 'day', part: 'day' },
      }),
      '0.trend',
      'is not for bar',
    ],
    [
      'a trend along no date',
      () => ({ trend: { fieldName: 'name', part: 'day' } }),
      '0.trend.part',
      'is for a date or a datetime',
    ],
    ['a bar without a group', () => ({ kind: 'bar' }), '0.aggregate.groupBy', 'must hold exactly 1'],
    [
      'a line that is not of a time',
      () => ({ kind: 'line', aggregate: { groupBy: [{ fieldName: 'state' }] } }),
      '0.aggregate.groupBy.0.fieldName',
      'must be a date or a datetime',
    ],
    [
      'bars of days',
      () => ({
        kind: 'bar',
        aggregate: { groupBy: [{ fieldName: 'state' }], measures: [{ fn: 'max', fieldName: 'day', as: 'd' }] },
      }),
      '0.aggregate.measures.0.fn',
      'is not for a date field',
    ],
    [
      'a time zone',
      () => ({ kind: 'table', aggregate: { groupBy: [{ fieldName: 'day', timeZone: 'Mars/Base' }] } }),
      '0.aggregate.groupBy.0.timeZone',
      'is not the name of a time zone',
    ],
    [
      'a column that the source lacks',
      () => ({ page: undefined, dataSource: source, columns: [{ name: 'nope' }] }),
      '0.columns.0.name',
      'is no column of',
    ],
    [
      'a param that the source lacks',
      () => ({ page: undefined, dataSource: source, kind: 'table', params: { a: 1 } }),
      '0.params.a',
      '',
    ],
  ])('is refused for %s', async (_what, content, path, problem) => {
    expect(await refused(tile('t', content()))).toEqual({ [path]: expect.stringContaining(problem) });
  });

  it('is refused for two tiles of one code', async () => {
    expect(await refused(tile('a', {}), tile('a', {}))).toEqual({ '1.code': 'is named twice' });
  });

  it('is not broken by a later change of its model', async () => {
    const without = fields.filter(({ code }) => code !== 'amount');
    const failure = await failureOf(changeModel(model, { fields: without }));

    expect(JSON.stringify(failure.data)).toContain('aggregate.measures.0.fieldName');
  });
});
