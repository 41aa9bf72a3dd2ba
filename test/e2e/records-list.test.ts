import { call, execute, list, type Answered, expectRefusal } from '../support/api.ts';
import { EVERY_TYPE, insert, newModel, newRole, RECORDS_OF_EVERY_TYPE, type TestModel } from '../support/models.ts';
import { newTenant, newUser, type TestTenant } from '../support/world.ts';

type Query = Record<string, unknown>;

const VALIDATION = { code: 'VALIDATION_ERROR', message: 'The request is not valid' };

const namesOf = ({ body }: Answered): string[] => body.data.records.map(({ name }: { name: string }) => name);

describe('GET /api/dynamic/{pageKey}/list', () => {
  it('gives the newest first, ten to a page, with the exact total', async () => {
    const { token } = await newUser(['SALES'], await newTenant());
    for (let number = 1; number <= 12; number += 1) {
      await execute(token, 'crm:create_lead', { payload: { name: `Lead ${number}` } });
    }

    const answered = await list(token, 'leads');

    const nextCursor = expect.any(String);
    const data = { records: expect.any(Array), total: 12, pageNum: 1, pageSize: 10, nextCursor };
    expect(answered).toMatchObject({ status: 200, body: { code: '0', message: 'ok', data } });
    expect(Object.keys(answered.body.data)).toEqual(Object.keys(data));
    expect(namesOf(answered)).toEqual(Array.from({ length: 10 }, (_, index) => `Lead ${12 - index}`));
  });

  it('answers an empty list, not an error, for a tenant without records', async () => {
    const { token } = await newUser(['SALES'], await newTenant());

    const { status, body } = await list(token, 'leads');

    expect({ status, data: body.data }).toEqual({
      status: 200,
      data: { records: [], total: 0, pageNum: 1, pageSize: 10, nextCursor: null },
    });
  });

  it('answers 401 UNAUTHORIZED without a token', async () => {
    expectRefusal(await call('/api/dynamic/leads/list'), 'UNAUTHORIZED', null);
  });

  it('answers 404 NOT_FOUND for a page that does not exist', async () => {
    const { token } = await newUser(['ADMIN'], await newTenant());

    for (const page of ['nowhere', 'lead', 'constructor', '__proto__', 'Leads']) {
      const { status, body } = await list(token, page);
      expect({ status, body }).toEqual({
        status: 404,
        body: { code: 'NOT_FOUND', message: 'There is no such page', data: null },
      });
    }
  });
});

describe('the list of a page with records', () => {
  let token: string;
  let model: TestModel;
  let tenant: TestTenant;

  // Nothing below writes: one tenant serves all.
  beforeAll(async () => {
    model = await newModel({
      fields: [
        { code: 'name', name: 'Name', type: 'string', searchable: true },
        { code: 'rank', name: 'Rank', type: 'integer' },
        { code: 'alias', name: 'Alias', type: 'text', searchable: true },
        { code: 'secret', name: 'Not searchable', type: 'string' },
        { code: 'extra', name: 'Extra', type: 'json' },
      ],
    });
    tenant = await newTenant();
    ({ token } = await newUser([await newRole(model.permissions)], tenant));
    // 501 records, made at three moments; all of one moment tie.
    const moments = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z', '2026-01-03T00:00:00Z'];
    await insert(
      tenant,
      model.code,
      Array.from({ length: 501 }, (_, index) => ({
        name: `n${String(index).padStart(3, '0')}`,
        rank: index % 5,
        alias: ['Zoë 100%', 'under_score', 'back\\slash', null, null][index % 5],
        secret: 'hidden',
        created_at: moments[index % 3],
      })),
    );
  });

  const get = (query: Query): Promise<Answered> => list(token, model.code, query);

  describe('pages (list rule 1, limits)', () => {
    it('page N of size S holds records (N-1)*S+1 to N*S', async () => {
      const whole = namesOf(await get({ pageSize: 500, sortField: 'name', sortOrder: 'asc' }));

      for (const [pageNum, pageSize] of [
        [1, 1],
        [3, 7],
        [50, 10],
        [1, 499],
      ] as const) {
        const page = await get({ pageNum, pageSize, sortField: 'name', sortOrder: 'asc' });
        expect(page.body.data).toMatchObject({ pageNum, pageSize, total: 501 });
        expect(namesOf(page)).toEqual(whole.slice((pageNum - 1) * pageSize, pageNum * pageSize));
      }
    });

    it('the last page holds the rest, and pages beyond it are empty with the same total', async () => {
      expect((await get({ pageNum: 51 })).body.data).toMatchObject({ records: [{}], total: 501, pageNum: 51 });
      expect((await get({ pageNum: 52 })).body.data).toEqual({
        records: [],
        total: 501,
        pageNum: 52,
        pageSize: 10,
        nextCursor: null,
      });
    });

    it('the default is page 1 of size 10, sorted by created_at desc', async () => {
      const plain = await get({});

      expect(plain.body.data).toMatchObject({ pageNum: 1, pageSize: 10, total: 501 });
      const named = await get({ pageNum: 1, pageSize: 10, sortField: 'created_at', sortOrder: 'desc' });
      const empty = await get({ pageNum: '', pageSize: '', sortField: '', filters: '' });
      for (const { body } of [named, empty]) expect(body.data.records).toEqual(plain.body.data.records);
    });

    it('500 is the largest page', async () => {
      expect((await get({ pageSize: 500 })).body.data.records).toHaveLength(500);
      const { status, body } = await get({ pageSize: 501 });

      expect({ status, body }).toEqual({
        status: 400,
        body: { ...VALIDATION, data: { fieldErrors: { pageSize: 'must be a whole number from 1 to 500' } } },
      });
    });

    it.each(['pageNum', 'pageSize'])('%s takes whole numbers from 1 only', async (name) => {
      for (const value of ['0', '-1', '1.5', '1e1', '0x5', ' 1', '+1', 'abc', 'NaN', '99999999999999999999', '1;2']) {
        const { status, body } = await get({ [name]: value });
        expect({ value, status, body }).toEqual({
          value,
          status: 400,
          body: { ...VALIDATION, data: { fieldErrors: { [name]: expect.stringContaining('whole number') } } },
        });
      }
    });

    it('reports all wrong names of a request at once', async () => {
      const { status, body } = await get({
        pageNum: 0,
        pageSize: 0,
        sortField: 'nope',
        sortOrder: 'up',
        count: 'roughly',
        keyword: 'x'.repeat(201),
        filters: '[{',
      });

      expect(status).toBe(400);
      expect(Object.keys(body.data.fieldErrors).sort()).toEqual(
        ['count', 'filters', 'keyword', 'pageNum', 'pageSize', 'sortField', 'sortOrder'].sort(),
      );
    });

    it('refuses a name that is given twice', async () => {
      const { status, body } = await call(`/api/dynamic/${model.code}/list?pageNum=1&pageNum=2&filters=[]&filters=[]`, {
        token,
      });

      expect(status).toBe(400);
      expect(Object.keys(body.data.fieldErrors)).toEqual(['pageNum', 'filters']);
    });
  });

  it('an empty viewId is 400: the list would be another one', async () => {
    const { status, body } = await get({ viewId: '' });
    expect([status, body.data.fieldErrors]).toEqual([400, { viewId: 'must be a text that is not empty' }]);
  });

  describe('names that are not equivalents (list rule 3)', () => {
    it('page, size and the like change nothing and are named in X-Ignored-Params', async () => {
      const { status, headers, body } = await get({ page: 2, size: 3, limit: 1, sort: 'name', 'a b,c': 1 });

      expect(status).toBe(200);
      expect(body.data.records).toEqual((await get({})).body.data.records);
      expect(headers.get('x-ignored-params')).toBe('page, size, limit, sort, a%20b%2Cc');
    });

    it('sortField and sortOrder are named beside sortFields, which stands in their place', async () => {
      const { headers } = await get({ sortFields: '[{"fieldName":"name"}]', sortField: 'id', sortOrder: 'asc' });

      expect(headers.get('x-ignored-params')).toBe('sortField, sortOrder');
    });

    it('names with other capitals are other names', async () => {
      const { headers, body } = await get({ PageSize: 3, pagenum: 2 });

      expect(body.data).toMatchObject({ pageNum: 1, pageSize: 10 });
      expect(headers.get('x-ignored-params')).toBe('PageSize, pagenum');
    });

    it('X-Ignored-Params is absent where nothing was ignored', async () => {
      expect((await get({ pageNum: 1, count: 'none' })).headers.has('x-ignored-params')).toBe(false);
    });
  });

  describe('sortField and sortOrder (list rule 2)', () => {
    it('sorts by any field of the model, system fields included, both ways', async () => {
      const ascending = namesOf(await get({ sortField: 'name', sortOrder: 'asc', pageSize: 500 }));
      expect(ascending).toEqual([...ascending].sort());
      expect(namesOf(await get({ sortField: 'name', sortOrder: 'DESC', pageSize: 2 }))).toEqual(['n500', 'n499']);
      expect(namesOf(await get({ sortField: 'id', sortOrder: 'asc', pageSize: 2 }))).toEqual(['n000', 'n001']);
      expect(namesOf(await get({ sortField: 'created_at', sortOrder: 'asc', pageSize: 2 }))).toEqual(['n000', 'n003']);
    });

    it('breaks ties by id, so that the pages together are the whole', async () => {
      for (const sortOrder of ['asc', 'desc']) {
        for (const sortField of ['rank', 'secret', 'created_at']) {
          const pages = await Promise.all(
            [1, 2, 3].map((pageNum) => get({ pageNum, pageSize: 167, sortField, sortOrder })),
          );
          const all = pages.flatMap(namesOf);
          expect(all).toHaveLength(501);
          expect(new Set(all).size).toBe(501);
          const tied = pages.flatMap(({ body }) => body.data.records).filter(({ rank }) => rank === 2);
          const ids = tied.filter(({ created_at: at }) => at === tied[0].created_at).map(({ id }) => Number(id));
          expect(ids).toEqual([...ids].sort((a, b) => (sortOrder === 'asc' ? a - b : b - a)));
        }
      }
    });

    it.each(['nope', 'deleted_at', 'name;drop table x', '"name"', 'name desc', 'constructor', '__proto__', '1'])(
      'refuses %s as the field to sort by',
      async (sortField) => {
        const { status, body } = await get({ sortField });

        const sortFieldError = expect.stringMatching(`^is not a field of ${model.code}(; did you|$)`);
        expect(body).toEqual({ ...VALIDATION, data: { fieldErrors: { sortField: sortFieldError } } });
        expect(status).toBe(400);
      },
    );

    it('refuses a field without an order, and an order that is neither', async () => {
      expect((await get({ sortField: 'extra' })).body.data.fieldErrors).toEqual({
        sortField: 'is a json field, which has no order',
      });
      expect((await get({ sortOrder: 'asc; select 1' })).body.data.fieldErrors).toEqual({
        sortOrder: 'must be one of desc, asc',
      });
    });
  });

  describe('keyword', () => {
    it('finds records whose searchable fields hold it, whatever the capitals', async () => {
      expect((await get({ keyword: 'N00' })).body.data.total).toBe(10);
      expect((await get({ keyword: 'zOË' })).body.data.total).toBe(101);
    });

    it('does not look into fields that are not searchable', async () => {
      expect((await get({ keyword: 'hidden' })).body.data).toMatchObject({ records: [], total: 0 });
    });

    it.each([
      ['%', 101],
      ['_', 100],
      ['\\', 100],
      ["' or 1=1 --", 0],
    ])('takes %s for what it is', async (keyword, total) => {
      expect((await get({ keyword })).body.data.total).toBe(total);
    });

    it('and filters restrict together', async () => {
      const filters = [{ fieldName: 'rank', operator: 'eq', value: 0 }];

      expect(namesOf(await get({ keyword: 'n00', filters, sortField: 'name', sortOrder: 'asc' }))).toEqual([
        'n000',
        'n005',
      ]);
    });
  });
});

describe('filters of a list', () => {
  let token: string;
  let page: string;
  let aPid = '';

  beforeAll(async () => {
    const model = await newModel({ fields: EVERY_TYPE });
    const tenant = await newTenant();
    page = model.code;
    ({ token } = await newUser([await newRole(model.permissions)], tenant));
    [aPid = ''] = await insert(tenant, page, RECORDS_OF_EVERY_TYPE);
  });

  const found = async (filters: unknown): Promise<string> => {
    const answered = await list(token, page, { filters, sortField: 'name', sortOrder: 'asc' });
    expect(answered.body).toMatchObject({ code: '0', data: { total: answered.body.data.records.length } });
    return namesOf(answered).join('');
  };

  it.each<[string, string, unknown, string]>([
    ['eq EQ', 'name', 'a', 'a'],
    ['eq EQ', 'big', '9007199254740993', 'a'],
    ['eq EQ', 'price', 1.1, 'a'],
    ['eq EQ', 'at', '2026-02-01T13:00:00+01:00', 'b'],
    ['eq EQ', 'parent', 'PARENT', 'b'],
    ['eq EQ', 'size', null, 'n'],
    ['ne NE Ne', 'state', 'won', 'acn'],
    ['ne NE', 'flag', true, 'bn'],
    ['ne NE', 'note', null, 'abc'],
    ['gt GT', 'price', '2.2', 'c'],
    ['gte ge GTE GE', 'size', 2, 'bc'],
    ['lt LT', 'day', '2026-02-01', 'a'],
    ['lte le LTE LE', 'at', '2026-02-01T12:00:00Z', 'ab'],
    ['like LIKE', 'note', 'lpha', 'ac'],
    ['like LIKE', 'note', 'alpha%', 'c'],
    ['like LIKE', 'note', '%0\\%', 'a'],
    ['like LIKE', 'note', '%\\', 'c'],
    ['like LIKE', 'note', '_', 'b'],
    ['not_like NOT_LIKE', 'note', 'lpha', 'bn'],
    ['ilike ILIKE', 'note', 'ALPHA', 'ac'],
    ['contains CONTAINS', 'note', '%', 'a'],
    ['starts_with STARTS_WITH', 'note', 'b', 'b'],
    ['ends_with ENDS_WITH', 'note', '_x', 'b'],
    ['in IN', 'state', ['open'], 'ac'],
    ['in IN', 'big', ['9007199254740993', 3], 'ac'],
    ['in IN', 'name', ['{"', 'b', "');--"], 'b'],
    ['in IN', 'size', [], ''],
    ['not_in NOT_IN', 'size', [1, 2], 'cn'],
    ['is_null IS_NULL', 'extra', undefined, 'bcn'],
    ['is_not_null IS_NOT_NULL', 'file', undefined, 'c'],
    ['between BETWEEN', 'day', ['2026-01-01', '2026-02-01'], 'ab'],
    ['not_between NOT_BETWEEN', 'price', [1, 3], 'cn'],
  ])('%s on %s with %j finds %j', async (operators, fieldName, value, names) => {
    for (const operator of operators.split(' ')) {
      for (const key of ['operator', 'op', 'the service']) {
        expect([operator, key, await found([{ fieldName, [key]: operator, value }])]).toEqual([operator, key, names]);
      }
    }
  });

  it('records without a value come last in both directions', async () => {
    const sorted = async (sortField: string, sortOrder: string): Promise<string> =>
      namesOf(await list(token, page, { sortField, sortOrder })).join('');

    for (const field of ['size', 'price', 'day', 'at']) {
      expect([field, await sorted(field, 'asc'), await sorted(field, 'desc')]).toEqual([field, 'abcn', 'cban']);
    }
    expect([await sorted('big', 'asc'), await sorted('big', 'desc')]).toEqual(['bcan', 'acbn']);
    expect([await sorted('state', 'asc'), await sorted('state', 'desc')]).toEqual(['acbn', 'bcan']);
  });

  it('filters work on system fields, too', async () => {
    expect(await found([{ fieldName: 'pid', operator: 'eq', value: aPid }])).toBe('a');
    expect(await found([{ fieldName: 'created_at', operator: 'gt', value: '2000-01-01T00:00:00Z' }])).toBe('abcn');
    expect(await found([{ fieldName: 'tenant_id', operator: 'ne', value: '1' }])).toBe('abcn');
  });

  it('a flat array is AND; and, or and not nest', async () => {
    const [a, b, open] = [
      ['name', 'a'],
      ['name', 'b'],
      ['state', 'open'],
    ].map(([fieldName, value]) => ({ fieldName, op: 'eq', value }));
    expect(await found([])).toBe('abcn');
    expect(await found([open, a])).toBe('a');
    expect(await found([{ or: [a, b] }])).toBe('ab');
    expect(await found([{ or: [a, b] }, open])).toBe('a');
    expect(await found([{ not: open }])).toBe('bn');
    expect(await found([{ or: [b, { and: [open, { not: a }] }] }])).toBe('bc');
  });

  it.each<[string, unknown, string]>([
    ['an unknown field', [{ fieldName: 'nope', operator: 'eq', value: 1 }], 'nope'],
    ['deleted_at', [{ fieldName: 'deleted_at', operator: 'is_null' }], 'deleted_at'],
    ['constructor', [{ fieldName: 'constructor', operator: 'eq', value: 1 }], 'filters'],
    ['an unknown operator', [{ fieldName: 'name', operator: '= 1 or', value: 'a' }], 'name'],
    ['no operator', [{ fieldName: 'name', value: 'a' }], 'name'],
    ['a text for a number', [{ fieldName: 'size', operator: 'eq', value: '1' }], 'size'],
    ['a time without a zone', [{ fieldName: 'at', operator: 'gt', value: '2026-01-01T00:00:00' }], 'at'],
    ['a time beyond the calendar', [{ fieldName: 'at', operator: 'lt', value: '9999-12-31T23:59:59-01:00' }], 'at'],
    ['a day that is none', [{ or: [{ fieldName: 'day', operator: 'eq', value: '2026-02-30' }] }], 'day'],
    ['one wrong value of several', [{ fieldName: 'size', operator: 'in', value: [1, 'x'] }], 'size'],
    ['json compared', [{ fieldName: 'extra', operator: 'eq', value: { x: 1 } }], 'extra'],
    ['an object', {}, 'filters'],
    ['no JSON', '[', 'filters'],
    ['an empty or', [{ or: [] }], 'filters'],
    ['two kinds in one element', [{ fieldName: 'name', op: 'eq', value: 'a', or: [] }], 'filters'],
    ['a deep nest', Array.from({ length: 400 }).reduce((inner) => [{ or: inner }], []), 'filters'],
  ])('%s is 400 with its field error, never ignored', async (_what, filters, field) => {
    const { status, body } = await list(token, page, { filters });

    expect({ status, body }).toEqual({
      status: 400,
      body: { ...VALIDATION, data: { fieldErrors: { [field]: expect.any(String) } } },
    });
  });
});
