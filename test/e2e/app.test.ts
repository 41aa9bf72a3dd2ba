import type { FieldContent } from '../../src/platform/metadata/field-types/field-content.ts';
import { call, type Answered } from '../support/api.ts';
import { changeModel, newCode, newModel, newRole, save, type TestModel } from '../support/models.ts';
import { until } from '../support/faults.ts';
import { anotherNode } from '../support/nodes.ts';
import { newTenant, newUser, type TestTenant } from '../support/world.ts';

const label = newCode();
const target = newCode();
const custom = `test:${newCode()}`;
const [dataSource, automation, assistant] = [newCode(), newCode(), newCode()];
let tenant: TestTenant;
let model: TestModel;

const fields = (): FieldContent[] => [
  { code: 'name', name: `$i18n:${label}.name`, type: 'string', required: true, maxLength: 40 },
  { code: 'state', name: 'State', type: 'enum', values: ['open', 'done'], default: 'open' },
  { code: 'account', name: 'Account', type: 'relation', target },
  { code: 'hidden_one', name: 'Hidden', type: 'integer', readPermission: true },
  { code: 'fixed', name: 'Fixed', type: 'decimal', min: 1, writePermission: true },
  { code: 'extra', name: 'Extra', type: 'json' },
];

beforeAll(async () => {
  tenant = await newTenant();
  await save('dev', {
    resourceType: 'MODEL',
    code: target,
    content: { name: 'T', fields: [{ code: 'name', name: 'Name', type: 'string' }] },
  });
  model = await newModel({ fields: fields().slice(0, 1) });
  await changeModel(model, { fields: fields() });
  const steps = [{ id: 'one', operation: 'CREATE', modelCode: model.code, values: { name: '"x"' } }];
  const messages = (text: string) => ({ [`${label}.name`]: text });
  await save(
    'dev',
    { resourceType: 'I18N', code: label, content: { locale: 'en', messages: messages('Full name') } },
    { resourceType: 'I18N', code: `${label}.zh`, content: { locale: 'zh-CN', messages: messages('全名') } },
    {
      resourceType: 'COMMAND',
      code: custom,
      content: {
        name: 'Custom',
        modelCode: model.code,
        operations: ['CUSTOM'],
        target: true,
        steps,
        payload: [{ code: 'note', name: 'Note', type: 'text', required: true }],
      },
    },
    {
      resourceType: 'PAGE_SCHEMA',
      code: model.code,
      content: {
        name: 'Things',
        modelCode: model.code,
        commands: [model.command, custom],
        columns: [
          'name',
          { fieldName: 'fixed', label: 'Price', format: 'currency:EUR', width: 90 },
          'hidden_one',
          'extra',
        ],
        sortFields: [
          { fieldName: 'hidden_one', order: 'desc' },
          { fieldName: 'name', order: 'asc' },
        ],
        form: { sections: [{ name: 'All', fields: ['name', 'hidden_one'] }, { fields: ['hidden_one'] }].slice(0, 1) },
      },
    },
    { resourceType: 'DATASOURCE', code: dataSource, content: { name: 'Rows', kind: 'static', rows: [] } },
    {
      resourceType: 'AUTOMATION',
      code: automation,
      content: {
        name: 'Later',
        trigger: { type: 'manual' },
        steps: [{ id: 'a', type: 'wait', seconds: 1 }],
        input: [{ code: 'thing', name: 'Thing', type: 'relation', target: model.code, required: true }],
      },
    },
    {
      resourceType: 'ASSISTANT',
      code: assistant,
      content: { name: 'Helper', systemPrompt: 'x', provider: 'builtin', tools: { list: [model.code] } },
    },
  );
});

const app = (token: string, headers: Record<string, string> = {}, baseUrl?: string): Promise<Answered> =>
  call('/api/meta/app', { token, headers, ...(baseUrl !== undefined && { baseUrl }) });
const userWith = async (...codes: string[]): Promise<string> => (await newUser([await newRole(codes)], tenant)).token;
const read = (): string => `record:read:${model.code}`;

describe('GET /api/meta/app', () => {
  it('says nothing to a caller without permissions', async () => {
    const { data } = (await app(await userWith())).body;

    const nothing = {
      pages: [],
      models: [],
      commands: [],
      dataSources: [],
      views: [],
      automations: [],
      assistants: [],
      dashboards: [],
    };
    const about = { environment: 'dev', metadataVersion: expect.any(Number), timeZone: 'UTC' };
    expect(data).toEqual({ ...about, ...nothing });
  });

  it('describes the pages and models that the caller reads, without hidden fields and unknown models', async () => {
    const { data } = (await app(await userWith(read()))).body;

    expect(data.pages).toEqual([
      {
        pageKey: model.code,
        name: 'Things',
        modelCode: model.code,
        columns: [
          { fieldName: 'name', label: 'Full name', sortable: true },
          { fieldName: 'fixed', label: 'Price', sortable: true, format: 'currency:EUR', width: 90 },
          { fieldName: 'extra', label: 'Extra', sortable: false },
        ],
        sortFields: [{ fieldName: 'name', order: 'asc' }],
        form: { sections: [{ name: 'All', fields: ['name'] }] },
        commands: [],
        operators: expect.objectContaining({
          json: ['is_null', 'is_not_null'],
          relation: expect.arrayContaining(['eq', 'in', 'is_null']),
        }),
      },
    ]);
    expect(data.models).toMatchObject([{ code: model.code, name: model.code }]);
    const described = data.models[0].fields;
    expect(described).toEqual(
      expect.arrayContaining([
        { code: 'pid', name: 'pid', type: 'string', required: true, readOnly: true },
        { code: 'name', name: 'Full name', type: 'string', required: true, readOnly: false, maxLength: 40 },
        {
          code: 'state',
          name: 'State',
          type: 'enum',
          required: false,
          readOnly: false,
          default: 'open',
          values: ['open', 'done'],
          labels: { open: 'open', done: 'done' },
        },
        { code: 'account', name: 'Account', type: 'relation', required: false, readOnly: false },
        { code: 'fixed', name: 'Fixed', type: 'decimal', required: false, readOnly: true, min: 1 },
      ]),
    );
    for (const secret of ['hidden_one', target, custom, dataSource, automation, assistant]) {
      expect(JSON.stringify(data)).not.toContain(secret);
    }
  });

  it('names the target of a relation to those who may read it', async () => {
    const { data } = (await app(await userWith(read(), `record:read:${target}`))).body;

    const [relation] = data.models
      .find(({ code }: { code: string }) => code === model.code)
      .fields.filter(({ code }: { code: string }) => code === 'account');
    expect(relation.target).toBe(target);
  });

  it('has the commands that the caller may execute, each with a JSON Schema of its payload', async () => {
    const { data } = (await app(await userWith(`command:execute:${model.command}`, `command:execute:${custom}`))).body;

    expect(data.pages).toEqual([]);
    const [own, of] = [custom, model.command].map((wanted) =>
      data.commands.find(({ code }: { code: string }) => code === wanted),
    );
    expect(own).toEqual({
      code: custom,
      name: 'Custom',
      modelCode: model.code,
      operations: ['CUSTOM'],
      target: true,
      fields: [{ code: 'note', name: 'Note', type: 'text', required: true, readOnly: false }],
      payloadSchema: {
        type: 'object',
        properties: { note: { title: 'Note', type: 'string', minLength: 1, maxLength: 100_000 } },
        required: ['note'],
        additionalProperties: false,
      },
    });
    expect(Object.keys(of.payloadSchema.properties)).toEqual(['name', 'state', 'account', 'extra']);
    expect(of.payloadSchema.required).toBeUndefined();
  });

  it('tells the transitions of states and of commands, to those who may read the field', async () => {
    const states = { type: 'enum' as const, values: ['open', 'done'] };
    const { code } = await newModel({
      fields: [
        { code: 'state', name: 'State', ...states, transitions: { open: ['done'] } },
        { code: 'secret', name: 'Secret', ...states, readPermission: true },
      ],
    });
    const [finish, hide] = [`test:${newCode()}`, `test:${newCode()}`];
    const transition = { field: 'state', from: ['open'], to: 'done' };
    const content = { name: 'test', modelCode: code, operations: ['UPDATE'] };
    await save(
      'dev',
      { resourceType: 'COMMAND', code: finish, content: { ...content, transition } },
      { resourceType: 'COMMAND', code: hide, content: { ...content, transition: { ...transition, field: 'secret' } } },
    );
    const token = await userWith(`record:read:${code}`, 'command:execute:test:*');
    const { models, commands } = (await app(token)).body.data;
    const find = (all: { code: string }[], wanted: string) => all.find((one) => one.code === wanted);

    expect(find((find(models, code) as unknown as { fields: { code: string }[] }).fields, 'state')).toMatchObject({
      transitions: { open: ['done'] },
    });
    expect(find(commands, finish)).toMatchObject({ transition });
    expect(find(commands, hide)).not.toHaveProperty('transition');
  });

  it('offers on a page the commands that the caller may execute', async () => {
    const { data } = (await app(await userWith(read(), `command:execute:${custom}`))).body;

    expect(data.pages[0].commands).toEqual([custom]);
  });

  it('has the data sources, automations and assistants that the caller may use', async () => {
    const codes = [`datasource:read:${dataSource}`, `automation:run:${automation}`, `assistant:use:${assistant}`];
    const { data } = (await app(await userWith(...codes))).body;

    const paramsSchema = { type: 'object', properties: {}, additionalProperties: false };
    expect(data.dataSources).toEqual([{ code: dataSource, name: 'Rows', paramsSchema }]);
    expect(data.automations).toMatchObject([
      {
        code: automation,
        name: 'Later',
        inputSchema: { required: ['thing'], properties: { thing: { title: 'Thing' } } },
      },
    ]);
    expect(data.assistants).toEqual([{ code: assistant, name: 'Helper' }]);
  });

  it('is in the language of the request, and 304 to who has it already, on any node', async () => {
    const token = await userWith(read());
    const chinese = await app(token, { 'accept-language': 'zh-CN' });
    expect(chinese.body.data.pages[0].columns[0].label).toBe('全名');
    const other = await anotherNode();
    // Other tests change the configuration meanwhile.
    const etag = await until('nothing changes between three requests', async () => {
      const known = (await app(token)).headers.get('etag') ?? '';
      const headers = { 'if-none-match': known };
      const again = [await app(token, headers), await app(token, headers, other)];
      return again.every(({ status, headers: of }) => status === 304 && of.get('etag') === known) ? known : null;
    });
    expect(etag).not.toBe(chinese.headers.get('etag'));

    await save('dev', {
      resourceType: 'DATASOURCE',
      code: newCode(),
      content: { name: 'R', kind: 'static', rows: [] },
    });
    expect(await app(token, { 'if-none-match': etag })).toMatchObject({ status: 200 });
  });
});
