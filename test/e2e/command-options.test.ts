import { call, type Answered } from '../support/api.ts';
import { newAutomation, wait } from '../support/automations.ts';
import { insert, name, newCode, newModel, newRole, save, size, type TestModel } from '../support/models.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

const offered = ({ token }: TestUser, command: string, field: string, keyword = ''): Promise<Answered> =>
  call(`/api/meta/commands/options/${command}/${field}?keyword=${encodeURIComponent(keyword)}`, { token });
const NONE = { status: 404, body: { message: 'There is no such field with options' } };

describe('GET /api/meta/commands/options/{commandCode}/{field}', () => {
  let tenant: TestTenant;
  let customers: TestModel;
  let lend: string;
  let clerk: TestUser;
  let pids: string[];

  beforeAll(async () => {
    tenant = await newTenant();
    customers = await newModel({
      displayField: 'name',
      fields: [{ ...name, searchable: true }, size, { code: 'hidden', name: 'H', type: 'boolean' }],
      rowRules: [{ name: 'Not hidden', conditions: [{ fieldName: 'hidden', operator: 'ne', value: true }] }],
    });
    // The page of the command's model has no field `customer`, and another `kind`.
    const things = await newModel({ fields: [name, { code: 'kind', name: 'K', type: 'string' }] });
    lend = `test:lend_${newCode()}`;
    const customer = { code: 'customer', name: 'C', type: 'relation' as const, target: customers.code };
    await save('dev', {
      resourceType: 'COMMAND',
      code: lend,
      content: {
        name: 'Lend',
        modelCode: things.code,
        operations: ['CUSTOM'],
        payload: [
          customer,
          { code: 'kind', name: 'K', type: 'enum', values: ['day', 'week'], labels: { day: 'By the day' } },
          { code: 'by', name: 'B', type: 'user' },
          { code: 'note', name: 'N', type: 'string' },
          { code: 'lines', name: 'L', type: 'list', fields: [{ ...customer, code: 'to' }] },
        ],
        steps: [{ id: 'all', type: 'set', values: { all: 'payload' } }],
      },
    });
    pids = await insert(tenant, customers.code, [{ name: 'Ada' }, { name: 'Bob' }, { name: 'Cy', hidden: true }]);
    clerk = await newUser([await newRole([`command:execute:${lend}`, `record:read:${customers.code}`])], tenant);
  });

  it('offers the records that a relation of the payload may lead to, as far as the caller may see them', async () => {
    const [ada, bob] = pids;

    expect((await offered(clerk, lend, 'customer')).body.data).toEqual([
      { value: bob, label: 'Bob' },
      { value: ada, label: 'Ada' },
    ]);
    expect((await offered(clerk, lend, 'customer', 'ad')).body.data).toEqual([{ value: ada, label: 'Ada' }]);
    expect((await offered(clerk, lend, 'lines.to', 'bob')).body.data).toEqual([{ value: bob, label: 'Bob' }]);
  });

  it('offers the values of an enum of the payload, whatever the page calls by its code', async () => {
    expect((await offered(clerk, lend, 'kind')).body.data).toEqual([
      { value: 'day', label: 'By the day' },
      { value: 'week', label: 'week' },
    ]);
  });

  it('needs the right to execute the command, and to read what is chosen', async () => {
    const reader = await newUser([await newRole([`record:read:${customers.code}`])], tenant);
    expect(await offered(reader, lend, 'customer')).toMatchObject({
      status: 403,
      body: { data: { permission: `command:execute:${lend}` } },
    });
    const blind = await newUser([await newRole([`command:execute:${lend}`])], tenant);
    expect(await offered(blind, lend, 'customer')).toMatchObject(NONE);
    expect(await offered(clerk, lend, 'by')).toMatchObject({
      status: 403,
      body: { data: { permission: 'user:lookup' } },
    });
  });

  it('is NOT_FOUND for a field without options, or none, and for no command', async () => {
    for (const field of ['note', 'lines', 'lines.from', 'nothing', 'name']) {
      expect(await offered(clerk, lend, field)).toMatchObject(NONE);
    }
    const boss = await newUser(['ADMIN'], tenant);
    expect(await offered(boss, 'test:nothing', 'customer')).toMatchObject({ status: 404 });
  });

  it('has its like for the input of a run: GET /api/automations/{code}/options/{field}', async () => {
    const customer = { code: 'customer', name: 'C', type: 'relation' as const, target: customers.code };
    const code = await newAutomation({
      input: [customer, { code: 'lines', name: 'L', type: 'list', fields: [{ ...customer, code: 'to' }] }],
      steps: [wait('pause', 1)],
    });
    const found = ({ token }: TestUser, field: string) =>
      call(`/api/automations/${code}/options/${field}?keyword=ad`, { token });
    const runner = await newUser([await newRole([`automation:run:${code}`, `record:read:${customers.code}`])], tenant);
    const ada = [{ value: pids[0], label: 'Ada' }];

    expect((await found(runner, 'customer')).body.data).toEqual(ada);
    expect((await found(runner, 'lines.to')).body.data).toEqual(ada);
    expect(await found(runner, 'lines')).toMatchObject(NONE);
    expect(await found(clerk, 'customer')).toMatchObject({
      status: 403,
      body: { data: { permission: `automation:run:${code}` } },
    });
  });

  it('offers what the fields of the model offer, for a command that takes them', async () => {
    const model = await newModel({
      fields: [
        { code: 'state', name: 'S', type: 'enum', values: ['new', 'old'] },
        { code: 'secret', name: 'X', type: 'enum', values: ['a'], readPermission: true },
      ],
    });
    const user = await newUser([await newRole(model.permissions)], tenant);
    expect(
      (await offered(user, model.command, 'state')).body.data.map(({ value }: { value: string }) => value),
    ).toEqual(['new', 'old']);
    expect(await offered(user, model.command, 'secret')).toMatchObject(NONE);
  });
});
