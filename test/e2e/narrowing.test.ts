import { execute, dataOf, refusal } from '../support/api.ts';
import { changeModel, insert, newCode, newModel, newRole, roleDraft, save, name, size } from '../support/models.ts';
import { insertInto, newUnits, removeFrom, unitOf, platformAdmin } from '../support/promotions.ts';
import { runSql } from '../support/platform.ts';
import { newUser } from '../support/world.ts';
import type { FieldContent } from '../../src/platform/metadata/field-types/field-content.ts';

const admin = platformAdmin();

const state = (...values: string[]): FieldContent => ({ code: 'state', name: 'State', type: 'enum', values });

const saveModel = (code: string, fields: FieldContent[]) =>
  execute(admin.user.token, 'meta:save', {
    payload: { resourceType: 'MODEL', code, content: { name: code, fields } },
  });
const remove = (resourceType: string, code: string) =>
  execute(admin.user.token, 'meta:delete', { payload: { resourceType, code } });

describe('narrowing an enum', () => {
  const RECORDS = [{ state: 'won' }, { state: 'won' }, { state: 'lost' }, { state: 'open' }, {}];

  it('is refused while records have the values that go, with counts and names', async () => {
    const { code } = await newModel({ fields: [name, state('open', 'won', 'lost')] });
    await insert(admin.tenant, code, RECORDS);
    await runSql(`update dev.mt_${code} set deleted_at = now() where state = 'lost'`);

    expect(refusal(await saveModel(code, [name, state('open', 'new')]))).toEqual({
      status: 400,
      code: 'VALIDATION_ERROR',
      data: {
        fieldErrors: {
          [`MODEL/${code} content.fields.1.values`]: 'lacks values that 3 records have: won (2), lost (1)',
        },
      },
    });
    await runSql(`update dev.mt_${code} set state = 'open'`);
    expect(dataOf(await saveModel(code, [name, state('open', 'new')]))).toMatchObject({ version: 2 });
  });

  it('takes a text whose values are all listed for an enum, and no other', async () => {
    const { code } = await newModel({ fields: [{ ...name, code: 'state' }] });
    await insert(admin.tenant, code, RECORDS);

    expect(refusal(await saveModel(code, [state('open', 'won')])).data).toEqual({
      fieldErrors: { [`MODEL/${code} content.fields.0.values`]: 'lacks values that 1 records have: lost (1)' },
    });
    expect(dataOf(await saveModel(code, [state('open', 'won', 'lost')]))).toMatchObject({ version: 2 });
  });

  it('is a conflict of a promotion with the records of the target', async () => {
    const model = await newUnits([name, state('open', 'won', 'lost')]);
    await admin.promote(model.units);
    await insertInto('staging', admin.tenant, model.code, RECORDS);
    await changeModel(model, { fields: [name, state('open')] });

    expect(dataOf(await admin.validate(await admin.created([model.model])))).toMatchObject({
      status: 'DRAFT',
      conflicts: [
        {
          type: 'DATA_INCOMPATIBLE',
          message: 'state lacks values that 3 records have: won (2), lost (1)',
          details: { field: 'state', rows: 3 },
        },
      ],
    });
  });
});

describe('narrowing a field', () => {
  const note: FieldContent = { code: 'note', name: 'Note', type: 'text' };

  it.each<[string, FieldContent, Partial<FieldContent>, unknown[], string, string]>([
    [
      'text to string',
      note,
      { type: 'string' },
      ['x'.repeat(256), 'é'.repeat(255)],
      'maxLength',
      '1 records have a text of more than 255 characters',
    ],
    [
      'a shorter maxLength',
      note,
      { maxLength: 2 },
      ['abc', 'abcd', '日本', '😀😀'],
      'maxLength',
      '2 records have a text of more than 2 characters',
    ],
    ['required over empty texts', note, { required: true }, ['', null, 'a'], 'required', '2 records have no value'],
    [
      'unique',
      note,
      { type: 'string', unique: true },
      ['a', 'a', 'b', null, null],
      'unique',
      '2 records share a value',
    ],
    ['min', size, { min: 3 }, [2, 3, null], 'min', '1 records have less than 3'],
    ['max', size, { max: 3 }, [4, 5, 3], 'max', '2 records have more than 3'],
    ['a type with a limit', size, { type: 'decimal', min: 3 }, [2], 'min', '1 records have less than 3'],
    [
      'a number as a text with a limit',
      size,
      { type: 'string', maxLength: 2 },
      [100],
      'maxLength',
      '1 records have a text of more than 2 characters',
    ],
    [
      'a relation',
      { ...note, type: 'string' },
      { type: 'relation', target: 'lead' },
      ['NOBODY', null],
      'target',
      '1 records name what is no record of lead',
    ],
  ])(
    '(%s) is refused with the number of records that do not fit',
    async (_, field, change, values, option, problem) => {
      const { code } = await newModel({ fields: [name, field] });
      await insert(
        admin.tenant,
        code,
        values.map((value) => ({ [field.code]: value })),
      );
      const narrowed = { ...field, ...change };

      expect(refusal(await saveModel(code, [name, narrowed])).data).toEqual({
        fieldErrors: { [`MODEL/${code} content.fields.1.${option}`]: problem },
      });
      await runSql(`delete from dev.mt_${code}`);
      expect(dataOf(await saveModel(code, [name, narrowed]))).toMatchObject({ version: 2 });
    },
  );

  it('counts also what a field holds that left the model and comes back narrower', async () => {
    const { code } = await newModel({ fields: [name, note] });
    await insert(admin.tenant, code, [{ note: 'abc' }]);
    await changeModel({ code } as never, { fields: [name] });

    expect(refusal(await saveModel(code, [name, { ...note, maxLength: 2 }])).data).toEqual({
      fieldErrors: {
        [`MODEL/${code} content.fields.1.maxLength`]: '1 records have a text of more than 2 characters',
      },
    });
  });

  it('is a conflict of a promotion with the records of the target', async () => {
    const model = await newUnits([name, note]);
    await admin.promote(model.units);
    await insertInto('staging', admin.tenant, model.code, [{ note: '' }, { note: 'abc' }]);
    await changeModel(model, { fields: [name, { ...note, maxLength: 2, required: true }] });

    const { conflicts } = dataOf(await admin.validate(await admin.created([model.model])));

    expect(conflicts.map(({ message }: { message: string }) => message).sort()).toEqual([
      'note is required, and 1 records lack it',
      'note.maxLength: 1 records have a text of more than 2 characters',
    ]);
  });
});

describe('deleting a role', () => {
  it('is refused while users hold it, with their number and names', async () => {
    const role = await newRole([]);
    const holders = [await newUser([role], admin.tenant), await newUser([role, 'SALES'], admin.tenant)];

    const { status, body } = await remove('PERMISSION', role);

    const names = holders.map(({ email }) => email).sort();
    expect({ status, body }).toEqual({
      status: 409,
      body: {
        code: 'CONFLICT',
        message: `2 users have the role ${role}: ${names.join(', ')}`,
        data: { reason: 'REFERENCE' },
      },
    });
    await runSql(`update platform.membership set roles = '{}' where $1 = any(roles)`, [role]);
    expect(dataOf(await remove('PERMISSION', role))).toMatchObject({ pid: expect.any(String) });
  });

  it('by a promotion takes consent', async () => {
    const role = await newRole([]);
    const unit = await unitOf('PERMISSION', role);
    await admin.promote([unit]);
    await removeFrom('dev', 'PERMISSION', role);
    const { email } = await newUser([role], admin.tenant);

    const pid = await admin.created([unit]);
    expect(dataOf(await admin.validate(pid))).toMatchObject({
      status: 'VALIDATED',
      conflicts: [{ type: 'IN_USE', severity: 'consent', message: `1 users have the role ${role}: ${email}` }],
    });
    expect(refusal(await admin.apply(pid))).toMatchObject({ status: 409, data: { reason: 'CONSENT_REQUIRED' } });
    expect(dataOf(await admin.apply(pid, { consent: [unit.resourcePid] }))).toMatchObject({ status: 'APPLIED' });
  });
});

describe('deleting what is referenced', () => {
  it('is refused with the number and the names of what refers to it', async () => {
    const { code, command } = await newModel({ fields: [name] });

    const { status, body } = await remove('MODEL', code);

    expect(status).toBe(400);
    expect(body.message).toBe(`2 resources refer to MODEL/${code}: COMMAND/${command}, PAGE_SCHEMA/${code}`);
    expect(body.data.fieldErrors).toMatchObject({
      [`PAGE_SCHEMA/${code} content.modelCode`]: `${code} is not a model`,
    });
  });

  it('is possible for what nothing refers to', async () => {
    const role = newCode().toUpperCase();
    await save('dev', roleDraft(role, []));

    expect((await remove('PERMISSION', role)).status).toBe(200);
  });
});
