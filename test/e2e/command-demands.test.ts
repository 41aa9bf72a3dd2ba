import type { CommandContent } from '../../src/features/commands/definition/command-content.ts';
import type { FieldContent } from '../../src/platform/metadata/field-types/field-content.ts';
import { call, dataOf, execute, expectRefusal } from '../support/api.ts';
import { newCode, newModel, roleDraft, save, type TestModel } from '../support/models.ts';
import { failureOf } from '../support/platform.ts';
import { newTenant, newUser, signedIn } from '../support/world.ts';

const fields: FieldContent[] = [
  { code: 'name', name: 'Name', type: 'string', required: true },
  { code: 'code', name: 'Code', type: 'string', unique: true },
  { code: 'size', name: 'Size', type: 'integer' },
  { code: 'note', name: 'Note', type: 'text' },
  { code: 'state', name: 'State', type: 'enum', values: ['new', 'open', 'closed'], default: 'new' },
];

let item: TestModel;

const { tenant, user } = signedIn('ADMIN');
beforeAll(async () => {
  item = await newModel({ fields });
});

async function newCommand(content: Partial<CommandContent>): Promise<string> {
  const code = `test:${newCode()}`;
  const common = { name: 'Do', modelCode: item.code, operations: ['UPDATE' as const] };
  await save('dev', { resourceType: 'COMMAND', code, content: { ...common, ...content } });
  return code;
}

async function problemsOf(content: object): Promise<Record<string, unknown>> {
  const { data } = (await failureOf(newCommand(content))) as { data: { fieldErrors: Record<string, unknown> } };
  return Object.fromEntries(
    Object.entries(data.fieldErrors).map(([path, problem]) => [path.split(' ').at(-1), problem]),
  );
}

const create = async (payload: object): Promise<string> =>
  dataOf(await execute(user.token, item.command, { payload })).pid as string;
const update = (command: string, targetRecordId: string, payload?: object, { token } = user) =>
  execute(token, command, { targetRecordId, payload });
const fieldErrors = (answer: { body: { data: unknown } }) => (answer.body.data as { fieldErrors: object }).fieldErrors;
const NOT_OF_COMMAND = 'is not a field of this command';

describe('fields of a command', () => {
  it('are the only ones that its payload may have', async () => {
    const command = await newCommand({ operations: ['CREATE'], fields: ['name', 'note'] });

    expect(dataOf(await execute(user.token, command, { payload: { name: 'a', note: 'n' } }))).toMatchObject({
      note: 'n',
      state: 'new',
    });
    const refused = await execute(user.token, command, { payload: { name: 'a', size: 1, state: 'open', x: 1 } });
    expect(fieldErrors(refused)).toEqual({
      size: NOT_OF_COMMAND,
      state: NOT_OF_COMMAND,
      x: `is not a field of ${item.code}`,
    });
  });

  it('are named for each operation', async () => {
    const operations = ['CREATE', 'UPDATE', 'UPSERT'] as const;
    const taken = { CREATE: '*', UPDATE: ['size'], UPSERT: ['name', 'code'] } as const;
    const command = await newCommand({ operations: [...operations], matchOn: ['code'], fields: taken });
    const ask = (body: object) => execute(user.token, command, body);
    const code = newCode();
    const { pid } = dataOf(await ask({ operationType: 'CREATE', payload: { name: 'a', code, size: 1 } }));

    const target = { operationType: 'UPDATE', targetRecordId: pid };
    expect(dataOf(await ask({ ...target, payload: { size: 2 } }))).toMatchObject({ size: 2 });
    expect(fieldErrors(await ask({ ...target, payload: { name: 'b' } }))).toEqual({ name: NOT_OF_COMMAND });
    const upsert = { operationType: 'UPSERT', payload: { code, name: 'c' } };
    expect(dataOf(await ask(upsert))).toMatchObject({ pid, name: 'c', size: 2 });
    expect(fieldErrors(await ask({ ...upsert, payload: { code, size: 3 } }))).toEqual({ size: NOT_OF_COMMAND });
  });

  it('are none for a command with a transition that names none', async () => {
    const transition = { field: 'state', from: ['new'], to: 'open' };
    const bare = await newCommand({ transition });
    const named = await newCommand({ transition: { ...transition, from: ['open'], to: 'closed' }, fields: ['note'] });
    const pid = await create({ name: 'a' });

    expect(fieldErrors(await update(bare, pid, { name: 'b' }))).toEqual({ name: NOT_OF_COMMAND });
    expect(dataOf(await update(bare, pid))).toMatchObject({ name: 'a', state: 'open', version: 2 });
    expect(fieldErrors(await update(named, pid, { state: 'new' }))).toEqual({ state: 'is set by the command' });
    expect(dataOf(await update(named, pid, { note: 'n' }))).toMatchObject({ note: 'n', state: 'closed' });
  });

  it('are what the application says of the command to its callers', async () => {
    const command = await newCommand({ fields: ['note', 'size'] });
    const app = dataOf(await call('/api/meta/app', { token: user.token })) as {
      commands: { code: string; payloadSchema: { properties: object } }[];
    };
    const { payloadSchema } = app.commands.find(({ code }) => code === command) ?? {};
    expect(Object.keys(payloadSchema?.properties ?? {}).sort()).toEqual(['note', 'size']);
  });

  it('may be read by its expressions, and no others that an update never has', async () => {
    const rule = (assert: string) => ({ fields: ['note'], rules: [{ assert, message: 'No' }] });
    await newCommand(rule('payload.note != "x"'));
    expect(Object.keys(await problemsOf(rule('payload.size > 1')))).toEqual(['content.rules.0.assert']);
  });

  it.each<[string, object, string]>([
    ['is no field', { fields: ['name', 'nme'] }, 'content.fields.1'],
    ['the platform writes', { fields: ['version'] }, 'content.fields.0'],
    [
      'the transition sets',
      { fields: ['state'], transition: { field: 'state', from: ['new'], to: 'open' } },
      'content.fields.0',
    ],
    ['belongs to another operation', { fields: { CREATE: ['name'] } }, 'content.fields.CREATE'],
    ['a delete does not take', { operations: ['DELETE'], fields: ['name'] }, 'content.fields'],
  ])('are refused with one that %s', async (_what, content, path) => {
    expect(Object.keys(await problemsOf(content))).toEqual([path]);
  });

  it('have what every new record needs', async () => {
    expect(await problemsOf({ operations: ['CREATE'], fields: ['note'] })).toMatchObject({
      'content.fields': expect.anything(),
    });
    expect(await problemsOf({ operations: ['UPSERT'], matchOn: ['code'], fields: { UPSERT: ['name'] } })).toMatchObject(
      { 'content.fields.UPSERT': expect.anything() },
    );
  });

  it('are recommended where a role may write all of them', async () => {
    const admin = await newUser(['PLATFORM_ADMIN'], tenant);
    const code = `test:${newCode()}`;
    const role = newCode().toUpperCase();
    await save('dev', roleDraft(role, [`command:execute:${code}`]));
    const warnings = async (more: object) => {
      const content = { name: 'Do', modelCode: item.code, operations: ['UPDATE'], ...more };
      const answer = await execute(admin.token, 'meta:save', { payload: { resourceType: 'COMMAND', code, content } });
      return dataOf(answer).warnings as { path: string; message: string }[];
    };
    const message = expect.stringMatching(/^\w+ may write every field by it: name those that it takes, or \*$/);

    expect(await warnings({})).toEqual([{ path: 'content.fields', message }]);
    expect(await warnings({ fields: ['name'] })).toEqual([]);
    expect(await warnings({ fields: '*' })).toEqual([]);
    expect(await warnings({ operations: ['DELETE'] })).toEqual([]);
  });
});

describe('a step of the type require', () => {
  const count = {
    id: 'same',
    type: 'query',
    modelCode: '',
    filters: [{ fieldName: 'name', operator: 'eq', value: 'payload.name' }],
    measures: [{ fn: 'count', as: 'n' }],
  };
  const payload: FieldContent[] = [{ code: 'name', name: 'Name', type: 'string', required: true }];
  const stepsWith = (more: object) => [
    { id: 'made', operation: 'CREATE', modelCode: item.code, values: { name: 'payload.name' } },
    { ...count, modelCode: item.code },
    { id: 'once', type: 'require', assert: 'steps.same.n == 1', message: 'There is one', ...more },
  ];
  const custom = (more: object) => newCommand({ operations: ['CUSTOM'], payload, steps: stepsWith(more) });

  it('undoes the command unless what the steps before it gave is right: 409 with its reason', async () => {
    const command = await custom({ reason: 'NAME_TAKEN' });
    const name = newCode();

    expect(Object.keys(dataOf(await execute(user.token, command, { payload: { name } })))).toEqual(['made']);
    const again = await execute(user.token, command, { payload: { name } });
    expectRefusal(again, 'CONFLICT', { reason: 'NAME_TAKEN' });
    expect(again.body.message).toBe('There is one');
    const filters = JSON.stringify([{ fieldName: 'name', operator: 'eq', value: name }]);
    const found = await call(`/api/dynamic/${item.code}/list?filters=${encodeURIComponent(filters)}`, {
      token: user.token,
    });
    expect(dataOf(found).total).toBe(1);
  });

  it('is 400 at the fields that it names', async () => {
    const command = await custom({ status: 400, fields: ['name'] });
    const name = newCode();

    await execute(user.token, command, { payload: { name } });
    const again = await execute(user.token, command, { payload: { name } });
    expectRefusal(again, 'VALIDATION_ERROR', { fieldErrors: { name: 'There is one' } });
  });

  it('is not saved with keys of the other status', async () => {
    const of = (more: object) => ({ operations: ['CUSTOM'], payload, steps: stepsWith(more) });
    expect(Object.keys(await problemsOf(of({ fields: ['name'] })))).toEqual(['content.steps.2.fields']);
    expect(Object.keys(await problemsOf(of({ status: 400, reason: 'X' })))).toEqual(['content.steps.2.reason']);
  });
});

describe('the payload of a CUSTOM command', () => {
  const relation = (code: string): FieldContent => ({ code, name: code, type: 'relation', target: item.code });
  const custom = (payload: FieldContent[]) => {
    const values = Object.fromEntries(payload.map(({ code }) => [code, `payload.${code}`]));
    const steps = [{ id: 'all', type: 'set', values }];
    return newCommand({ operations: ['CUSTOM'], payload, steps, result: { all: 'steps.all' } });
  };

  it('has the defaults that a record has: the day, the time and the caller', async () => {
    const command = await custom([
      { code: 'day', name: 'Day', type: 'date', default: '$today' },
      { code: 'at', name: 'At', type: 'datetime', default: '$now' },
      { code: 'who', name: 'Who', type: 'user', default: '$user.pid' },
    ]);
    const { all } = dataOf(await execute(user.token, command, {}));
    expect(all).toEqual({
      day: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
      at: expect.stringMatching(/Z$/),
      who: user.pid,
    });
  });

  it('names records that are there, and people of the tenant', async () => {
    const command = await custom([relation('one'), { code: 'who', name: 'Who', type: 'user' }]);
    const one = await create({ name: 'a' });
    const stranger = await newUser(['ADMIN'], await newTenant());

    expect((await execute(user.token, command, { payload: { one, who: user.pid } })).status).toBe(200);
    const nobody = { one: '01J9ZQ4W7N0000000000000000' };
    expect(fieldErrors(await execute(user.token, command, { payload: nobody }))).toEqual({
      one: `is not a record of ${item.code}`,
    });
    expect(fieldErrors(await execute(user.token, command, { payload: { who: stranger.pid } }))).toEqual({
      who: 'is not a member of the tenant',
    });
  });

  it('is not saved with a relation to a model that there is not', async () => {
    const content = { operations: ['CUSTOM'], payload: [{ ...relation('one'), target: 'no_such' }] };
    const steps = [{ id: 'one', type: 'set', values: { a: '1' } }];
    expect(Object.keys(await problemsOf({ ...content, steps }))).toEqual(['content.payload.0.target']);
  });

  it('shows the labels of its enums', async () => {
    const values = ['a', 'b'];
    const command = await custom([{ code: 'kind', name: 'Kind', type: 'enum', values, labels: { a: 'Alpha' } }]);
    const app = dataOf(await call('/api/meta/app', { token: user.token })) as {
      commands: { code: string; fields?: object[] }[];
    };
    expect(app.commands.find(({ code }) => code === command)?.fields).toMatchObject([
      { code: 'kind', labels: { a: 'Alpha', b: 'b' } },
    ]);
  });
});

describe('assert and when', () => {
  const said = (type: string) => `says ${type}, not true or false`;

  it.each([
    ['record.name', 'string'],
    ['record.size + 1', 'double'],
    ['now', 'google.protobuf.Timestamp'],
    ['null', 'null'],
    ['record', 'object'],
    ['[true]', 'list'],
  ])('are not saved as %s', async (assert, type) => {
    const steps = [
      { id: 'one', type: 'require', assert, message: 'No' },
      { id: 'two', type: 'set', values: { a: '1' }, when: assert },
    ];
    const content = { operations: ['CUSTOM'], target: true, steps, rules: [{ assert, message: 'No' }] };
    expect(await problemsOf(content)).toEqual({
      'content.rules.0.assert': said(type),
      'content.steps.0.assert': said(type),
      'content.steps.1.when': said(type),
    });
  });

  it('end the command where the data makes of them what is neither true nor false', async () => {
    const payload: FieldContent[] = [{ code: 'any', name: 'Any', type: 'json' }];
    const steps = [{ id: 'one', type: 'require', assert: 'payload.any', message: 'No' }];
    const command = await newCommand({ operations: ['CUSTOM'], payload, steps });

    expect((await execute(user.token, command, { payload: { any: true } })).status).toBe(200);
    expect(fieldErrors(await execute(user.token, command, { payload: { any: 'yes' } }))).toEqual({
      'steps.one.assert': said('string'),
    });
  });
});

describe('the version of a record', () => {
  it('rises by one with each execution, however many of its steps write the record', async () => {
    const set = (id: string, values: object) => ({
      id,
      operation: 'UPDATE',
      modelCode: item.code,
      target: 'record.pid',
      values,
    });
    const steps = [set('first', { size: '1', note: '"n"' }), set('second', { size: '2', name: '"b"' })];
    const transition = { field: 'state', from: ['new'], to: 'open' };
    const command = await newCommand({ operations: ['CUSTOM'], target: true, transition, steps });
    const pid = await create({ name: 'a' });

    dataOf(await update(command, pid));
    const record = dataOf(await call(`/api/dynamic/${item.code}/${pid}`, { token: user.token }));
    expect(record).toMatchObject({ version: 2, size: 2, note: 'n', name: 'b', state: 'open' });
    const { records } = dataOf(await call(`/api/dynamic/${item.code}/${pid}/history`, { token: user.token }));
    expect(records).toMatchObject([
      {
        version: 2,
        changes: {
          name: { from: 'a', to: 'b' },
          note: { from: null, to: 'n' },
          size: { from: null, to: 2 },
          state: { from: 'new', to: 'open' },
        },
      },
      { version: 1, action: 'CREATE' },
    ]);
  });
});
