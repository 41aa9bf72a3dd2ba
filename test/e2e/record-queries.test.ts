import { call, execute, list, type Answered } from '../support/api.ts';
import { insert, newCode, newModel, newRole, save, type TestModel } from '../support/models.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

type Query = Record<string, unknown>;

const VALIDATION = { code: 'VALIDATION_ERROR', message: 'The request is not valid' };

const namesOf = ({ body }: Answered): string[] => body.data.records.map(({ name }: { name: string }) => name);

describe('a walk by cursor', () => {
  let token: string;
  let model: TestModel;
  let other: TestModel;

  beforeAll(async () => {
    const fields = [{ code: 'name', name: 'Name', type: 'string' as const }];
    [model, other] = await Promise.all([newModel({ fields }), newModel({ fields })]);
    const tenant = await newTenant();
    ({ token } = await newUser([await newRole([...model.permissions, ...other.permissions])], tenant));
    await insert(
      tenant,
      model.code,
      ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name })),
    );
    await insert(tenant, other.code, [{ name: 'a' }]);
  });

  const sort = { sortField: 'name', sortOrder: 'asc' };
  const get = (query: Query, page = model.code): Promise<Answered> => list(token, page, query);

  it('goes on behind the last record, by nextCursor or by its id, until nextCursor is null', async () => {
    const first = await get({ ...sort, pageSize: 2 });
    const second = await get({ ...sort, pageSize: 2, cursor: first.body.data.nextCursor });
    const third = await get({ ...sort, pageSize: 2, cursor: second.body.data.records[1].id });

    expect([first, second, third].map(namesOf)).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
    expect(second.body.data).toMatchObject({ total: null, pageNum: null, pageSize: 2 });
    expect(third.body.data.nextCursor).toBeNull();
    const counted = await get({ ...sort, count: 'exact', cursor: first.body.data.nextCursor });
    expect(counted.body.data).toMatchObject({ total: 5, records: [{}, {}, {}] });
  });

  it('cannot go on with another page, filter, keyword or order, nor with a cursor that was changed', async () => {
    const { nextCursor } = (await get({ ...sort, pageSize: 2 })).body.data;
    const filters = [{ fieldName: 'name', operator: 'ne', value: 'z' }];
    const refused = await Promise.all([
      get({ ...sort, cursor: nextCursor, filters }),
      get({ ...sort, cursor: nextCursor, keyword: 'a' }),
      get({ ...sort, cursor: nextCursor, sortOrder: 'desc' }),
      get({ cursor: nextCursor }),
      get({ ...sort, cursor: nextCursor }, other.code),
      get({ ...sort, cursor: nextCursor.replace(/.{5}$/, 'AAAAA') }),
      get({ ...sort, cursor: 'WyJhIl0' }),
      get({ ...sort, cursor: '999999999999999999' }),
      get({ ...sort, cursor: '99999999999999999999999' }),
    ]);

    for (const { status, body } of refused) {
      expect({ status, body }).toEqual({
        status: 400,
        body: {
          ...VALIDATION,
          data: { fieldErrors: { cursor: expect.stringMatching(/^is not (of this list|the id)/) } },
        },
      });
    }
    expect((await get({ ...sort, cursor: nextCursor, pageNum: 1 })).body.data.fieldErrors).toEqual({
      pageNum: 'is not for a page after a cursor',
    });
  });

  it('is hinted at from 100,000 records on, where pages go on working', async () => {
    const deep = await get({ pageNum: 201, pageSize: 500 });

    expect(deep).toMatchObject({ status: 200, body: { data: { records: [], total: 5 } } });
    expect(deep.headers.get('x-prefer')).toBe('cursor');
    expect((await get({ pageNum: 200, pageSize: 500 })).headers.has('x-prefer')).toBe(false);
  });

  it('POST /api/dynamic/{pageKey}/query answers as the list, with the same cursors', async () => {
    const query = (body: object) => call(`/api/dynamic/${model.code}/query`, { token, body });
    const sortFields = [{ fieldName: 'name', order: 'asc' }];
    const first = await query({ sortFields, pageSize: 2, fields: ['name'] });

    expect(first).toMatchObject({ status: 200, body: { data: { total: 5, pageNum: 1, pageSize: 2 } } });
    expect(Object.keys(first.body.data.records[0])).toEqual(['id', 'pid', 'name']);
    expect(namesOf(await query({ sortFields, cursor: first.body.data.nextCursor }))).toEqual(['c', 'd', 'e']);
    expect(namesOf(await get({ ...sort, cursor: first.body.data.nextCursor }))).toEqual(['c', 'd', 'e']);
    const wrong = await query({ conditions: {}, sortFields: [{ fieldName: 'nope' }] });
    expect(wrong).toMatchObject({
      status: 400,
      body: { data: { fieldErrors: { 'sortFields.0.fieldName': `is not a field of ${model.code}` } } },
    });
    expect((await query({ conditions: {} })).body.data.fieldErrors).toEqual({
      conditions: 'must be a JSON array of conditions',
    });
    expect((await call('/api/dynamic/nowhere/query', { token, body: {} })).status).toBe(404);
  });
});

describe('variables in the conditions of a list', () => {
  it('stand for each caller alone, in records and totals, and for the time', async () => {
    const model = await newModel({ fields: [{ code: 'name', name: 'Name', type: 'string' }] });
    const role = await newRole(model.permissions);
    const tenant = await newTenant();
    const [one, other] = await Promise.all([newUser([role], tenant), newUser([role], tenant)]);
    await execute(one.token, model.command, { payload: { name: 'a' } });
    await execute(one.token, model.command, { payload: { name: 'b' } });
    await execute(other.token, model.command, { payload: { name: '$me' } });
    const mine = [{ fieldName: 'created_by', operator: 'eq', value: '$me' }];
    const recent = (value: string) => [{ fieldName: 'created_at', operator: 'gt', value }];
    const total = async (token: string, filters: unknown): Promise<unknown> =>
      (await list(token, model.code, { filters })).body.data.total;

    for (let round = 0; round < 3; round += 1) {
      expect([await total(one.token, mine), await total(other.token, mine)]).toEqual([2, 1]);
    }
    expect([await total(one.token, recent('$now(-1h)')), await total(one.token, recent('$now(+1h)'))]).toEqual([3, 0]);
    expect(await total(one.token, [{ fieldName: 'name', operator: 'eq', value: '$$me' }])).toBe(1);
    const refused = await list(one.token, model.code, { filters: recent('$now(-1x)') });
    expect(refused.body.data.fieldErrors).toEqual({
      created_at: expect.stringMatching(/^filters\.0\.value \$now\(-1x\) needs an offset such as -7d/),
    });
  });
});

describe('expand', () => {
  it('answers related records in lists, queries and details, and is refused where it leads nowhere', async () => {
    const account = await newModel({ fields: [{ code: 'name', name: 'Name', type: 'string' }] });
    const relation = { code: 'account', name: 'Account', type: 'relation' as const, target: account.code };
    const contact = await newModel({ fields: [{ code: 'name', name: 'Name', type: 'string' }, relation] });
    const tenant = await newTenant();
    const [both, one] = await Promise.all([
      newUser([await newRole([...account.permissions, ...contact.permissions])], tenant),
      newUser([await newRole(contact.permissions)], tenant),
    ]);
    const [pid = ''] = await insert(tenant, account.code, [{ name: 'Acme' }]);
    const names = Array.from({ length: 21 }, (_, index) => ({ name: `c${index}`, account: pid }));
    await insert(tenant, contact.code, names);
    const toMany = `${contact.code}.account`;

    const listed = await list(both.token, contact.code, { expand: 'account', fields: 'name', pageSize: 2 });
    const [first] = listed.body.data.records;
    expect(Object.keys(first)).toEqual(['id', 'pid', 'name', 'account', 'expanded']);
    expect(first).toMatchObject({ account: pid, expanded: { account: { pid, name: 'Acme' } } });
    const queried = await call(`/api/dynamic/${contact.code}/query`, {
      token: both.token,
      body: { expand: ['account'] },
    });
    expect(queried.body.data.records[0].expanded.account.pid).toBe(pid);
    const detail = (page: string, id: string, expand: string, token = both.token): Promise<Answered> =>
      call(`/api/dynamic/${page}/${id}?expand=${expand}`, { token });
    const { expanded } = (await detail(account.code, pid, `${toMany}.account`)).body.data;
    expect(expanded[toMany]).toMatchObject({ total: 21, records: expect.any(Array) });
    expect(expanded[toMany].records).toHaveLength(20);
    expect(expanded[toMany].records[0]).toMatchObject({ name: 'c20', expanded: { account: { name: 'Acme' } } });
    for (const answered of [
      await detail(contact.code, first.pid, 'account', one.token),
      await list(one.token, contact.code, { expand: 'account' }),
      await detail(contact.code, first.pid, 'account.nope'),
    ]) {
      expect(answered.body.data.fieldErrors.expand).toMatch(/^account\S* is not a relation of /);
    }
  });
});

describe('GET /api/dynamic/{pageKey}/options/{fieldCode}', () => {
  const text = (code: string) => ({ code, name: code, type: 'string' as const, searchable: true });
  let account: TestModel;
  let plain: TestModel;
  let model: TestModel;
  let tenant: TestTenant;
  let pids: string[];

  const options = async ({ token }: TestUser, field: string, query = '', language = 'en'): Promise<Answered> =>
    call(`/api/dynamic/${model.code}/options/${field}${query}`, { token, headers: { 'Accept-Language': language } });
  const userWith = async (codes: string[]) => newUser([await newRole([...model.permissions, ...codes])], tenant);

  beforeAll(async () => {
    const rowRules = [{ name: 'Seen', unless: 'all', conditions: [{ fieldName: 'size', operator: 'ne', value: 3 }] }];
    const size = { code: 'size', name: 'Size', type: 'integer' as const };
    account = await newModel({ fields: [size, { ...text('secret'), readPermission: true }, text('name')], rowRules });
    plain = await newModel({ fields: [size] });
    const key = newCode();
    await save('dev', { resourceType: 'I18N', code: key, content: { locale: 'en', messages: { [key]: 'In work' } } });
    const to = (code: string, target: string) => ({ code, name: code, type: 'relation' as const, target });
    model = await newModel({
      fields: [
        text('name'),
        { code: 'state', name: 'State', type: 'enum', values: ['Open', `$i18n:${key}`, 'won'] },
        to('account', account.code),
        { ...to('hidden', account.code), readPermission: true },
        to('plain', plain.code),
        { code: 'owner', name: 'Owner', type: 'user' },
      ],
    });
    tenant = await newTenant();
    pids = await insert(tenant, account.code, [
      { name: 'Acme', secret: 'zeta' },
      { secret: 'x' },
      { name: '100% Acme' },
      { name: 'Acme unseen', size: 3 },
    ]);
    await insert(await newTenant(), account.code, [{ name: 'Acme elsewhere' }]);
  });

  it('gives the values of an enum, in the language of the request', async () => {
    const user = await userWith([]);

    expect((await options(user, 'state')).body.data).toMatchObject([
      { value: 'Open', label: 'Open' },
      { value: expect.stringContaining('$i18n:'), label: 'In work' },
      { value: 'won', label: 'won' },
    ]);
    expect((await options(user, 'state', '?keyword=IN%20')).body.data).toMatchObject([{ label: 'In work' }]);
  });

  it('gives the records that a relation may lead to, by the first text that the caller may search', async () => {
    const user = await userWith([...account.permissions, ...plain.permissions]);
    const sighted = await userWith([...account.permissions, `field:read:${account.code}.secret`]);

    expect((await options(user, 'account')).body.data).toEqual([
      { value: pids[2], label: '100% Acme' },
      { value: pids[1], label: pids[1] },
      { value: pids[0], label: 'Acme' },
    ]);
    expect((await options(user, 'account', '?keyword=100%25')).body.data).toEqual([
      { value: pids[2], label: '100% Acme' },
    ]);
    expect((await options(user, 'account', '?keyword=zeta')).body.data).toEqual([]);
    expect((await options(sighted, 'account', '?keyword=zeta')).body.data).toEqual([{ value: pids[0], label: 'zeta' }]);
    const made = await insert(tenant, plain.code, Array(51).fill({}));
    const newest = made.slice(1).reverse();
    expect((await options(user, 'plain', '?keyword=')).body.data).toEqual(
      newest.map((pid) => ({ value: pid, label: pid })),
    );
  });

  it('gives the members of the tenant, to who may look them up', async () => {
    const user = await userWith(['user:lookup']);

    const found = await options(user, 'owner', `?keyword=${encodeURIComponent(user.email)}`);
    expect(found.body.data).toEqual([{ value: user.pid, label: user.email }]);
    expect(await options(await userWith([]), 'owner')).toMatchObject({
      status: 403,
      body: { data: { permission: 'user:lookup' } },
    });
  });

  it('does not tell a field that is hidden, or leads to hidden records, from one that is not there', async () => {
    const user = await userWith(account.permissions);
    const answers = await Promise.all(['nope', 'name', 'hidden', 'plain'].map((field) => options(user, field)));

    for (const { status, body } of answers) {
      expect({ status, body }).toEqual({
        status: 404,
        body: { code: 'NOT_FOUND', message: 'There is no such field with options', data: null },
      });
    }
  });
});

describe('POST /api/dynamic/{pageKey}/aggregate', () => {
  const fields = [
    { code: 'state', name: 'State', type: 'string' as const },
    { code: 'amount', name: 'Amount', type: 'decimal' as const },
    { code: 'at', name: 'At', type: 'datetime' as const },
    { code: 'extra', name: 'Extra', type: 'json' as const },
    { code: 'secret', name: 'Secret', type: 'integer' as const, readPermission: true },
  ];
  let token: string;
  let model: TestModel;

  beforeAll(async () => {
    model = await newModel({ fields });
    const tenant = await newTenant();
    ({ token } = await newUser([await newRole(model.permissions)], tenant));
    await insert(tenant, model.code, [
      { state: 'paid', amount: '12.50', at: '2025-12-31T20:00:00Z', secret: 1 },
      { state: 'paid', amount: '7.25', at: '2026-01-31T15:59:00Z' },
      { state: 'open', amount: '3', at: '2026-01-31T16:00:00Z' },
      { state: 'open', at: '2026-03-01T00:00:00Z' },
    ]);
    await insert(await newTenant(), model.code, [{ state: 'paid', amount: '1000' }]);
  });

  const aggregate = (body: object) => call(`/api/dynamic/${model.code}/aggregate`, { token, body });

  it('counts, sums and averages by groups, with having, sort and limit; decimals are strings', async () => {
    const measures = [
      { fn: 'count', as: 'n' },
      { fn: 'sum', fieldName: 'amount', as: 'total' },
      { fn: 'avg', fieldName: 'amount', as: 'mean' },
    ];
    const groupBy = [{ fieldName: 'state' }];
    const sortFields = [{ fieldName: 'total', order: 'desc' }];

    expect((await aggregate({ groupBy, measures, sortFields })).body.data).toEqual({
      rows: [
        { state: 'paid', n: 2, total: '19.75', mean: '9.875' },
        { state: 'open', n: 2, total: '3', mean: '3' },
      ],
      truncated: false,
    });
    const having = [{ fieldName: 'total', operator: 'gt', value: '10' }];
    expect((await aggregate({ groupBy, measures, having })).body.data.rows).toMatchObject([{ state: 'paid' }]);
    expect((await aggregate({ groupBy, measures, limit: 1 })).body.data).toMatchObject({
      rows: [{ state: 'open' }],
      truncated: true,
    });
    expect((await aggregate({})).body.data.rows).toEqual([{ count: 4 }]);
  });

  it('GET /api/dynamic/{pageKey}/stats describes fields, by filters and keyword, but no hidden one', async () => {
    const stats = (query: Query) =>
      call(`/api/dynamic/${model.code}/stats?${String(new URLSearchParams(query as Record<string, string>))}`, {
        token,
      });
    const none = { avg: null, sum: null };

    expect((await stats({})).body.data).toEqual({
      total: 4,
      fields: {
        state: { count: 4, nulls: 0, distinct: 2, min: 'open', max: 'paid', ...none },
        amount: { count: 3, nulls: 1, distinct: 3, min: '3', max: '12.50', avg: '7.5833333333', sum: '22.75' },
        at: { ...none, count: 4, nulls: 0, distinct: 4, min: expect.any(String), max: '2026-03-01T00:00:00.000Z' },
      },
    });
    const filters = JSON.stringify([{ fieldName: 'state', operator: 'eq', value: 'open' }]);
    expect((await stats({ fields: 'amount', filters })).body.data).toMatchObject({ total: 2, fields: { amount: {} } });
    expect((await stats({ keyword: 'paid' })).body.data.total).toBe(0);
    expect((await stats({ fields: 'extra' })).body.data.fieldErrors).toEqual({
      fields: 'extra is a json field, which has no order',
    });
    expect((await stats({ filters: '[1]' })).body.data.fieldErrors).toEqual({ filters: expect.any(String) });
    expect((await stats({ fields: 'secret' })).status).toBe(403);
  });

  it('groups times by the parts of the calendar in a time zone', async () => {
    const months = async (timeZone?: string) =>
      (await aggregate({ groupBy: [{ fieldName: 'at', part: 'month', as: 'month', ...(timeZone && { timeZone }) }] }))
        .body.data.rows;

    expect(await months('Asia/Shanghai')).toEqual([
      { month: '2026-01-01', count: 2 },
      { month: '2026-02-01', count: 1 },
      { month: '2026-03-01', count: 1 },
    ]);
    expect(await months()).toEqual([
      { month: '2025-12-01', count: 1 },
      { month: '2026-01-01', count: 2 },
      { month: '2026-03-01', count: 1 },
    ]);
    const hours = await aggregate({
      groupBy: [{ fieldName: 'at', part: 'hour', timeZone: 'Asia/Shanghai' }],
      limit: 1,
    });
    expect(hours.body.data.rows).toEqual([{ at: '2026-01-01T04:00', count: 1 }]);
  });

  it('refuses what is wrong at its place, and a hidden field by its permission', async () => {
    const wrong = await aggregate({
      groupBy: [
        { fieldName: 'nope' },
        { fieldName: 'extra' },
        { fieldName: 'state', part: 'month' },
        { fieldName: 'at', part: 'day', timeZone: "UTC'; select 1" },
      ],
    });
    expect(Object.keys(wrong.body.data.fieldErrors)).toEqual(['groupBy.3.timeZone']);
    const measures = [
      { fn: 'sum', fieldName: 'state', as: 'a' },
      { fn: 'max', as: 'b' },
      { fn: 'count', as: 'a' },
    ];
    const groupBy = [{ fieldName: 'nope' }, { fieldName: 'extra' }, { fieldName: 'state', part: 'month' }];
    const having = [{ fieldName: 'c', operator: 'gt', value: 1 }];
    const sortFields = [{ fieldName: 'amount' }];
    const unfit = await aggregate({ groupBy, measures, having, sortFields });
    expect(Object.keys(unfit.body.data.fieldErrors).sort().join(' ')).toBe(
      'c groupBy.0.fieldName groupBy.1.fieldName groupBy.2.part measures.0.fn measures.1.fieldName measures.2.as ' +
        'sortFields.0.fieldName',
    );
    expect(unfit.body.data.fieldErrors.c).toBe('is not a field of groupBy, measures');
    for (const body of [
      { groupBy: [{ fieldName: 'secret' }] },
      { measures: [{ fn: 'max', fieldName: 'secret', as: 'x' }] },
      { conditions: [{ fieldName: 'secret', operator: 'eq', value: 1 }] },
    ]) {
      const { status, body: answered } = await aggregate(body);
      expect({ status, permission: answered.data.permission }).toEqual({
        status: 403,
        permission: `field:read:${model.code}.secret`,
      });
    }
  });
});
