import { call, execute, type Answered } from '../support/api.ts';
import { changeModel, newCode, newModel, newRole, save, type TestModel } from '../support/models.ts';
import { runSql } from '../support/platform.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

const RULE = 'Everyone has their own';
const fields = [
  { code: 'name', name: 'Name', type: 'string' as const, required: true },
  { code: 'requester', name: 'Requester', type: 'string' as const },
  { code: 'state', name: 'State', type: 'enum' as const, values: ['open', 'done'], default: 'open' },
  { code: 'level', name: 'Level', type: 'integer' as const, readPermission: true },
];

let model: TestModel;
let unless: string;
let ada: TestUser;
let bea: TestUser;
let boss: TestUser;
let tenant: TestTenant;

beforeAll(async () => {
  model = await newModel({ fields });
  unless = `record:read_all:${model.code}`;
  await changeModel(model, {
    fields,
    rowRules: [
      { name: RULE, unless, conditions: [{ fieldName: 'requester', operator: 'eq', value: '$user.pid' }] },
      {
        name: 'Open or low',
        conditions: [
          {
            or: [
              { fieldName: 'state', operator: 'eq', value: 'open' },
              { fieldName: 'level', operator: 'lt', value: 5 },
            ],
          },
        ],
      },
    ],
  });
  tenant = await newTenant();
  const role = await newRole([...model.permissions, 'command:execute:test:*']);
  const all = await newRole([...model.permissions, unless]);
  [ada, bea, boss] = await Promise.all([newUser([role], tenant), newUser([role], tenant), newUser([all], tenant)]);
});

const write = ({ token }: TestUser, body: object): Promise<Answered> => execute(token, model.command, body);
const create = (user: TestUser, payload: object) => write(user, { payload: { name: 'a', ...payload } });
const update = (user: TestUser, targetRecordId: string, payload: object) =>
  write(user, { operationType: 'UPDATE', targetRecordId, payload });
const countOf = async ({ pid }: TestUser) =>
  (await runSql(`select 1 from dev.mt_${model.code} where created_by = $1`, [pid])).length;

const refused = (field: string, rule: string, permission: object) => ({
  status: 403,
  body: {
    code: 'FORBIDDEN',
    message: `The row rule "${rule}" would hide the record from you`,
    data: {
      ...permission,
      reason: 'ROW_RULE',
      fieldErrors: { [field]: `is not what the row rule "${rule}" asks for` },
    },
  },
});
const answer = ({ status, body }: Answered) => ({ status, body });

describe('a created record', () => {
  it("is one that its creator's row rules show: another is 403 with the field that is wrong", async () => {
    for (const payload of [{ requester: bea.pid }, {}]) {
      expect(answer(await create(ada, payload))).toEqual(refused('requester', RULE, { permission: unless }));
    }
    expect(await countOf(ada)).toBe(0);

    expect(await create(ada, { requester: ada.pid })).toMatchObject({ status: 200 });
    expect(await countOf(ada)).toBe(1);
  });

  it('may be hidden from others only, where the creator has the permission of `unless`', async () => {
    expect(await create(boss, { requester: bea.pid })).toMatchObject({ status: 200 });
  });

  it('is refused without naming a field that the creator may not read', async () => {
    expect(answer(await create(boss, { requester: bea.pid, state: 'done' }))).toEqual(
      refused('state', 'Open or low', {}),
    );
  });
});

describe('an updated record', () => {
  it('stays one that the row rules show: a change that moves it out of them is 403 and changes nothing', async () => {
    const { pid } = (await create(ada, { requester: ada.pid })).body.data;

    expect(answer(await update(ada, pid, { requester: bea.pid }))).toEqual(
      refused('requester', RULE, { permission: unless }),
    );

    const read = await call(`/api/dynamic/${model.code}/${pid}`, { token: ada.token });
    expect(read.body.data).toMatchObject({ requester: ada.pid, version: 1 });
    expect(await update(ada, pid, { name: 'b' })).toMatchObject({ status: 200, body: { data: { version: 2 } } });
    expect(await update(boss, pid, { requester: bea.pid })).toMatchObject({ status: 200 });
  });
});

describe('a relation to a record that a row rule hides', () => {
  it('is refused as one to nothing: the answer does not tell whether it exists', async () => {
    const relation = { code: 'parent', name: 'Parent', type: 'relation' as const, target: model.code };
    const child = await newModel({ fields: [...fields, relation] });
    const role = await newRole([...model.permissions, ...child.permissions]);
    const cal = await newUser([role], tenant);
    const hidden = (await create(ada, { requester: ada.pid })).body.data.pid as string;
    const own = (await create(cal, { requester: cal.pid })).body.data.pid as string;
    const writeChild = (body: object) => execute(cal.token, child.command, body);
    const link = (parent: string) => writeChild({ payload: { name: 'c', parent } });

    const nothing = answer(await link('0'.repeat(26)));
    expect(nothing).toMatchObject({ status: 400, body: { data: { fieldErrors: { parent: expect.any(String) } } } });
    expect(answer(await link(hidden))).toEqual(nothing);

    const { pid } = (await link(own)).body.data;
    const update = (payload: object) => writeChild({ operationType: 'UPDATE', targetRecordId: pid, payload });
    expect(answer(await update({ parent: hidden }))).toEqual(nothing);
    // A relation that stays as it is names nothing new.
    await runSql(`update dev.mt_${child.code} set parent = $1 where pid = $2 returning pid`, [hidden, pid]);
    expect((await update({ parent: hidden, name: 'd' })).status).toBe(200);
  });
});

describe('the steps of a command', () => {
  it('write what their author says: whoever may execute it may hand a record on', async () => {
    const code = `test:${newCode()}`;
    const values = { requester: 'payload.to' };
    const steps = [{ id: 'give', operation: 'UPDATE', modelCode: model.code, target: 'record.pid', values }];
    const payload = [{ code: 'to', name: 'To', type: 'string' }];
    const content = { name: 'Hand on', modelCode: model.code, operations: ['CUSTOM'], target: true, payload, steps };
    await save('dev', { resourceType: 'COMMAND', code, content });
    const { pid } = (await create(ada, { requester: ada.pid })).body.data;

    const handed = await execute(ada.token, code, {
      operationType: 'CUSTOM',
      targetRecordId: pid,
      payload: { to: bea.pid },
    });

    expect(answer(handed)).toMatchObject({ status: 200, body: { code: '0' } });
    const path = `/api/dynamic/${model.code}/${pid}`;
    expect(await call(path, { token: ada.token })).toMatchObject({ status: 404 });
    expect(await call(path, { token: bea.token })).toMatchObject({ status: 200 });
  });
});
