import type { FieldContent } from '../../src/platform/metadata/field-types/field-content.ts';
import { call, execute, list, type Answered } from '../support/api.ts';
import { changeModel, insert, newCode, newModel, newRole, save, type TestModel, name } from '../support/models.ts';
import { failureOf, runSql } from '../support/platform.ts';
import { newUser, signedIn } from '../support/world.ts';

const to = (target: string, onDelete?: FieldContent['onDelete'], code = 'parent'): FieldContent => ({
  code,
  name: code,
  type: 'relation',
  target,
  ...(onDelete && { onDelete }),
});

let parent: TestModel;

const { tenant, user } = signedIn('ADMIN');
beforeAll(async () => {
  parent = await newModel({ fields: [name] });
});

const create = async ({ command }: TestModel, payload: object): Promise<string> =>
  (await execute(user.token, command, { payload })).body.data.pid as string;
const remove = (model: TestModel, targetRecordId: string, { token } = user): Promise<Answered> =>
  execute(token, model.command, { operationType: 'DELETE', targetRecordId });
const read = (model: TestModel, pid: string): Promise<Answered> =>
  call(`/api/dynamic/${model.code}/${pid}`, { token: user.token });
const totalOf = async (model: TestModel): Promise<number> =>
  (await list(user.token, model.code)).body.data.total as number;
const changesOf = (pid: string) =>
  runSql<{ action: string; before: unknown; after: unknown }>(
    'select action, before, after from platform.change_log where record_pid = $1 order by id',
    [pid],
  );

describe('the deletion of a record that others refer to', () => {
  it('is 409 with their number and their model, unless the relation says otherwise', async () => {
    const child = await newModel({ fields: [name, to(parent.code)] });
    const pid = await create(parent, { name: 'p' });
    const children = [await create(child, { parent: pid }), await create(child, { parent: pid })];

    const { status, body } = await remove(parent, pid);

    expect({ status, code: body.code, message: body.message, data: body.data }).toEqual({
      status: 409,
      code: 'CONFLICT',
      message: `${child.code}: 2 refer to it`,
      data: {
        reason: 'REFERENCE',
        references: [{ modelCode: child.code, name: child.code, count: 2, countRelation: 'eq' }],
      },
    });
    for (const each of children) expect(await remove(child, each)).toMatchObject({ status: 200 });
    expect(await remove(parent, pid)).toMatchObject({ status: 200 });
  });

  it('counts those that a row rule hides from the caller, and tells no more of them', async () => {
    const rule = { fieldName: 'created_by', operator: 'eq', value: '$user.pid' };
    const child = await newModel({
      fields: [name, to(parent.code)],
      rowRules: [{ name: 'Own', unless: 'record:read_all:x', conditions: [rule] }],
    });
    const other = await newUser([await newRole([...parent.permissions, ...child.permissions])], tenant);
    const pid = await create(parent, { name: 'p' });
    await create(child, { name: 'secret', parent: pid });

    const { body } = await remove(parent, pid, other);

    expect(body.data.references).toEqual([{ modelCode: child.code, name: child.code, count: 1, countRelation: 'eq' }]);
  });

  it('takes the value from relations with setNull: a version, a line of the change log, an event each', async () => {
    const child = await newModel({ fields: [name, to(parent.code, 'setNull'), to(parent.code, 'setNull', 'second')] });
    const [one, two] = [await create(parent, { name: 'p' }), await create(parent, { name: 'q' })];
    const [both, first] = [await create(child, { parent: one, second: two }), await create(child, { parent: one })];

    const deleted = await remove(parent, one);

    expect(deleted).toMatchObject({ status: 200, body: { data: { pid: one } } });
    expect((await read(child, both)).body.data).toMatchObject({ parent: null, second: two, version: 2 });
    expect((await read(child, first)).body.data).toMatchObject({ parent: null, version: 2, updated_by: user.pid });
    expect((await changesOf(first)).at(-1)).toEqual({
      action: 'UPDATE',
      before: { parent: one },
      after: { parent: null },
    });
    const [event] = await runSql<{ changes: number; recordPid: string }>(
      `select cardinality(change_ids) as changes, record_pid as "recordPid" from platform.event
       where execution_pid = $1`,
      [deleted.headers.get('X-Execution-Pid')],
    );
    expect(event).toEqual({ changes: 3, recordPid: one });
  });

  it('takes along those whose relation says cascade, over several levels and around cycles', async () => {
    const [child, grandchild] = [await newModel({ fields: [name] }), await newModel({ fields: [name] })];
    await changeModel(child, { fields: [name, to(parent.code, 'cascade'), to(child.code, 'cascade', 'next')] });
    // Its restricting relation is to a record that goes, too.
    await changeModel(grandchild, { fields: [name, to(child.code, 'cascade'), to(parent.code, 'restrict', 'top')] });
    const [pid, stays] = [await create(parent, { name: 'p' }), await create(parent, { name: 'q' })];
    const one = await create(child, { parent: pid });
    const two = await create(child, { next: one });
    await execute(user.token, child.command, { operationType: 'UPDATE', targetRecordId: one, payload: { next: two } });
    const last = await create(grandchild, { parent: two, top: pid });
    await create(grandchild, { top: stays });
    expect([await totalOf(child), await totalOf(grandchild)]).toEqual([2, 2]);

    expect(await remove(parent, pid)).toMatchObject({ status: 200 });

    for (const gone of [one, two]) expect(await read(child, gone)).toMatchObject({ status: 404 });
    expect(await read(grandchild, last)).toMatchObject({ status: 404 });
    expect([await totalOf(child), await totalOf(grandchild)]).toEqual([0, 1]);
    expect((await changesOf(last)).map(({ action }) => action)).toEqual(['CREATE', 'DELETE']);
  });

  it('changes nothing where one of those that go is held by a record that stays', async () => {
    const child = await newModel({ fields: [name, to(parent.code, 'cascade')] });
    const holder = await newModel({ fields: [name, to(child.code)] });
    const pid = await create(parent, { name: 'p' });
    const one = await create(child, { parent: pid });
    await create(holder, { parent: one });

    expect(await remove(parent, pid)).toMatchObject({ status: 409, body: { data: { reason: 'REFERENCE' } } });
    expect((await read(child, one)).body.data).toMatchObject({ parent: pid, version: 1 });
  });

  it('is refused above 1,000 changed records and above 20 levels', async () => {
    const child = await newModel({ fields: [name, to(parent.code, 'setNull')] });
    const chain = await newModel({ fields: [name] });
    await changeModel(chain, { fields: [name, to(chain.code, 'cascade')] });
    const pid = await create(parent, { name: 'p' });
    await insert(
      tenant,
      child.code,
      Array.from({ length: 1_000 }, () => ({ parent: pid })),
    );
    let link = (await insert(tenant, chain.code, [{ name: 'first' }]))[0] as string;
    const first = link;
    for (let level = 1; level <= 20; level += 1) {
      [link = ''] = await insert(tenant, chain.code, [{ parent: link }]);
    }

    expect(await remove(parent, pid)).toMatchObject({
      status: 409,
      body: { message: 'Deleting it would change more than 1000 records', data: { reason: 'LIMIT' } },
    });
    expect(await remove(chain, first)).toMatchObject({
      status: 409,
      body: { message: 'Deleting it would go on over more than 20 levels', data: { reason: 'LIMIT' } },
    });
  });

  it('leaves no relation to nothing where others refer to the record at the same time', async () => {
    const child = await newModel({ fields: [name, to(parent.code)] });
    const pids = await insert(
      tenant,
      parent.code,
      Array.from({ length: 8 }, () => ({ name: 'p' })),
    );

    await Promise.all(pids.flatMap((pid) => [create(child, { parent: pid }), remove(parent, pid)]));

    const dangling = await runSql(
      `select 1 from dev.mt_${child.code} c join dev.mt_${parent.code} p on p.pid = c.parent
       where c.deleted_at is null and p.deleted_at is not null`,
    );
    expect(dangling).toEqual([]);
  });
});

describe('onDelete of a field', () => {
  it.each<[string, object, string, string]>([
    ['no relation', { type: 'string', onDelete: 'cascade' }, 'fields', 'is for fields of type relation'],
    [
      'required, and set to null',
      { type: 'relation', target: 'lead', onDelete: 'setNull', required: true },
      'fields',
      'a required field cannot lose its value',
    ],
    [
      'of a payload',
      { type: 'relation', target: 'lead', onDelete: 'cascade' },
      'payload',
      'is for the fields of a model',
    ],
  ])('is refused where the field is %s', async (_what, options, key, problem) => {
    const field = { ...name, ...options };
    const steps = [{ id: 'one', operation: 'CREATE', modelCode: 'lead', values: { name: '"x"' } }];
    const draft =
      key === 'fields'
        ? { resourceType: 'MODEL', code: newCode(), content: { name: 'M', fields: [field] } }
        : {
            resourceType: 'COMMAND',
            code: `test:${newCode()}`,
            content: { name: 'C', modelCode: 'lead', operations: ['CUSTOM'], payload: [field], steps },
          };

    expect(await failureOf(save('dev', draft))).toMatchObject({
      code: 'VALIDATION_ERROR',
      data: { fieldErrors: { [`content.${key}.0.onDelete`]: problem } },
    });
  });
});
