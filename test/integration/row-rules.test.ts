import type { RowRuleContent } from '../../src/platform/metadata/models/model-content.ts';
import { call, execute, list, type Answered } from '../support/api.ts';
import { changeModel, insert, newModel, newRole, type TestModel } from '../support/models.ts';
import { inEnglish } from '../support/in-english.ts';
import { failureOf, runSql } from '../support/platform.ts';
import { actorOf } from '../support/webhooks.ts';
import { container, newTenant, newUser, type TestTenant } from '../support/world.ts';
import { Parameters } from '../../src/foundation/database/parameters.ts';
import { compileRowRules } from '../../src/platform/records/conditions/row-rules.ts';

const NOT_FOUND = { status: 404, body: { code: 'NOT_FOUND', message: 'There is no such record', data: null } };

const fields = [
  { code: 'name', name: 'Name', type: 'string' as const, searchable: true },
  { code: 'owner', name: 'Owner', type: 'string' as const },
  { code: 'state', name: 'State', type: 'enum' as const, values: ['open', 'done'] },
];
const own: RowRuleContent = {
  name: 'Everyone sees their own',
  conditions: [{ fieldName: 'created_by', operator: 'eq', value: '$user.pid' }],
};

const answer = ({ status, body }: Answered) => ({ status, body });

const names = async (token: string, { code }: TestModel, query: Record<string, unknown> = {}): Promise<string> => {
  const { body } = await list(token, code, { sortField: 'name', sortOrder: 'asc', ...query });
  const found = body.data.records.map(({ name }: { name: string }) => name).join('');
  expect(body.data.total).toBe(found.length);
  return found;
};

describe('row rules bind every caller without the permission in `unless`', () => {
  let model: TestModel;
  let tenant: TestTenant;
  let ada: string;
  let bea: string;
  let boss: string;
  let pid: string;

  beforeAll(async () => {
    model = await newModel({ fields });
    await changeModel(model, { fields, rowRules: [{ ...own, unless: `record:read_all:${model.code}` }] });
    tenant = await newTenant();
    const role = await newRole(model.permissions);
    const all = await newRole([...model.permissions, `record:read_all:${model.code}`]);
    [ada = '', bea = '', boss = ''] = (
      await Promise.all([newUser([role], tenant), newUser([role], tenant), newUser([all], tenant)])
    ).map(({ token }) => token);
    pid = (await execute(ada, model.command, { payload: { name: 'a' } })).body.data.pid;
    await execute(bea, model.command, { payload: { name: 'b' } });
  });

  it('lists hold, and totals count, only what the rule shows', async () => {
    for (let round = 0; round < 3; round += 1) {
      expect(await names(ada, model)).toBe('a');
      expect(await names(bea, model)).toBe('b');
      expect(await names(boss, model)).toBe('ab');
    }
    expect((await list(bea, model.code, { count: 'none' })).body.data.records).toHaveLength(1);
  });

  it('neither filter nor keyword leads around it', async () => {
    for (const query of [
      { keyword: 'a' },
      { filters: [{ fieldName: 'pid', operator: 'eq', value: pid }] },
      { filters: [{ or: [{ fieldName: 'name', operator: 'eq', value: 'a' }] }] },
      { filters: [{ not: { fieldName: 'name', operator: 'eq', value: 'b' } }] },
    ]) {
      expect(await names(bea, model, query)).toBe('');
      expect(await names(boss, model, query)).toBe('a');
    }
  });

  it('a hidden record is NOT_FOUND in the detail', async () => {
    const path = `/api/dynamic/${model.code}/${pid}`;

    expect(answer(await call(path, { token: bea }))).toEqual(NOT_FOUND);
    expect((await call(path, { token: ada })).body.data.name).toBe('a');
    expect((await call(path, { token: boss })).body.data.name).toBe('a');
  });

  it('a hidden record is NOT_FOUND for update and delete, and stays as it is', async () => {
    const update = { operationType: 'UPDATE', targetRecordId: pid, payload: { name: 'x' } };

    expect(answer(await execute(bea, model.command, update))).toEqual(NOT_FOUND);
    expect(
      answer(await execute(bea, model.command, { ...update, operationType: 'DELETE', payload: undefined })),
    ).toEqual(NOT_FOUND);

    expect((await call(`/api/dynamic/${model.code}/${pid}`, { token: ada })).body.data).toMatchObject({
      name: 'a',
      version: 1,
    });
    expect(await runSql(`select 1 from platform.change_log where record_pid = $1`, [pid])).toHaveLength(1);
    expect((await execute(boss, model.command, { ...update, payload: { state: 'done' } })).body.code).toBe('0');
  });

  it('built-in administrators have every permission, so the one in `unless`, too', async () => {
    const { token } = await newUser(['ADMIN'], tenant);

    expect(await names(token, model)).toBe('ab');
  });

  it('a rule without `unless` binds administrators, too', async () => {
    const strict = await newModel({ fields, rowRules: [own] });
    const { token } = await newUser(['PLATFORM_ADMIN'], tenant);
    await insert(tenant, strict.code, [{ name: 'x' }]);

    expect(await names(token, strict)).toBe('');
  });

  it('a changed rule holds for the next request', async () => {
    const changing = await newModel({ fields });
    const { token } = await newUser([await newRole(changing.permissions)], tenant);
    await insert(tenant, changing.code, [{ name: 'x' }]);
    expect(await names(token, changing)).toBe('x');
    expect(await names(token, changing)).toBe('x');

    await changeModel(changing, { fields, rowRules: [own] });

    expect(await names(token, changing)).toBe('');
  });
});

describe('the conditions of row rules', () => {
  it('may name the user, combine, and add up', async () => {
    const tenant = await newTenant();
    const user = await newUser(['ADMIN'], tenant);
    const model = await newModel({
      fields,
      rowRules: [
        {
          name: 'Open ones, or those that name the caller',
          conditions: [
            {
              or: [
                { fieldName: 'state', operator: 'eq', value: 'open' },
                { fieldName: 'owner', operator: 'in', value: ['$user.pid', 'all'] },
              ],
            },
          ],
        },
        { name: 'Not x', conditions: [{ not: { fieldName: 'name', operator: 'eq', value: 'x' } }] },
      ],
    });
    await insert(tenant, model.code, [
      { name: 'a', state: 'open' },
      { name: 'b', owner: user.pid },
      { name: 'c', owner: 'all' },
      { name: 'd', owner: '$user.pid' },
      { name: 'x', state: 'open' },
    ]);

    expect(await names(user.token, model)).toBe('abc');
  });

  it('may compare with a field that the caller may not read, which stays out of reach', async () => {
    const secret = { code: 'level', name: 'Level', type: 'integer' as const, readPermission: true };
    const rule: RowRuleContent = { name: 'Low', conditions: [{ fieldName: 'level', operator: 'lt', value: 5 }] };
    const model = await newModel({ fields: [...fields, secret], rowRules: [rule] });
    const tenant = await newTenant();
    const { token } = await newUser([await newRole(model.permissions)], tenant);
    await insert(tenant, model.code, [
      { name: 'a', level: 1 },
      { name: 'b', level: 9 },
    ]);

    expect(await names(token, model)).toBe('a');
    expect((await list(token, model.code)).body.data.records[0]).not.toHaveProperty('level');
    expect((await list(token, model.code, { sortField: 'level' })).status).toBe(403);
  });

  it('may compare a relation with the user', async () => {
    const model = await newModel({
      fields: [...fields, { code: 'boss', name: 'Boss', type: 'relation', target: 'contact' }],
      rowRules: [{ name: 'Mine', conditions: [{ fieldName: 'boss', operator: 'eq', value: '$user.pid' }] }],
    });
    const tenant = await newTenant();
    const { token, pid } = await newUser(['ADMIN'], tenant);
    await insert(tenant, model.code, [{ name: 'a', boss: pid }, { name: 'b' }]);

    expect(await names(token, model)).toBe('a');
  });

  it('do not name the user by the user name, which is not unique', async () => {
    const model = await newModel({ fields });
    const condition = { not: { or: [{ fieldName: 'owner', operator: 'in', value: ['a', '$user.username'] }] } };

    const failure = await failureOf(
      changeModel(model, { fields, rowRules: [{ name: 'Bad', conditions: [condition] }] }),
    );

    const known = '$me, $user.pid, $user.email, $user.tenantId, $user.roles, $now, $today';
    const problem = `must not name $user.username: known are ${known}`;
    expect(failure).toEqual({
      code: 'VALIDATION_ERROR',
      data: { fieldErrors: { 'content.rowRules.0.conditions.0': problem } },
    });
  });

  it.each([
    [
      '$user.nme',
      'must not name $user.nme: known are $me, $user.pid, $user.email, $user.tenantId, $user.roles, $now, $today',
    ],
    [
      '$Today',
      'must not name $Today: known are $me, $user.pid, $user.email, $user.tenantId, $user.roles, $now, $today; did you mean $today?',
    ],
    ['opn', 'must be one of open, done; did you mean open?'],
  ])('do not name %s, which matches nothing', async (value, problem) => {
    const model = await newModel({ fields });
    const condition = { not: { or: [{ fieldName: 'state', operator: 'in', value: ['open', value] }] } };

    const failure = await failureOf(
      changeModel(model, { fields, rowRules: [{ name: 'Bad', conditions: [condition] }] }),
    );

    expect(inEnglish(failure)).toEqual({
      code: 'VALIDATION_ERROR',
      data: { fieldErrors: { 'content.rowRules.0.conditions.0': problem } },
    });
  });

  it('may name the roles and the tenant of the caller, and the time', async () => {
    const more = [
      { code: 'role', name: 'Role', type: 'string' as const },
      { code: 'home', name: 'Home', type: 'bigint' as const },
      { code: 'opens', name: 'Opens', type: 'datetime' as const },
      { code: 'day', name: 'Day', type: 'date' as const },
    ];
    const model = await newModel({
      fields: [...fields, ...more],
      rowRules: [
        {
          name: 'All of it',
          conditions: [
            { fieldName: 'role', operator: 'in', value: ['$user.roles', 'EVERYONE'] },
            { fieldName: 'home', operator: 'eq', value: '$user.tenantId' },
            { fieldName: 'opens', operator: 'lt', value: '$now' },
            { fieldName: 'day', operator: 'gte', value: '$today' },
          ],
        },
      ],
    });
    const tenant = await newTenant();
    const { token } = await newUser(['ADMIN'], tenant);
    const good = { role: 'ADMIN', home: tenant.id, opens: new Date(0).toISOString(), day: '2999-01-01' };
    await insert(tenant, model.code, [
      { name: 'a', ...good },
      { name: 'b', ...good, role: 'OTHER' },
      { name: 'c', ...good, home: '7' },
      { name: 'd', ...good, opens: '2999-01-01T00:00:00Z' },
      { name: 'e', ...good, day: '2000-01-01' },
      { name: 'f', ...good, role: 'EVERYONE' },
    ]);

    expect(await names(token, model)).toBe('af');
  });

  it.each([
    ['$now(-7d)', 'score'],
    ['$today', 'score'],
    ['$user.roles', 'name'],
    ['$user.pid', 'day'],
  ])('are refused when they are saved with %s for the field %s, whose type is another', async (value, fieldName) => {
    const more = [
      { code: 'opens', name: 'Opens', type: 'datetime' as const },
      { code: 'day', name: 'Day', type: 'date' as const },
      { code: 'score', name: 'Score', type: 'integer' as const },
    ];
    const model = await newModel({ fields: [...fields, ...more] });
    const rowRules = [{ name: 'Bad', conditions: [{ fieldName, operator: 'eq', value }] }];

    expect(await failureOf(changeModel(model, { fields: [...fields, ...more], rowRules }))).toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });

  it('compare texts with the e-mail of a person, and nothing with that of a program', async () => {
    const tenant = await newTenant();
    const model = await newModel({ fields });
    const role = await newRole(model.permissions);
    const [user, other] = await Promise.all([newUser([role], tenant), newUser([role], tenant)]);
    const rule = (operator: string) => ({
      name: 'Own',
      conditions: [{ fieldName: 'owner', operator, value: '$user.email' }],
    });
    await changeModel(model, { fields, rowRules: [rule('eq')] });
    await insert(tenant, model.code, [
      { name: 'a', owner: user.email },
      { name: 'b', owner: other.email },
      { name: 'c' },
    ]);
    const write = (payload: object) => execute(user.token, model.command, { payload });

    expect([await names(user.token, model), await names(other.token, model)]).toEqual(['a', 'b']);
    expect(await write({ name: 'd', owner: user.email })).toMatchObject({ status: 200 });
    expect(await write({ name: 'e', owner: other.email })).toMatchObject({ status: 403 });
    await changeModel(model, { fields, rowRules: [rule('ne')] });
    expect(await names(user.token, model)).toBe('bc');
    const program = await actorOf({ ...user, pid: 'A'.repeat(26) }, tenant, [role]);
    const { database, snapshots } = await container();
    const parameters = new Parameters();
    const kept = { ...(await snapshots.current('dev')).model(model.code), rowRules: [rule('eq')] };
    const where = compileRowRules(kept, program, parameters).join(' and ');
    const found = await database.transaction((transaction) =>
      transaction.query(`select 1 from ${kept.table} t where ${where}`, parameters.values),
    );
    expect(found).toEqual([]);
    const onState = { name: 'Bad', conditions: [{ fieldName: 'created_at', operator: 'eq', value: '$user.email' }] };
    expect(await failureOf(changeModel(model, { fields, rowRules: [onState] }))).toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });

  it.each([
    ['an unknown field', { fieldName: 'nope', operator: 'eq', value: 1 }],
    ['an unknown operator', { fieldName: 'name', operator: 'resembles', value: 'x' }],
    ['an ill-typed value', { or: [{ fieldName: 'version', operator: 'eq', value: '$user.pid' }] }],
  ])('are refused when they are saved with %s', async (_what, condition) => {
    const model = await newModel({ fields });

    const failure = await failureOf(
      changeModel(model, { fields, rowRules: [own, { name: 'Bad', conditions: [condition] }] }),
    );

    expect(failure).toEqual({
      code: 'VALIDATION_ERROR',
      data: { fieldErrors: { [`MODEL/${model.code} content.rowRules.1.conditions.0`]: expect.any(String) } },
    });
  });
});
