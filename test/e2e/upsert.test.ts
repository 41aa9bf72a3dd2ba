import { call, execute } from '../support/api.ts';
import { rowsOf } from '../support/faults.ts';
import { insert, newCode, newModel, newRole, save, type TestModel } from '../support/models.ts';
import { failureOf } from '../support/platform.ts';
import type { FieldContent } from '../../src/platform/metadata/field-types/field-content.ts';
import { newUser, signedInForEach } from '../support/world.ts';

const no: FieldContent = { code: 'no', name: 'No', type: 'string', unique: true };
const name: FieldContent = { code: 'name', name: 'Name', type: 'string', required: true };
const size: FieldContent = { code: 'size', name: 'Size', type: 'integer', default: 1 };

const { tenant, user } = signedInForEach('ADMIN');

async function newUpsert(model: TestModel, content: object = {}): Promise<string> {
  const code = `test:${newCode()}`;
  const upsert = { name: 'Save', modelCode: model.code, operations: ['UPSERT'], matchOn: ['no'], ...content };
  await save('dev', { resourceType: 'COMMAND', code, content: upsert });
  return code;
}
const send = (command: string, payload: object, rest: object = {}, { token } = user) =>
  execute(token, command, { operationType: 'UPSERT', payload, ...rest });
const recordsOf = ({ code }: TestModel) =>
  rowsOf(tenant.id, `select * from dev.mt_${code} where deleted_at is null order by no`);

describe('POST /api/meta/commands/execute/{commandCode} with UPSERT', () => {
  it('creates the record that no field matches, and else changes what the payload names', async () => {
    const model = await newModel({ fields: [no, name, size] });
    const command = await newUpsert(model);

    const made = await send(command, { no: 'A', name: 'first' }, { matchOn: 'no' });
    const changed = await send(command, { no: 'A', name: 'second' });
    const other = await send(command, { no: 'B', name: 'other', size: 5 }, { matchOn: ['no'] });

    expect(made).toMatchObject({ status: 200, body: { data: { name: 'first', size: 1, version: 1 } } });
    expect(changed.body.data).toMatchObject({ pid: made.body.data.pid, name: 'second', size: 1, version: 2 });
    expect(other).toMatchObject({ status: 200 });
    expect(await recordsOf(model)).toMatchObject([
      { no: 'A', name: 'second', version: 2 },
      { no: 'B', size: 5, version: 1 },
    ]);
    // What only a create needs is needed where it creates.
    expect(await send(command, { no: 'A', size: 7 })).toMatchObject({ status: 200 });
    expect(await send(command, { no: 'C', size: 7 })).toMatchObject({
      status: 400,
      body: { data: { fieldErrors: { name: 'is required' } } },
    });
  });

  it('is refused without the values that it matches, and with fields that the command does not allow', async () => {
    const model = await newModel({ fields: [no, name, { ...no, code: 'other' }] });
    const command = await newUpsert(model);
    const problemsOf = async (payload: object, rest = {}) =>
      Object.keys((await send(command, payload, rest)).body.data.fieldErrors as object);

    expect(await problemsOf({ name: 'x' })).toEqual(['no']);
    expect(await problemsOf({ no: null, name: 'x' })).toEqual(['no']);
    expect(await problemsOf({ no: 'A', other: 'x', name: 'x' }, { matchOn: 'other' })).toEqual(['matchOn']);
    expect(await problemsOf({ no: 'A', name: 'x' }, { targetRecordId: 'x' })).toEqual(['targetRecordId']);
    const wrong = await execute(user.token, model.command, { payload: { name: 'x' }, matchOn: 'no' });
    expect(Object.keys(wrong.body.data.fieldErrors as object)).toEqual(['matchOn']);
  });

  it('lets commands match on unique fields alone', async () => {
    const model = await newModel({ fields: [no, name] });
    const wrong = async (content: object) =>
      Object.keys(((await failureOf(newUpsert(model, content))) as { data: { fieldErrors: object } }).data.fieldErrors);

    expect(await wrong({ matchOn: ['name'] })).toEqual([expect.stringContaining('content.matchOn.0')]);
    expect(await wrong({ matchOn: undefined })).toEqual([expect.stringContaining('content.matchOn')]);
    expect(await wrong({ operations: ['CREATE'] })).toEqual([expect.stringContaining('content.matchOn')]);
  });

  it('ends in one record, however many ask at the same time', async () => {
    const model = await newModel({ fields: [no, name, size] });
    const command = await newUpsert(model);

    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => send(command, { no: 'A', name: `${index}` })),
    );

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(await recordsOf(model)).toMatchObject([{ no: 'A', version: 12 }]);
  });

  it('tells of a record that a row rule hides no more than a create does', async () => {
    const rule = { name: 'own', unless: 'all:see', conditions: [{ fieldName: 'size', operator: 'lt', value: 5 }] };
    const model = await newModel({ fields: [no, name, size], rowRules: [rule] });
    const command = await newUpsert(model, { operations: ['CREATE', 'UPSERT'] });
    await insert(tenant, model.code, [{ no: 'hidden', name: 'x', size: 9 }]);
    const bound = await newUser([await newRole([`command:execute:${command}`, ...model.permissions])], tenant);
    const payload = { no: 'hidden', name: 'mine' };

    const refused = await send(command, payload, {}, bound);
    const { status, body } = await execute(bound.token, command, { operationType: 'CREATE', payload });

    expect(status).toBe(409);
    expect({ status: refused.status, body: refused.body }).toEqual({ status, body });
    expect(await send(command, { no: 'seen', name: 'x', size: 9 }, {}, bound)).toMatchObject({ status: 403 });
    expect(await recordsOf(model)).toMatchObject([{ no: 'hidden', name: 'x', version: 1 }]);
  });

  it('is refused on a field that the caller may not read', async () => {
    const model = await newModel({ fields: [{ ...no, readPermission: true }, name] });
    const command = await newUpsert(model);
    const blind = await newUser([await newRole([`command:execute:${command}`])], tenant);

    expect(await send(command, { no: 'A', name: 'x' }, {}, blind)).toMatchObject({
      status: 403,
      body: { data: { permission: `field:read:${model.code}.no` } },
    });
  });

  it('holds expectedVersion against the record that it finds', async () => {
    const model = await newModel({ fields: [no, name], concurrency: 'required' });
    const command = await newUpsert(model);
    await send(command, { no: 'A', name: 'first' });

    expect(await send(command, { no: 'A', name: 'b' })).toMatchObject({ status: 428 });
    expect(await send(command, { no: 'A', name: 'b' }, { expectedVersion: 7 })).toMatchObject({
      status: 409,
      body: { data: { reason: 'VERSION', version: 1 } },
    });
    expect(await send(command, { no: 'A', name: 'b' }, { expectedVersion: 1 })).toMatchObject({ status: 200 });
    expect(await send(command, { no: 'B', name: 'b' }, { expectedVersion: 1 })).toMatchObject({ status: 409 });
  });

  it('asks rules with the record that it finds, and is shown by a dry run', async () => {
    const model = await newModel({ fields: [no, name] });
    const rules = [{ assert: 'record == null || record.name != "final"', message: 'It is final' }];
    const command = await newUpsert(model, { rules });
    await send(command, { no: 'A', name: 'final' });

    expect(await send(command, { no: 'A', name: 'b' })).toMatchObject({
      status: 409,
      body: { message: 'It is final' },
    });
    const { data } = (await send(command, { no: 'B', name: 'b' }, { dryRun: true })).body;
    expect(data.changes).toMatchObject([{ action: 'CREATE' }]);
    const batch = { items: ['C', 'C'].map((each) => ({ operationType: 'UPSERT', payload: { no: each, name: 'c' } })) };
    const done = await call(`/api/meta/commands/execute/${command}/batch`, { token: user.token, body: batch });
    expect(done.body.data).toMatchObject({ succeeded: 2 });
    expect(await recordsOf(model)).toMatchObject([{ no: 'A' }, { no: 'C', version: 2 }]);
  });
});
