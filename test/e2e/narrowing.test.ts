import { execute } from '../support/api.ts';
import { changeModel, insert, newCode, newModel, newRole, roleDraft, save } from '../support/models.ts';
import { created, dataOf, insertInto, newAdmin, newUnits, refusal, removeFrom, unitOf } from '../support/promotions.ts';
import { rows } from '../support/platform.ts';
import { newUser } from '../support/world.ts';
import type { Admin } from '../support/promotions.ts';
import type { FieldContent } from '../../src/platform/metadata/field-types/field-content.ts';

let admin: Admin;
beforeAll(async () => {
  admin = await newAdmin();
});

const name: FieldContent = { code: 'name', name: 'Name', type: 'string' };
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
    await rows(`update dev.mt_${code} set deleted_at = now() where state = 'lost'`);

    expect(refusal(await saveModel(code, [name, state('open', 'new')]))).toEqual({
      status: 400,
      code: 'VALIDATION_ERROR',
      data: {
        fieldErrors: {
          [`MODEL/${code} content.fields.1.values`]: 'lacks values that 3 records have: won (2), lost (1)',
        },
      },
    });
    await rows(`update dev.mt_${code} set state = 'open'`);
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

    expect(dataOf(await admin.validate(await created(admin, [model.model])))).toMatchObject({
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
    await rows(`update platform.membership set roles = '{}' where ? = any(roles)`, [role]);
    expect(dataOf(await remove('PERMISSION', role))).toMatchObject({ pid: expect.any(String) });
  });

  it('by a promotion takes consent', async () => {
    const role = await newRole([]);
    const unit = await unitOf('PERMISSION', role);
    await admin.promote([unit]);
    await removeFrom('dev', 'PERMISSION', role);
    const { email } = await newUser([role], admin.tenant);

    const pid = await created(admin, [unit]);
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
