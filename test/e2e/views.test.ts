import type { FieldContent } from '../../src/platform/metadata/field-types/field-content.ts';
import { call, list, type Answered, type CallOptions } from '../support/api.ts';
import { insert, newCode, newModel, newRole, save, type TestModel } from '../support/models.ts';
import { failureOf, runSql } from '../support/platform.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

const fields: FieldContent[] = [
  { code: 'name', name: 'Name', type: 'string' },
  { code: 'state', name: 'State', type: 'enum', values: ['open', 'done'] },
  { code: 'amount', name: 'Amount', type: 'integer' },
  { code: 'secret', name: 'Secret', type: 'integer', readPermission: true },
];
const equal = (fieldName: string, value: unknown) => ({ fieldName, operator: 'eq', value });

let tenant: TestTenant;
let model: TestModel;
let role: string;
let ada: TestUser;
let bea: TestUser;
let boss: TestUser;

beforeAll(async () => {
  tenant = await newTenant();
  model = await newModel({ fields });
  role = await newRole(model.permissions);
  const all = await newRole([...model.permissions, `field:read:${model.code}.secret`]);
  [ada, bea, boss] = await Promise.all([newUser([role], tenant), newUser([role], tenant), newUser([all], tenant)]);
  await insert(tenant, model.code, [
    { name: 'a', state: 'open', amount: 1, secret: 1 },
    { name: 'b', state: 'open', amount: 3, secret: 2 },
    { name: 'c', state: 'done', amount: 2, secret: 1 },
  ]);
});

const views = ({ token }: TestUser, path = '', options: CallOptions = {}): Promise<Answered> =>
  call(`/api/views${path}`, { ...options, token });
const create = (user: TestUser, body: object): Promise<Answered> =>
  views(user, '', { body: { name: 'V', pageKey: model.code, ...body } });
const names = ({ body }: Answered): string[] => body.data.records.map(({ name }: { name: string }) => name);
const wrong = ({ status, body }: Answered) => ({ status, errors: body.data?.fieldErrors });
const byAmount = [{ fieldName: 'amount', order: 'desc' }];

/** Saves a VIEW resource; gives its pid. */
async function offer(content: object): Promise<string> {
  const code = newCode();
  await save('dev', { resourceType: 'VIEW', code, content: { name: code, pageKey: model.code, ...content } });
  const [row] = await runSql<{ pid: string }>(`select pid from platform.dsl_resource where code = $1`, [code]);
  return row?.pid ?? '';
}

describe("a view of one's own", () => {
  it('is made, read, changed and removed by its user alone', async () => {
    const parts = { conditions: [equal('state', 'open')], sortFields: byAmount, columns: ['name', 'amount'] };
    const made = await create(ada, parts);
    const { pid } = made.body.data;
    expect(made.body.data).toEqual({
      pid: expect.any(String),
      name: 'V',
      pageKey: model.code,
      scope: 'private',
      display: {},
      ...parts,
    });

    const renamed = await views(ada, `/${pid}`, { method: 'PATCH', body: { name: 'W', columns: ['name'] } });
    expect(renamed.body.data).toEqual({ ...made.body.data, name: 'W', columns: ['name'] });
    expect((await views(ada, `?pageKey=${model.code}`)).body.data).toEqual([renamed.body.data]);
    expect((await views(ada, `?pageKey=other`)).body.data).toEqual([]);
    for (const stranger of [bea, await newUser(['ADMIN'], await newTenant())]) {
      expect(await views(stranger, `/${pid}`)).toMatchObject({ status: 404 });
      expect(await views(stranger, `/${pid}`, { method: 'PATCH', body: { name: 'X' } })).toMatchObject({ status: 404 });
      expect(await views(stranger, `/${pid}`, { method: 'DELETE' })).toMatchObject({ status: 404 });
      expect((await views(stranger)).body.data).toEqual([]);
    }
    expect(await views(ada, `/${pid}`, { method: 'DELETE' })).toMatchObject({ status: 200 });
    expect(await views(ada, `/${pid}`)).toMatchObject({ status: 404 });
  });

  it.each<[object, Record<string, string>]>([
    [{ pageKey: 'nothing' }, { pageKey: 'There is no such page' }],
    [{ columns: ['nope'] }, { 'columns.0': 'is not a field of {model}' }],
    [{ conditions: [equal('nope', 1)] }, { 'conditions.0': 'nope: is not a field of {model}' }],
    [
      { conditions: [equal('amount', 'x')] },
      { 'conditions.0': expect.stringContaining('amount: must be a whole number') },
    ],
    [{ sortFields: [{ fieldName: 'nope', order: 'asc' }] }, { 'sortFields.0.fieldName': 'is not a field of {model}' }],
    [{ scope: 'public' }, { scope: expect.any(String) }],
  ])('is checked when it is saved: %j', async (parts, errors) => {
    const expected = Object.entries(errors).map(([path, problem]) => [
      path,
      typeof problem === 'string' ? problem.replace('{model}', model.code) : problem,
    ]);
    expect(wrong(await create(ada, parts))).toEqual({ status: 400, errors: Object.fromEntries(expected) });
  });

  it('names no field that its user may not read', async () => {
    const permission = `field:read:${model.code}.secret`;
    for (const parts of [{ conditions: [equal('secret', 1)] }, { columns: ['secret'] }]) {
      expect(await create(ada, parts)).toMatchObject({ status: 403, body: { data: { permission } } });
    }
  });
});

describe('a list with viewId', () => {
  it("joins the view's conditions with those of the request, and takes its order and its columns", async () => {
    const parts = { conditions: [equal('state', 'open')], sortFields: byAmount, columns: ['name'] };
    const viewId = (await create(ada, parts)).body.data.pid as string;

    expect(names(await list(ada.token, model.code, { viewId }))).toEqual(['b', 'a']);
    expect(names(await list(ada.token, model.code, { viewId, sortField: 'amount', sortOrder: 'asc' }))).toEqual([
      'a',
      'b',
    ]);
    const narrow = await list(ada.token, model.code, { viewId, filters: [equal('amount', 1)], fields: '@columns' });
    expect(narrow.body.data.records).toEqual([{ id: expect.any(String), pid: expect.any(String), name: 'a' }]);
    expect(narrow.body.data.total).toBe(1);
    const query = await call(`/api/dynamic/${model.code}/query`, { token: ada.token, body: { viewId, pageSize: 1 } });
    expect(names(query)).toEqual(['b']);
    const { nextCursor: cursor } = query.body.data;
    expect(names(await list(ada.token, model.code, { viewId, cursor }))).toEqual(['a']);
    expect(wrong(await list(ada.token, model.code, { cursor }))).toMatchObject({ status: 400 });
  });

  it('is 400 for a view of somebody else, of another page, or of nothing', async () => {
    const { pid } = (await create(bea, {})).body.data;
    const refused = { status: 400, errors: { viewId: 'There is no such view' } };

    expect(wrong(await list(ada.token, model.code, { viewId: pid }))).toEqual(refused);
    expect(wrong(await list(ada.token, model.code, { viewId: 'nothing' }))).toEqual(refused);
    const other = await newModel({ fields });
    const both = await newUser([await newRole([...model.permissions, ...other.permissions])], tenant);
    const viewId = (await create(both, {})).body.data.pid as string;
    expect(wrong(await list(both.token, other.code, { viewId }))).toEqual(refused);
  });

  it('puts extraParams in the place of $params, all of which are needed', async () => {
    const conditions = [
      { fieldName: 'state', operator: 'in', value: '$params.states' },
      equal('amount', '$params.amount'),
    ];
    const viewId = (await create(ada, { conditions })).body.data.pid as string;
    const listed = (extraParams: object) => list(ada.token, model.code, { viewId, extraParams });

    expect(names(await listed({ states: ['open', 'done'], amount: 2 }))).toEqual(['c']);
    expect(wrong(await listed({ states: ['open'] }))).toEqual({
      status: 400,
      errors: { 'extraParams.amount': 'is required' },
    });
    expect(wrong(await listed({ states: ['open'], amount: 'x' }))).toMatchObject({ status: 400 });
  });
});

describe('a VIEW resource', () => {
  const offered = async (user: TestUser, pid: string): Promise<boolean> => {
    const [listed, app] = await Promise.all([views(user), call('/api/meta/app', { token: user.token })]);
    const has = (all: { pid: string }[]): boolean => all.some((view) => view.pid === pid);
    expect(has(listed.body.data)).toBe(has(app.body.data.views));
    const { status } = await list(user.token, model.code, { viewId: pid });
    expect(status).toBe(has(listed.body.data) ? 200 : 400);
    return status === 200;
  };

  it('is offered to all who read its page, or to one role', async () => {
    const stranger = await newUser([await newRole([])], tenant);
    const [everyone, some] = [await offer({ columns: ['name', 'secret'] }), await offer({ role })];

    expect([await offered(ada, everyone), await offered(boss, everyone)]).toEqual([true, true]);
    expect([await offered(ada, some), await offered(boss, some)]).toEqual([true, false]);
    expect((await views(stranger)).body.data).toEqual([]);
    expect((await views(ada, `/${everyone}`)).body.data).toMatchObject({ scope: 'public', columns: ['name'] });
    expect((await views(ada, `/${some}`)).body.data).toMatchObject({ scope: 'role', role });
    expect(await views(ada, `/${some}`, { method: 'DELETE' })).toMatchObject({ status: 404 });
  });

  it('is unknown to those who may not read what it asks for', async () => {
    const [filtered, sorted] = [
      await offer({ conditions: [equal('secret', 1)] }),
      await offer({ sortFields: [{ fieldName: 'secret', order: 'asc' }] }),
    ];

    for (const pid of [filtered, sorted]) {
      expect([await offered(ada, pid), await offered(boss, pid)]).toEqual([false, true]);
    }
  });

  it('is checked against the model of its page, and keeps its fields there', async () => {
    const draft = (content: object) => ({ resourceType: 'VIEW', code: 'v', content: { name: 'V', ...content } });
    expect(await failureOf(save('dev', draft({ pageKey: 'nothing', role: 'NOBODY' })))).toMatchObject({
      data: {
        fieldErrors: {
          'VIEW/v content.pageKey': expect.any(String),
          'VIEW/v content.role': 'NOBODY is not a role',
        },
      },
    });
    expect(await failureOf(save('dev', draft({ pageKey: model.code, columns: ['nope'] })))).toMatchObject({
      data: { fieldErrors: { 'VIEW/v content.columns.0': `is not a field of ${model.code}` } },
    });
  });
});
