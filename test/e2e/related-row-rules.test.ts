import { call, dataOf, execute, expectRefusal, list } from '../support/api.ts';
import { changeModel, insert, newCode, newModel, newRole, save, type TestModel } from '../support/models.ts';
import { failureOf, runSql } from '../support/platform.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';
import type { FieldContent } from '../../src/platform/metadata/field-types/field-content.ts';
import type { FilterContent } from '../../src/platform/metadata/content/filter-content.ts';

const RULE = 'Orders of my customers';
const accountFields: FieldContent[] = [
  { code: 'title', name: 'Title', type: 'string' },
  { code: 'director', name: 'Director', type: 'user' },
];
const customerFields = (account: string): FieldContent[] => [
  { code: 'name', name: 'Name', type: 'string', readPermission: true },
  { code: 'tier', name: 'Tier', type: 'enum', values: ['gold', 'iron'] },
  { code: 'size', name: 'Size', type: 'integer' },
  { code: 'keeper', name: 'Keeper', type: 'user' },
  { code: 'account', name: 'Account', type: 'relation', target: account },
];
const orderFields = (customer: string): FieldContent[] => [
  { code: 'what', name: 'What', type: 'string' },
  { code: 'customer', name: 'Customer', type: 'relation', target: customer },
];
const ofMine: FilterContent[] = [
  {
    or: [
      { fieldName: 'customer.keeper', operator: 'eq', value: '$me' },
      { fieldName: 'customer.account.director', operator: 'eq', value: '$me' },
    ],
  },
];

let tenant: TestTenant;
let account: TestModel;
let customer: TestModel;
let order: TestModel;
let source: string;
let ada: TestUser;
let bea: TestUser;
let boss: TestUser;
let pids: { anns: string; bobs: string; annsOrder: string; bobsOrder: string };

beforeAll(async () => {
  tenant = await newTenant();
  account = await newModel({ fields: accountFields });
  customer = await newModel({ fields: customerFields(account.code) });
  order = await newModel({ fields: orderFields(customer.code) });
  const unless = `record:read_all:${order.code}`;
  await changeModel(order, {
    fields: orderFields(customer.code),
    rowRules: [{ name: RULE, unless, conditions: ofMine }],
  });
  source = newCode();
  await save('dev', {
    resourceType: 'DATASOURCE',
    code: source,
    content: { name: 'S', kind: 'sql', sql: `select what from mt_${order.code} order by what` },
  });
  // The rule reads what its caller may not: neither customers nor accounts.
  const role = await newRole([...order.permissions, `datasource:read:${source}`]);
  const all = await newRole([
    ...order.permissions,
    ...customer.permissions,
    unless,
    `field:read:${customer.code}.name`,
  ]);
  [ada, bea, boss] = await Promise.all([newUser([role], tenant), newUser([role], tenant), newUser([all], tenant)]);
  const [north = ''] = await insert(tenant, account.code, [{ title: 'North', director: bea.pid }]);
  const [anns = '', bobs = ''] = await insert(tenant, customer.code, [
    { name: 'Ann', tier: 'gold', size: 5, keeper: ada.pid, account: north },
    { name: 'Bob', tier: 'iron', keeper: bea.pid },
  ]);
  const [annsOrder = '', bobsOrder = ''] = await insert(tenant, order.code, [
    { what: 'of Ann', customer: anns },
    { what: 'of Bob', customer: bobs },
    { what: 'of none' },
  ]);
  pids = { anns, bobs, annsOrder, bobsOrder };
});

const sorted = { sortField: 'what', sortOrder: 'asc' };
const seenBy = async ({ token }: TestUser, pageKey = order.code, more: Record<string, string> = {}) => {
  const { records, total } = dataOf(await list(token, pageKey, { ...sorted, ...more }));
  expect(total).toBe(records.length);
  return (records as { what: string }[]).map(({ what }) => what);
};

describe('a row rule that follows relations', () => {
  it('shows the records that lead over one relation or two to what it asks for', async () => {
    expect(await seenBy(ada)).toEqual(['of Ann']);
    expect(await seenBy(bea)).toEqual(['of Ann', 'of Bob']);
    expect(await seenBy(boss)).toEqual(['of Ann', 'of Bob', 'of none']);
  });

  it('binds details, figures and SQL alike', async () => {
    const detail = (pid: string) => call(`/api/dynamic/${order.code}/${pid}`, { token: ada.token });
    expect(await detail(pids.annsOrder)).toMatchObject({ status: 200 });
    expect(await detail(pids.bobsOrder)).toMatchObject({ status: 404 });
    const figures = await call(`/api/dynamic/${order.code}/aggregate`, {
      token: bea.token,
      body: { measures: [{ fn: 'count', as: 'n' }] },
    });
    expect(dataOf(figures).rows).toEqual([{ n: 2 }]);
    const rows = async ({ token }: TestUser) =>
      dataOf(await call(`/api/datasource/list?datasourceId=${source}`, { token }));
    expect(JSON.stringify(await rows(ada))).toContain('of Ann');
    expect(JSON.stringify(await rows(ada))).not.toContain('of Bob');
  });

  it('binds writers: a record that it would hide from them is refused at the relation', async () => {
    const create = (to: string | null) =>
      execute(ada.token, order.command, { operationType: 'CREATE', payload: { what: 'new', customer: to } });
    for (const to of [pids.bobs, null]) {
      expectRefusal(await create(to), 'FORBIDDEN', {
        reason: 'ROW_RULE',
        fieldErrors: { customer: `is not what the row rule "${RULE}" asks for` },
      });
    }
    const { pid } = dataOf(await create(pids.anns));
    const move = { operationType: 'UPDATE', targetRecordId: pid, payload: { customer: pids.bobs } };
    expectRefusal(await execute(ada.token, order.command, move), 'FORBIDDEN', { reason: 'ROW_RULE' });
    dataOf(await execute(ada.token, order.command, { operationType: 'DELETE', targetRecordId: pid }));
  });

  it('follows the present state: another keeper, and a customer in the trash', async () => {
    const [eve = ''] = await insert(tenant, customer.code, [{ name: 'Eve', keeper: ada.pid }]);
    await insert(tenant, order.code, [{ what: 'of Eve', customer: eve }]);
    expect(await seenBy(ada)).toEqual(['of Ann', 'of Eve']);
    await runSql(`update dev.mt_${customer.code} set keeper = $1 where pid = $2`, [bea.pid, eve]);
    expect(await seenBy(ada)).toEqual(['of Ann']);
    expect(await seenBy(bea)).toEqual(['of Ann', 'of Bob', 'of Eve']);
    await runSql(`update dev.mt_${customer.code} set deleted_at = now() where pid = $1`, [eve]);
    expect(await seenBy(bea)).toEqual(['of Ann', 'of Bob']);
    await runSql(`update dev.mt_${order.code} set deleted_at = now() where what = 'of Eve'`);
  });

  it.each<[FilterContent]>([
    [{ fieldName: 'customer.name', operator: 'eq', value: 'Ann' }],
    [{ fieldName: 'customer.name', operator: 'ne', value: 'Ann' }],
    [{ fieldName: 'customer.name', operator: 'contains', value: 'n' }],
    [{ fieldName: 'customer.tier', operator: 'in', value: ['gold'] }],
    [{ fieldName: 'customer.tier', operator: 'not_in', value: ['gold'] }],
    [{ fieldName: 'customer.size', operator: 'gt', value: 4 }],
    [{ fieldName: 'customer.size', operator: 'is_null' }],
    [{ fieldName: 'customer.size', operator: 'is_not_null' }],
    [{ fieldName: 'customer.account.title', operator: 'eq', value: null }],
    [{ not: { fieldName: 'customer.account.title', operator: 'eq', value: 'North' } }],
  ])('finds what the same condition of a list finds: %j', async (condition) => {
    const pageKey = newCode();
    const content = { name: 'P', modelCode: order.code, columns: ['what'], conditions: [condition] };
    await save('dev', { resourceType: 'PAGE_SCHEMA', code: pageKey, content });
    const admin = await newUser(['ADMIN'], tenant);
    const found = await seenBy(admin, order.code, { filters: JSON.stringify([condition]) });
    expect(await seenBy(admin, pageKey)).toEqual(found);
    expect(found.length % 3).not.toBe(0);
  });

  it('lets no total outlive a change of the records that a page follows', async () => {
    const pageKey = newCode();
    const conditions = [{ fieldName: 'customer.size', operator: 'eq', value: 5 }];
    const content = { name: 'P', modelCode: order.code, columns: ['what'], conditions };
    await save('dev', { resourceType: 'PAGE_SCHEMA', code: pageKey, content });
    const resize = (size: number) =>
      execute(boss.token, customer.command, { operationType: 'UPDATE', targetRecordId: pids.anns, payload: { size } });
    expect(await seenBy(boss, pageKey)).toEqual(['of Ann']);
    expect(await seenBy(boss, pageKey)).toEqual(['of Ann']);
    dataOf(await resize(6));
    expect(await seenBy(boss, pageKey)).toEqual([]);
    dataOf(await resize(5));
  });

  it('is not saved with a path that leads nowhere or too far, nor with a value that no record can have', async () => {
    const problemsOf = async (condition: object) => {
      const rowRules = [{ name: 'R', conditions: [condition as FilterContent] }];
      const work = changeModel(order, { fields: orderFields(customer.code), rowRules });
      const { data } = (await failureOf(work)) as { data: { fieldErrors: Record<string, unknown> } };
      return Object.values(data.fieldErrors).map(String);
    };
    const eq = (fieldName: string, value: unknown = 'x') => ({ fieldName, operator: 'eq', value });
    expect(await problemsOf(eq('customer.nothing'))).toEqual([expect.stringContaining('customer.nothing')]);
    expect(await problemsOf(eq('what.name'))).toEqual([expect.stringContaining('what.name')]);
    expect(await problemsOf(eq('customer.account.director.pid'))).toEqual([expect.stringContaining('is not a field')]);
    expect(await problemsOf(eq('customer.tier', 'gild'))).toEqual([expect.stringContaining('gold, iron')]);
    expect(await problemsOf(eq('customer.size', 'much'))).toEqual([expect.stringContaining('customer.size')]);
    expect(await problemsOf(eq('customer.keeper', '$mee'))).toEqual([expect.stringContaining('$mee')]);
  });

  it('keeps the fields that it reads: a model that loses one is refused', async () => {
    const fields = customerFields(account.code).filter(({ code }) => code !== 'keeper');
    const refused = await failureOf(changeModel(customer, { fields }));
    expect(JSON.stringify(refused)).toContain('customer.keeper');
  });
});
