import { execute, type Answered, expectRefusal } from '../support/api.ts';
import { insert, newCode, newModel, newRole, save as publish, type TestModel } from '../support/models.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

let tenant: TestTenant;
let admin: TestUser;
let user: TestUser;
/** Prices of items; `cost` is protected, and a row rule hides what is not for sale. */
let item: TestModel;
let order: TestModel;

beforeAll(async () => {
  tenant = await newTenant();
  admin = await newUser(['PLATFORM_ADMIN'], tenant);
  item = await newModel({
    fields: [
      { code: 'sku', name: 'Number', type: 'string' },
      { code: 'price', name: 'Price', type: 'decimal' },
      { code: 'cost', name: 'Cost', type: 'decimal', readPermission: true },
      { code: 'state', name: 'State', type: 'enum', values: ['sold', 'hidden'] },
    ],
    rowRules: [
      {
        name: 'for sale',
        conditions: [{ fieldName: 'state', operator: 'eq', value: 'sold' }],
        unless: 'admin:metadata',
      },
    ],
  });
  order = await newModel({
    fields: [
      { code: 'sku', name: 'Number', type: 'string' },
      { code: 'count', name: 'Count', type: 'integer' },
      { code: 'total', name: 'Total', type: 'decimal' },
    ],
  });
  // Not `record:read` of the items: the right to execute a command covers what it reads.
  user = await newUser([await newRole(['command:execute:test:*', `record:read:${order.code}`])], tenant);
  const items = [
    { sku: 'a', price: '1.10', cost: '0.9', state: 'sold' },
    { sku: 'b', price: '2.20', cost: '0.2', state: 'sold' },
    { sku: 'c', price: '3.30', cost: '0.1', state: 'hidden' },
  ];
  await insert(tenant, item.code, items);
  await insert(await newTenant(), item.code, [{ sku: 'a', price: '9', cost: '9', state: 'sold' }]);
});

const payload = [
  { code: 'sku', name: 'Number', type: 'string' },
  { code: 'count', name: 'Count', type: 'integer' },
  { code: 'rate', name: 'Rate', type: 'decimal' },
] as const;

function content(steps: readonly object[], more: object = {}) {
  return { name: 'Order', modelCode: order.code, operations: ['CUSTOM'] as const, payload, steps, ...more };
}

async function command(steps: readonly object[], more: object = {}): Promise<string> {
  const code = `test:${newCode()}`;
  await publish('dev', { resourceType: 'COMMAND', code, content: content(steps, more) });
  return code;
}

const run = async (code: string, given: object = {}, { token } = user, more: object = {}): Promise<Answered> =>
  execute(token, code, { payload: given, ...more });

/** The problems of a command that is saved with these steps, by path. */
async function problems(steps: readonly object[], more: object = {}): Promise<Record<string, string>> {
  const resource = { resourceType: 'COMMAND', code: `test:${newCode()}`, content: content(steps, more) };
  const { body } = await execute(admin.token, 'meta:save', { payload: resource });
  const errors = Object.entries((body.data?.fieldErrors ?? {}) as Record<string, string>);
  return Object.fromEntries(errors.map(([path, problem]) => [path.split(' ').at(-1) ?? '', problem]));
}

const bySku = { fieldName: 'sku', operator: 'eq', value: 'payload.sku' };
const query = (more: object = {}) => ({ id: 'q', type: 'query', modelCode: item.code, ...more });

describe('a step of type set', () => {
  it('names values, which later steps and the result read; decimals and times stay exact', async () => {
    const code = await command(
      [
        { id: 's', type: 'set', values: { total: 'payload.rate * payload.count', until: 'now + duration("24h")' } },
        { id: 'more', type: 'set', values: { twice: 'steps.s.total * 2', isLater: 'steps.s.until > now' } },
        { id: 'made', operation: 'CREATE', modelCode: order.code, values: { total: 'steps.more.twice' } },
      ],
      { result: { once: 'steps.s.total', made: 'steps.made', isLater: 'steps.more.isLater' } },
    );

    const { body } = await run(code, { rate: '0.1', count: 3 });

    expect(body.data).toMatchObject({ once: '0.3', made: { total: '0.6' }, isLater: true });
  });

  it('is left out of what a command without a result answers, and null when `when` is false', async () => {
    const set = { id: 's', type: 'set', values: { one: '1' }, when: 'payload.count > 5' };
    const made = {
      id: 'made',
      operation: 'CREATE',
      modelCode: order.code,
      values: { count: 'steps.s == null ? 0 : steps.s.one' },
    };
    const code = await command([set, made]);

    expect((await run(code, { count: 1 })).body.data).toEqual({ made: expect.objectContaining({ count: 0 }) });
    expect((await run(code, { count: 6 })).body.data).toEqual({ made: expect.objectContaining({ count: 1 }) });
  });

  it('is refused with a place where an expression, a later use or its shape is wrong', async () => {
    const set = { id: 's', type: 'set', values: { n: 'payload.count + 1', t: '"x"' } };

    expect(await problems([set], { result: { a: 'steps.s.wat', b: 'steps.s.t + 1' } })).toEqual({
      'content.result.a': expect.stringMatching(/line 1, column 9.*wat/),
      'content.result.b': expect.stringMatching(/line 1, column/),
    });
    expect(await problems([{ ...set, values: { n: 'payload.wat' } }])).toEqual({
      'content.steps.0.values.n': expect.stringContaining('wat'),
    });
    expect(await problems([{ id: 's', type: 'set' }])).toEqual({ 'content.steps.0.values': 'is required' });
    expect(await problems([{ ...set, modelCode: 'lead' }])).toEqual({
      'content.steps.0.modelCode': 'is not a known key',
    });
    expect(await problems([{ id: 's', type: 'guess' }])).toEqual({
      'content.steps.0': 'needs type, with one of its known values',
    });
    expect(await problems([{ id: 's' }])).toMatchObject({ 'content.steps.0.operation': 'is required' });
  });
});

describe('a step of type query', () => {
  it('reads the first record that fits, or null', async () => {
    const code = await command([query({ filters: [bySku] })], {
      result: { price: 'steps.q.record == null ? null : steps.q.record.price', found: 'size(steps.q.records)' },
    });

    expect((await run(code, { sku: 'b' })).body.data).toEqual({ price: '2.20', found: 1 });
    expect((await run(code, { sku: 'nothing' })).body.data).toEqual({ price: null, found: 0 });
  });

  it('sorts and limits; exact values go on into other steps', async () => {
    const code = await command(
      [
        query({ sortField: 'price', sortOrder: 'desc', limit: 2, fields: ['sku', 'price'] }),
        { id: 's', type: 'set', values: { sum: 'steps.q.records[0].price + steps.q.records[1].price' } },
        {
          id: 'made',
          operation: 'CREATE',
          modelCode: order.code,
          values: { sku: 'steps.q.record.sku', total: 'steps.s.sum' },
        },
      ],
      { result: { all: 'steps.q.records', made: 'steps.made' } },
    );

    const { body } = await run(code, {}, admin);

    expect(body.data.all).toEqual([
      { sku: 'c', price: '3.30' },
      { sku: 'b', price: '2.20' },
    ]);
    expect(body.data.made).toMatchObject({ sku: 'c', total: '5.50' });
  });

  it('sees what the command has written, in dry runs as well', async () => {
    const made = { id: 'made', operation: 'CREATE', modelCode: order.code, values: { sku: 'payload.sku', count: '1' } };
    const filters = [bySku];
    const measures = [
      { fn: 'count', as: 'orders' },
      { fn: 'sum', fieldName: 'count', as: 'pieces' },
    ];
    const figures = { id: 'q', type: 'query', modelCode: order.code, filters, measures };
    const code = await command([made, figures], { result: { orders: 'steps.q.orders', pieces: 'steps.q.pieces + 1' } });
    const sku = newCode();

    const rehearsed = await run(code, { sku }, user, { dryRun: true });
    const first = await run(code, { sku });
    const second = await run(code, { sku });

    expect(rehearsed.body.data.result).toEqual({ orders: 1, pieces: '2' });
    expect(first.body.data).toEqual({ orders: 1, pieces: '2' });
    expect(second.body.data).toEqual({ orders: 2, pieces: '3' });
  });

  it("binds the tenant and the caller's row rules", async () => {
    const code = await command([query({ limit: 100, sortField: 'sku' })], {
      result: { all: 'steps.q.records.map(r, r.sku)' },
    });
    const count = await command([query({ measures: [{ fn: 'count', as: 'n' }] })], { result: { n: 'steps.q.n' } });

    expect((await run(code)).body.data).toEqual({ all: ['a', 'b'] });
    expect((await run(code, {}, admin)).body.data).toEqual({ all: ['a', 'b', 'c'] });
    expect((await run(count)).body.data).toEqual({ n: 2 });
    expect((await run(count, {}, admin)).body.data).toEqual({ n: 3 });
  });

  it('leaves out of the answer what comes from a hidden field, or was looked for by one, unless it is revealed', async () => {
    const steps = [query({ filters: [bySku] }), { ...query({ sortField: 'cost' }), id: 'cheap' }];
    const result = {
      whole: 'steps.q.record',
      cost: 'steps.q.record.cost',
      isDear: 'steps.q.record.cost > 0.5',
      price: 'steps.q.record.price',
      cheapest: 'steps.cheap.record.sku',
    };
    const code = await command(steps, { result });
    const revealing = await command(steps, { result, reveals: [`${item.code}.cost`] });

    const cut = (await run(code, { sku: 'a' })).body.data;
    const shown = (await run(revealing, { sku: 'a' })).body.data;

    expect(cut).toEqual({ price: '1.10', whole: expect.not.objectContaining({ cost: expect.anything() }) });
    expect(cut.whole).toMatchObject({ sku: 'a', price: '1.10' });
    expect(shown).toMatchObject({ cost: '0.9', isDear: true, cheapest: 'b', whole: { cost: '0.9' } });
  });

  it('fails at its filter where a computed value does not fit', async () => {
    const filters = [{ fieldName: 'price', operator: 'gt', value: 'payload.sku' }];
    const code = await command([query({ filters })], { result: { n: 'size(steps.q.records)' } });

    expectRefusal(await run(code, { sku: 'many' }), 'VALIDATION_ERROR', {
      fieldErrors: { 'q.price': 'must be a decimal number' },
    });
  });

  it('is refused with a place where it cannot work', async () => {
    const wrong = query({
      filters: [
        { fieldName: 'wat', operator: 'eq', value: '1' },
        { fieldName: 'sku', operator: 'equals', value: '"a"' },
        { fieldName: 'state', operator: 'eq', value: '"lost"' },
        { fieldName: 'price', operator: 'gt', value: '"much"' },
        { fieldName: 'price', operator: 'gt' },
        { fieldName: 'sku', operator: 'eq', value: 'payload.wat' },
      ],
      sortField: 'nope',
      fields: ['none'],
    });

    expect(await problems([wrong], { result: { a: 'steps.q.wat', b: 'steps.q.record.wat' } })).toEqual({
      'content.steps.0.filters.0.fieldName': `is not a field of ${item.code}`,
      'content.steps.0.filters.1.operator': expect.stringContaining('must be one of eq, '),
      'content.steps.0.filters.2.value': 'must be one of sold, hidden',
      'content.steps.0.filters.3.value': 'must be a decimal number',
      'content.steps.0.filters.4.value': 'is required',
      'content.steps.0.filters.5.value': expect.stringContaining('wat'),
      'content.steps.0.sortField': `is not a field of ${item.code}`,
      'content.steps.0.fields.0': `is not a field of ${item.code}`,
      'content.result.a': expect.stringMatching(/line 1, column 9.*wat/),
      'content.result.b': expect.stringMatching(/line 1, column 16.*wat/),
    });
    expect(await problems([query({ limit: 101 })])).toEqual({
      'content.steps.0.limit': 'must not be greater than 100',
    });
    const measures = [
      { fn: 'sum', as: 'n' },
      { fn: 'sum', fieldName: 'sku', as: 'n' },
    ];
    expect(await problems([query({ measures, limit: 5 })])).toEqual({
      'content.steps.0.limit': 'is not for a query with measures',
      'content.steps.0.measures.0.fieldName': 'is required',
      'content.steps.0.measures.1.fn': 'is not for a string field',
      'content.steps.0.measures.1.as': 'is named twice',
    });
    expect(await problems([query({ modelCode: 'nothing' })])).toMatchObject({
      'content.steps.0.modelCode': expect.stringContaining('nothing'),
    });
  });

  it('warns where it copies a hidden value into a field that anyone may read', async () => {
    const steps = [
      query(),
      { id: 'made', operation: 'CREATE', modelCode: order.code, values: { total: 'steps.q.record.cost' } },
    ];
    const resource = { resourceType: 'COMMAND', code: `test:${newCode()}`, content: content(steps) };

    const { body } = await execute(admin.token, 'meta:save', { payload: resource });

    expect(body.data.warnings).toEqual([
      {
        path: 'content.steps.1.values.total',
        message: `copies ${item.code}.cost into ${order.code}.total, which anyone may read`,
      },
    ]);
  });
});
