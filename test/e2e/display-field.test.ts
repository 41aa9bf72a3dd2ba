import { call, dataOf, execute, expectRefusal, list } from '../support/api.ts';
import { askForImport, endedImport } from '../support/imports.ts';
import { changeModel, insert, newModel, newRole, type TestModel } from '../support/models.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';
import { failureOf } from '../support/platform.ts';
import type { FieldContent } from '../../src/platform/metadata/field-types/field-content.ts';
import type { ModelContent } from '../../src/platform/metadata/models/model-content.ts';

const regionFields: FieldContent[] = [{ code: 'title', name: 'Title', type: 'string' }];
const customerFields = (region: string): FieldContent[] => [
  { code: 'number', name: 'Number', type: 'string', searchable: true },
  { code: 'label', name: 'Label', type: 'string', searchable: true },
  { code: 'rating', name: 'Rating', type: 'integer', readPermission: true },
  { code: 'region', name: 'Region', type: 'relation', target: region },
];
const HIDDEN = 'everyone but the hidden';
const customerModel = (region: string): Omit<ModelContent, 'name'> => ({
  displayField: 'label',
  fields: customerFields(region),
  rowRules: [{ name: HIDDEN, conditions: [{ fieldName: 'number', operator: 'ne', value: 'hidden' }] }],
});

let tenant: TestTenant;
let region: TestModel;
let customer: TestModel;
let order: TestModel;
let user: TestUser;
let pids: Record<'north' | 'ann' | 'hidden', string>;

beforeAll(async () => {
  tenant = await newTenant();
  region = await newModel({ fields: regionFields });
  customer = await newModel(customerModel(region.code));
  order = await newModel({
    fields: [
      { code: 'what', name: 'What', type: 'string', searchable: true, unique: true },
      { code: 'customer', name: 'Customer', type: 'relation', target: customer.code },
      { code: 'owner', name: 'Owner', type: 'user' },
    ],
  });
  user = await newUser([await newRole([...region.permissions, ...customer.permissions, ...order.permissions])], tenant);
  const [north = ''] = await insert(tenant, region.code, [{ title: 'North' }]);
  const [ann = '', hidden = ''] = await insert(tenant, customer.code, [
    { number: 'C-1', label: '=Ann', rating: 5, region: north },
    { number: 'hidden', label: 'Hidden', region: north },
  ]);
  pids = { north, ann, hidden };
  await insert(tenant, order.code, [
    { what: 'a', customer: ann, owner: user.pid },
    { what: 'b', customer: hidden },
    { what: 'c' },
  ]);
});

const byWhat = { sortField: 'what', sortOrder: 'asc' };
const listed = async (fields: string, who = user) =>
  dataOf(await list(who.token, order.code, { fields, ...byWhat })).records as Record<string, unknown>[];
async function exported(query: Record<string, string>): Promise<string> {
  const names = new URLSearchParams({ format: 'csv', ...byWhat, ...query }).toString();
  const url = `${process.env.KEELSON_TEST_URL}/api/dynamic/${order.code}/export?${names}`;
  return (await fetch(url, { headers: { authorization: `Bearer ${user.token}` } })).text();
}

describe('displayField', () => {
  it('is a field of the model whose value people can read', async () => {
    const problemOf = async (displayField: string) => {
      const work = changeModel(customer, { ...customerModel(region.code), displayField });
      return ((await failureOf(work)) as { data: { fieldErrors: object } }).data.fieldErrors;
    };
    expect(Object.values(await problemOf('lable'))).toEqual([expect.stringContaining('label')]);
    expect(await problemOf('region')).toEqual({ 'content.displayField': 'is not possible for relation' });
  });

  it('is warned of where no keyword finds a record by it', async () => {
    const admin = await newUser(['PLATFORM_ADMIN'], tenant);
    const content = { name: 'M', displayField: 'title', fields: regionFields };
    const payload = { resourceType: 'MODEL', code: region.code, content };
    const saved = await execute(admin.token, 'meta:save', { payload });
    expect(dataOf(saved).warnings).toContainEqual({
      path: 'content.displayField',
      message: 'is not searchable: a keyword finds no record by it',
    });
  });

  it('is told by the application, to those who may read it; else the first text that a keyword finds', async () => {
    const displayFields = async ({ token }: TestUser) => {
      const { models } = dataOf(await call('/api/meta/app', { token })) as {
        models: { code: string; displayField: string }[];
      };
      return Object.fromEntries(models.map(({ code, displayField }) => [code, displayField]));
    };
    expect(await displayFields(user)).toEqual({
      [region.code]: 'title',
      [customer.code]: 'label',
      [order.code]: 'what',
    });

    const rated = await newModel({ displayField: 'rating', fields: customerFields(region.code) });
    const reader = await newUser([await newRole(rated.permissions)], tenant);
    const boss = await newUser([await newRole([...rated.permissions, `field:read:${rated.code}.rating`])], tenant);
    expect(await displayFields(reader)).toEqual({ [rated.code]: 'number' });
    expect(await displayFields(boss)).toEqual({ [rated.code]: 'rating' });
  });

  it('is the label of options, and found by their keyword', async () => {
    const path = `/api/dynamic/${order.code}/options/customer`;
    const options = [{ value: pids.ann, label: '=Ann' }];
    expect(dataOf(await call(path, { token: user.token }))).toEqual(options);
    expect(dataOf(await call(`${path}?keyword=ann`, { token: user.token }))).toEqual(options);
  });
});

describe('fields of a list', () => {
  it('takes paths to related records and to the names of people; what is hidden is null', async () => {
    expect(await listed('what,customer.label,customer.region.title,owner.username')).toEqual([
      {
        id: expect.any(String),
        pid: expect.any(String),
        what: 'a',
        'customer.label': '=Ann',
        'customer.region.title': 'North',
        'owner.username': user.email,
      },
      expect.objectContaining({ what: 'b', 'customer.label': null, 'customer.region.title': null }),
      expect.objectContaining({ what: 'c', 'customer.label': null, 'owner.username': null }),
    ]);
  });

  it('takes them in the body of a query, beside a total and after a cursor', async () => {
    const ask = (more: object) =>
      call(`/api/dynamic/${order.code}/query`, {
        token: user.token,
        body: {
          fields: ['what', 'customer.label'],
          sortFields: [{ fieldName: 'customer.label', order: 'desc' }],
          pageSize: 1,
          ...more,
        },
      });
    const first = dataOf(await ask({ count: 'exact' }));
    expect(first).toMatchObject({ total: 3, records: [{ what: 'a', 'customer.label': '=Ann' }] });
    const next = dataOf(await ask({ cursor: first.nextCursor }));
    expect(Object.keys(next.records[0]).sort()).toEqual(['customer.label', 'id', 'pid', 'what']);
  });

  it('answers alike for a path that is not there and one that the caller may not follow', async () => {
    const narrow = await newUser([await newRole(order.permissions)], tenant);
    const refusals = [
      [user, 'customer.nothing'],
      [user, 'customer.rating'],
      [narrow, 'customer.label'],
      [user, 'what.username'],
      [user, 'customer.region.title.more'],
    ] as const;
    for (const [who, path] of refusals) {
      expectRefusal(await list(who.token, order.code, { fields: path }), 'VALIDATION_ERROR', {
        fieldErrors: { fields: `${path} is not a field of ${order.code}` },
      });
    }
  });

  it('takes so many paths and no more', async () => {
    const system = ['id', 'pid', 'tenant_id', 'created_at', 'created_by', 'updated_at', 'updated_by', 'version'];
    const most = [
      ...[...system, 'number', 'label', 'region'].map((code) => `customer.${code}`),
      ...[...system, 'title'].map((code) => `customer.region.${code}`),
    ];
    expect(most).toHaveLength(20);
    expect(Object.keys((await listed(most.join(',')))[0] ?? {}).sort()).toEqual(['id', 'pid', ...most].sort());
    const many = [...most, 'owner.username'];
    expectRefusal(await list(user.token, order.code, { fields: many.join(',') }), 'VALIDATION_ERROR', {
      fieldErrors: { fields: 'takes at most 20 paths' },
    });
  });
});

describe('an export', () => {
  it('for people shows names beside pids, with formulas disarmed; one with codes what is asked for', async () => {
    const labels = (await exported({ fields: 'what,customer,owner', header: 'labels' })).split('\r\n');
    expect(labels.slice(0, 3)).toEqual([
      'What,Customer,Customer: Label,Owner,Owner: username',
      `a,${pids.ann},'=Ann,${user.pid},${user.email}`,
      `b,${pids.hidden},,,`,
    ]);
    expect((await exported({ fields: 'what,customer' })).split('\r\n')[1]).toBe(`a,${pids.ann}`);
    expect(
      (await exported({ fields: 'customer.label', format: 'ndjson' }))
        .split('\n')
        .map((line) => line && JSON.parse(line)['customer.label']),
    ).toEqual(['=Ann', null, null, '']);
    expect(await exported({ header: 'labels' })).toContain('What,Customer,Customer: Label,Owner,Owner: username\r\n');
  });

  it('comes back by an import, which leaves the names out', async () => {
    const content = await exported({ fields: 'what,customer,customer.label,owner.username' });
    const body = { mode: 'update', matchOn: 'what' };
    const { importPid } = dataOf(await askForImport(user, { pageKey: order.code, content, body }));
    expect(await endedImport(user, importPid)).toMatchObject({ status: 'SUCCEEDED', updated: 3, failed: 0 });
  });
});
