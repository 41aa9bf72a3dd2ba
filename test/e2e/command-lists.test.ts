import type { CommandContent } from '../../src/features/commands/definition/command-content.ts';
import type { FieldContent } from '../../src/platform/metadata/field-types/field-content.ts';
import { call, dataOf, execute, expectRefusal } from '../support/api.ts';
import { newCode, newModel, newRole, save, type TestModel } from '../support/models.ts';
import { failureOf } from '../support/platform.ts';
import { newUser, signedIn } from '../support/world.ts';

let parent: TestModel;
let line: TestModel;
let command: string;

const { tenant, user } = signedIn('ADMIN');

const list = (over: Partial<FieldContent> = {}): FieldContent => ({
  code: 'items',
  name: 'Items',
  type: 'list',
  required: true,
  maxItems: 3,
  fields: [
    { code: 'name', name: 'Name', type: 'string', required: true },
    { code: 'quantity', name: 'Quantity', type: 'integer', min: 1, default: 1 },
    { code: 'price', name: 'Price', type: 'decimal', scale: 2 },
    { code: 'kind', name: 'Kind', type: 'enum', values: ['new', 'used'] },
    { code: 'due', name: 'Due', type: 'date', default: '$today' },
    { code: 'other', name: 'Other', type: 'relation', target: parent.code },
  ],
  ...over,
});

const content = (over: Partial<CommandContent> = {}): CommandContent => ({
  name: 'Add',
  modelCode: parent.code,
  operations: ['CUSTOM'],
  payload: [list()],
  steps: [
    { id: 'parent', operation: 'CREATE', modelCode: parent.code, values: { name: '"p"' } },
    {
      id: 'lines',
      operation: 'CREATE',
      modelCode: line.code,
      forEach: 'payload.items',
      values: { name: 'item.name', total: 'item.price == null ? null : item.price * item.quantity', due: 'item.due' },
    },
  ],
  result: { lines: 'steps.lines', sum: 'steps.lines.filter(one, one.total != null).map(one, one.total)' },
  ...over,
});

const saved = async (of: CommandContent): Promise<string> => {
  const code = `test:${newCode()}`;
  await save('dev', { resourceType: 'COMMAND', code, content: of });
  return code;
};
const problemsOf = async (of: CommandContent): Promise<Record<string, unknown>> => {
  const { data } = (await failureOf(saved(of))) as { data: { fieldErrors: Record<string, unknown> } };
  return Object.fromEntries(Object.entries(data.fieldErrors).map(([path, said]) => [path.split(' ').at(-1), said]));
};
const run = (items: unknown) => execute(user.token, command, { payload: { items } });
const linesThere = async () =>
  dataOf(await call(`/api/dynamic/${line.code}/list`, { token: user.token })).total as number;

beforeAll(async () => {
  parent = await newModel({ fields: [{ code: 'name', name: 'Name', type: 'string' }] });
  line = await newModel({
    fields: [
      { code: 'name', name: 'Name', type: 'string', unique: true },
      { code: 'total', name: 'Total', type: 'decimal', scale: 2, max: 1000 },
      { code: 'due', name: 'Due', type: 'date' },
    ],
  });
  command = await saved(content());
});

describe('a list in the payload of a command', () => {
  it('has a record made for each item, with the defaults of its fields', async () => {
    const name = newCode();
    const { lines, sum } = dataOf(
      await run([
        { name: `${name}1`, price: '2.50', quantity: 2 },
        { name: `${name}2`, due: '2026-02-01' },
      ]),
    );
    expect(lines).toMatchObject([
      { name: `${name}1`, total: '5.00', due: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) },
      { name: `${name}2`, total: null, due: '2026-02-01' },
    ]);
    expect(sum).toHaveLength(1);
  });

  it('has every wrong item named', async () => {
    const pid = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
    expectRefusal(
      await run([
        { name: 'a', quantity: 0 },
        { kind: 'old', x: 1 },
        { name: 'c', price: '1.234' },
      ]),
      'VALIDATION_ERROR',
      {
        fieldErrors: {
          'items[0].quantity': 'must not be less than 1',
          'items[1].name': 'is required',
          'items[1].kind': expect.stringContaining('must be one of new, used'),
          'items[1].x': 'is not a field of this list',
          'items[2].price': 'must have at most 2 digits after the point',
        },
      },
    );
    expectRefusal(await run([{ name: 'a' }, { name: 'b', other: pid }]), 'VALIDATION_ERROR', {
      fieldErrors: { 'items[1].other': `is not a record of ${parent.code}` },
    });
  });

  it('is bounded, and required means one item at least', async () => {
    const wrong = async (items: unknown, problem: string) =>
      expectRefusal(await run(items), 'VALIDATION_ERROR', { fieldErrors: { items: problem } });
    await wrong([], 'is required');
    await wrong(null, 'is required');
    await wrong('a', 'must be a list of objects');
    await wrong([1], 'must be a list of objects');
    await wrong([[]], 'must be a list of objects');
    await wrong([{}, {}, {}, {}], 'must not hold more than 3');
  });

  it('writes all or none, and says which item is to blame', async () => {
    const name = newCode();
    const before = await linesThere();
    expectRefusal(await run([{ name }, { name: `${name}b` }, { name }]), 'CONFLICT', { path: 'items[2]' });
    expectRefusal(await run([{ name }, { name: `${name}b`, price: '900', quantity: 2 }]), 'VALIDATION_ERROR', {
      fieldErrors: { 'items[1].total': expect.any(String) },
    });
    expect(await linesThere()).toBe(before);
  });

  it('is described in meta/app with its items', async () => {
    const application = dataOf(await call('/api/meta/app', { token: user.token }));
    const shown = application.commands.find(({ code }: { code: string }) => code === command);
    expect(shown.fields).toMatchObject([
      {
        code: 'items',
        type: 'list',
        maxItems: 3,
        fields: [{ code: 'name', required: true }, { code: 'quantity', min: 1 }, { code: 'price' }, {}, {}, {}],
      },
    ]);
    expect(shown.payloadSchema.properties.items).toMatchObject({
      type: 'array',
      minItems: 1,
      maxItems: 3,
      items: { type: 'object', required: ['name'], additionalProperties: false },
    });
  });
});

describe('a list is refused when it is saved', () => {
  it('in a model, and within a list', async () => {
    const fields: FieldContent[] = [{ ...list(), required: false }];
    const { data } = (await failureOf(newModel({ fields }))) as { data: { fieldErrors: Record<string, unknown> } };
    expect(Object.values(data.fieldErrors)).toContain('is for the payload of a command and the input of an automation');
    const nested = { ...list(), fields: [list()] } as unknown as FieldContent;
    expect(Object.keys(await problemsOf(content({ payload: [nested] })))).toEqual(
      expect.arrayContaining([expect.stringContaining('payload.0.fields.0')]),
    );
  });

  it('without fields, with wrong ones, with bounds that contradict each other', async () => {
    const { fields: _fields, ...bare } = list();
    expect(Object.keys(await problemsOf(content({ payload: [bare] })))).toEqual(['content.payload.0.fields']);
    const wrong = list({
      minItems: 9,
      fields: [
        { code: 'name', name: 'Name', type: 'string', min: 1 },
        { code: 'name', name: 'Name', type: 'relation', target: 'nothing_at_all' },
      ],
    });
    const problems = await problemsOf(content({ payload: [wrong] }));
    expect(problems).toMatchObject({
      'content.payload.0.minItems': 'must not be greater than 3',
      'content.payload.0.fields.0.min': expect.any(String),
      'content.payload.0.fields.1.code': 'is used by two fields',
    });
    const strange = list({ fields: [{ code: 'a', name: 'A', type: 'relation', target: 'nothing_at_all' }] });
    const steps = [{ id: 'a', type: 'set', values: { b: '1' } }];
    expect(await problemsOf(content({ payload: [strange], steps: steps, result: { a: '1' } }))).toEqual({
      'content.payload.0.fields.0.target': 'nothing_at_all is not a model',
    });
  });

  it('where an expression names what an item lacks, repeats what is no list, or reads an item outside', async () => {
    const step = { id: 'lines', operation: 'CREATE', modelCode: line.code };
    const wrong = async (of: object) => problemsOf(content({ steps: [{ ...step, ...of }], result: { a: '1' } }));
    expect(await wrong({ forEach: 'payload.items', values: { name: 'item.nmae' } })).toMatchObject({
      'content.steps.0.values.name': expect.stringContaining('nmae'),
    });
    expect(await wrong({ forEach: 'payload', values: { name: '"a"' } })).toEqual({
      'content.steps.0.forEach': 'is not a list',
    });
    expect(await wrong({ values: { name: 'item.name' } })).toMatchObject({
      'content.steps.0.values.name': expect.stringContaining('item'),
    });
    expect(await wrong({ operation: 'DELETE', target: '"x"', forEach: 'payload.items' })).toHaveProperty([
      'content.steps.0.forEach',
    ]);
  });
});

describe('a list that is not given', () => {
  it('has no items', async () => {
    const optional = await saved(content({ payload: [list({ required: false })], result: { lines: 'steps.lines' } }));
    expect(dataOf(await execute(user.token, optional, { payload: {} }))).toEqual({ lines: [] });
  });
});

describe('who may not read a field', () => {
  it('is not told it by the list that is written to it', async () => {
    const hidden = await newModel({
      fields: [
        { code: 'name', name: 'Name', type: 'string' },
        { code: 'secret', name: 'Secret', type: 'string', readPermission: true },
      ],
    });
    const code = await saved(
      content({
        payload: [list({ fields: ['a', 'b'].map((one) => ({ code: one, name: one, type: 'string' as const })) })],
        steps: [
          {
            id: 'made',
            operation: 'CREATE',
            modelCode: hidden.code,
            forEach: 'payload.items',
            values: { name: 'item.a', secret: 'item.b' },
          },
        ],
        result: { made: 'steps.made' },
      }),
    );
    const role = await newRole([`command:execute:${code}`, `record:read:${hidden.code}`]);
    const reader = await newUser([role], tenant);
    const { made } = dataOf(await execute(reader.token, code, { payload: { items: [{ a: 'x', b: 'y' }] } }));
    expect(made).toHaveLength(1);
    expect(made[0]).toMatchObject({ name: 'x' });
    expect(made[0]).not.toHaveProperty('secret');
  });
});
