import type { FieldContent } from '../../src/platform/metadata/field-types/field-content.ts';
import type { PageContent } from '../../src/platform/records/pages/page-content.ts';
import { call, list, type Answered } from '../support/api.ts';
import { insert, newCode, newModel, newRole, save, type TestModel } from '../support/models.ts';
import { failureOf } from '../support/platform.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

const fields: FieldContent[] = [
  { code: 'name', name: 'Name', type: 'string' },
  { code: 'state', name: 'State', type: 'enum', values: ['open', 'done'] },
  { code: 'amount', name: 'Amount', type: 'decimal' },
  { code: 'extra', name: 'Extra', type: 'json' },
  { code: 'owner', name: 'Owner', type: 'user' },
  { code: 'secret', name: 'Secret', type: 'integer', readPermission: true },
];

let tenant: TestTenant;
let model: TestModel;
let user: TestUser;

beforeAll(async () => {
  tenant = await newTenant();
  model = await newModel({ fields });
  user = await newUser([await newRole(model.permissions)], tenant);
});

/** Saves a page over the model; gives its key. */
async function newPage(content: Partial<PageContent>): Promise<string> {
  const code = newCode();
  await save('dev', pageOf(code, content));
  return code;
}

const pageOf = (code: string, content: object) => ({
  resourceType: 'PAGE_SCHEMA',
  code,
  content: { name: 'P', modelCode: model.code, columns: ['name'], ...content },
});
const equal = (fieldName: string, value: unknown) => ({ fieldName, operator: 'eq', value });

describe('a page', () => {
  it('declares columns, default sort, conditions, a form and commands', async () => {
    const content = {
      columns: ['name', { fieldName: 'amount', label: 'Total', format: 'currency:EUR', width: 120 }],
      sortFields: [{ fieldName: 'amount', order: 'desc' }],
      conditions: [equal('state', 'open'), { not: equal('owner', '$user.pid') }],
      form: { sections: [{ name: 'Basics', fields: ['name', 'state'], columns: 2 }, { fields: ['owner'] }] },
      commands: [model.command],
    } as const;

    await expect(save('dev', pageOf(newCode(), content))).resolves.toBeGreaterThan(0);
  });

  it.each<[object, string, string]>([
    [{ columns: ['nope'] }, 'columns.0', 'is not a field of {model}'],
    [{ columns: [{ fieldName: 'nope' }] }, 'columns.0.fieldName', 'is not a field of {model}'],
    [{ columns: [{ fieldName: 'name', colour: 1 }] }, 'columns.0.colour', 'is not a known key'],
    [{ columns: [7] }, 'columns.0', 'must be of one of the types string, object'],
    [{ columns: ['name', { fieldName: 'name' }] }, 'columns.1', 'is named twice'],
    [{ columns: [{ fieldName: 'state', format: 'currency:EUR' }] }, 'columns.0.format', 'must be one of badge'],
    [{ columns: [{ fieldName: 'extra', format: 'badge' }] }, 'columns.0.format', 'is not possible for json'],
    [{ sortFields: [{ fieldName: 'nope', order: 'asc' }] }, 'sortFields.0.fieldName', 'is not a field of {model}'],
    [
      { sortFields: [{ fieldName: 'extra', order: 'asc' }] },
      'sortFields.0.fieldName',
      'is a json field, which has no order',
    ],
    [{ conditions: [equal('nope', 1)] }, 'conditions.0', 'nope: is not a field of {model}'],
    [{ conditions: [equal('state', 'lost')] }, 'conditions.0', 'must be one of open, done'],
    [{ conditions: [equal('owner', '$nobody')] }, 'conditions.0', expect.stringContaining('must not name $nobody')],
    [{ conditions: [equal('amount', 'x')] }, 'conditions.0', 'amount: must be a decimal number'],
    [{ conditions: [equal('nope', '$params.x')] }, 'conditions.0', 'nope: is not a field of {model}'],
    [{ conditions: [equal('extra', '$params.x')] }, 'conditions.0', expect.stringMatching(/^extra: /)],
    [
      { conditions: [equal('state', 'open'), equal('amount', '$params.')] },
      'conditions.1',
      expect.stringContaining('must not name $params.'),
    ],
    [{ form: { sections: [{ fields: ['name', 'nope'] }] } }, 'form.sections.0.fields.1', 'is not a field of {model}'],
    [
      { form: { sections: [{ fields: ['name'] }, { fields: ['name'] }] } },
      'form.sections.1.fields.0',
      'is named twice',
    ],
    [{ commands: ['test:nothing'] }, 'commands.0', 'test:nothing is not a command'],
  ])('is checked against the model when it is saved: %j', async (content, path, problem) => {
    const { code, data } = await failureOf(save('dev', pageOf('p', content)));

    const found = Object.entries((data as { fieldErrors: object }).fieldErrors).map(([key, message]) => [
      key.replace('PAGE_SCHEMA/p ', ''),
      message,
    ]);
    const expected = typeof problem === 'string' ? problem.replace('{model}', model.code) : problem;
    expect({ code, found }).toEqual({ code: 'VALIDATION_ERROR', found: [[`content.${path}`, expected]] });
  });
});

describe('the conditions of a page', () => {
  it('bind every list and detail through it, and nothing that is read through other pages', async () => {
    const page = await newPage({ conditions: [equal('state', 'open'), equal('secret', 1)] });
    const [open, done] = await insert(tenant, model.code, [
      { name: 'a', state: 'open', secret: 1 },
      { name: 'b', state: 'done', secret: 1 },
    ]);
    const detail = (pageKey: string, pid = '') => call(`/api/dynamic/${pageKey}/${pid}`, { token: user.token });

    // Twice: totals are counted first, and then known.
    for (const _time of [1, 2, 3]) {
      const narrow = (await list(user.token, page)).body.data;
      expect({ total: narrow.total, pids: narrow.records.map(({ pid }: { pid: string }) => pid) }).toEqual({
        total: 1,
        pids: [open],
      });
      expect((await list(user.token, model.code)).body.data.total).toBe(2);
    }
    expect(await detail(page, open)).toMatchObject({ status: 200 });
    expect(await detail(page, done)).toMatchObject({ status: 404 });
    expect(await detail(model.code, done)).toMatchObject({ status: 200 });
  });

  it('may name the caller: each has a total of their own', async () => {
    const own = await newPage({ conditions: [equal('owner', '$user.pid')] });
    const other = await newUser([await newRole(model.permissions)], tenant);
    await insert(tenant, model.code, [{ owner: user.pid }, { owner: other.pid }, { owner: other.pid }]);

    for (const _time of [1, 2]) {
      expect((await list(user.token, own)).body.data.total).toBe(1);
      expect((await list(other.token, own)).body.data.total).toBe(2);
    }
  });
});

describe('conditions of a page that name $params', () => {
  const names = ({ body }: Answered) => body.data.records.map(({ name }: { name: string }) => name);
  const missing = { status: 400, errors: { 'extraParams.least': 'is required' } };
  const wrong = ({ status, body }: Answered) => ({ status, errors: body.data?.fieldErrors });
  let key: string;
  let reader: TestUser;
  let pids: readonly string[];

  beforeAll(async () => {
    const other = await newTenant();
    reader = await newUser([await newRole(model.permissions)], other);
    const conditions = [
      equal('state', 'open'),
      { or: [{ fieldName: 'amount', operator: 'gte', value: '$params.least' }, equal('name', '$$params.least')] },
    ];
    key = await newPage({ conditions });
    pids = await insert(other, model.code, [
      { name: 'a', amount: 1, state: 'open' },
      { name: 'b', amount: 5, state: 'open' },
      { name: 'c', amount: 9, state: 'done' },
      { name: '$params.least', amount: 0, state: 'open' },
    ]);
  });

  it('narrow its lists to the values of extraParams, all of which are needed', async () => {
    const of = (least: unknown, more: object = {}) => list(reader.token, key, { extraParams: { least }, ...more });
    // Totals of one value are never those of another.
    for (const _time of [1, 2]) {
      expect(names(await of(5))).toEqual(['$params.least', 'b']);
      expect((await of(5)).body.data.total).toBe(2);
      expect((await of(1)).body.data.total).toBe(3);
    }
    const { nextCursor: cursor } = (await of(1, { pageSize: 2 })).body.data;
    expect(names(await of(1, { cursor }))).toEqual(['a']);
    expect(wrong(await of(5, { cursor }))).toMatchObject({ status: 400 });
    expect(wrong(await of('x'))).toMatchObject({ status: 400 });
    expect(wrong(await list(reader.token, key))).toEqual(missing);
  });

  it('do so for queries, figures and exports', async () => {
    const asked = (path: string, body: object) =>
      call(`/api/dynamic/${key}/${path}`, { token: reader.token, body: { ...body, extraParams: { least: 5 } } });
    expect(names(await asked('query', {}))).toHaveLength(2);
    expect((await asked('aggregate', {})).body.data.rows).toEqual([{ count: 2 }]);
    const query = `extraParams=${encodeURIComponent('{"least":5}')}`;
    expect((await call(`/api/dynamic/${key}/stats?${query}`, { token: reader.token })).body.data.total).toBe(2);
    const file = await fetch(
      `${process.env.KEELSON_TEST_URL}/api/dynamic/${key}/export?format=csv&fields=name&${query}`,
      { headers: { authorization: `Bearer ${reader.token}` } },
    );
    expect(await file.text()).toBe('name\r\n$params.least\r\nb\r\n');
    for (const path of ['stats?', 'export?format=csv']) {
      expect(wrong(await call(`/api/dynamic/${key}/${path}`, { token: reader.token }))).toEqual(missing);
    }
    expect(wrong(await call(`/api/dynamic/${key}/aggregate`, { token: reader.token, body: {} }))).toEqual(missing);
  });

  it('bind no detail, which the other conditions do', async () => {
    const status = async (pid = '') => (await call(`/api/dynamic/${key}/${pid}`, { token: reader.token })).status;
    expect([await status(pids[0]), await status(pids[2])]).toEqual([200, 404]);
  });

  it("are asked in the caller's name: a hidden field is no condition of theirs", async () => {
    const page = await newPage({ conditions: [equal('secret', '$params.secret')] });
    const permission = `field:read:${model.code}.secret`;
    const answer = await list(reader.token, page, { extraParams: { secret: 1 } });
    expect(answer).toMatchObject({ status: 403, body: { data: { permission } } });
  });

  it('are named by GET /api/meta/app', async () => {
    const { body } = await call('/api/meta/app', { token: reader.token });
    const found = body.data.pages.find(({ pageKey }: { pageKey: string }) => pageKey === key);
    expect(found.params).toEqual(['least']);
  });
});

describe('a list through a page', () => {
  const codes = ({ body }: Answered) => body.data.records.map(({ name }: { name: string }) => name);
  let page: string;
  let reader: TestUser;

  beforeAll(async () => {
    const other = await newTenant();
    const sorted = (fieldName: string, order: 'asc' | 'desc') => ({ fieldName, order });
    page = await newPage({
      columns: ['name', { fieldName: 'amount' }, 'secret'],
      sortFields: [sorted('secret', 'asc'), sorted('amount', 'desc')],
    });
    reader = await newUser([await newRole(model.permissions)], other);
    user = await newUser([await newRole([...model.permissions, `field:read:${model.code}.secret`])], other);
    await insert(other, model.code, [
      { name: 'a', amount: 1, secret: 1 },
      { name: 'b', amount: 2, secret: 1 },
      { name: 'c', amount: 3, secret: 2 },
    ]);
  });

  it("is sorted as the page says, unless the request or the caller's permissions say otherwise", async () => {
    expect(codes(await list(user.token, page))).toEqual(['b', 'a', 'c']);
    // A hidden field orders nothing.
    expect(codes(await list(reader.token, page))).toEqual(['c', 'b', 'a']);
    expect(codes(await list(user.token, page, { sortField: 'name' }))).toEqual(['c', 'b', 'a']);
    expect(codes(await list(user.token, page, { sortOrder: 'asc' }))).toEqual(['a', 'b', 'c']);
    const { body } = await call(`/api/dynamic/${page}/query`, { token: user.token, body: {} });
    expect(body.data.records.map(({ name }: { name: string }) => name)).toEqual(['b', 'a', 'c']);
  });

  it('is walked by cursor in the order of the page', async () => {
    const first = (await list(user.token, page, { pageSize: 2 })).body.data;

    expect(codes(await list(user.token, page, { cursor: first.nextCursor }))).toEqual(['c']);
  });

  it("has the fields of the page's columns for fields=@columns", async () => {
    const fieldsOf = async ({ token }: TestUser) =>
      Object.keys((await list(token, page, { fields: '@columns', pageSize: 1 })).body.data.records[0]).sort();

    expect(await fieldsOf(user)).toEqual(['amount', 'id', 'name', 'pid', 'secret']);
    expect(await fieldsOf(reader)).toEqual(['amount', 'id', 'name', 'pid']);
  });
});
