import type { FieldContent } from '../../src/platform/metadata/field-types/field-content.ts';
import { execute, list, dataOf, refusal } from '../support/api.ts';
import {
  changeModel,
  insert,
  modelDraft,
  newCode,
  newModel,
  newRole,
  roleDraft,
  save as saveIn,
} from '../support/models.ts';
import { runSql } from '../support/platform.ts';
import { columnsIn, insertInto, newUnits, resourceIn, platformAdmin } from '../support/promotions.ts';
import { newUser } from '../support/world.ts';

const admin = platformAdmin();

const SUBJECT = { code: 'subject', name: 'Subject', type: 'string', unique: true } as const;
const TITLE = { ...SUBJECT, code: 'title', renamedFrom: 'subject' } as const;
const NOTE = { code: 'note', name: 'Note', type: 'text' } as const;
const save = (payload: object) => execute(admin.user.token, 'meta:save', { payload });
const saveModel = (code: string, fields: object[]) =>
  save({ resourceType: 'MODEL', code, content: { name: code, fields } });
const fieldErrors = async (answer: ReturnType<typeof save>) =>
  (refusal(await answer).data as { fieldErrors: Record<string, string> }).fieldErrors;
const indexesOf = async (code: string) =>
  (await runSql<{ name: string }>(`select indexname as name from pg_indexes where tablename = $1`, [`mt_${code}`])).map(
    ({ name }) => name,
  );

describe('renamedFrom of a field', () => {
  it('renames the column with its values and indexes; saving it again changes nothing', async () => {
    const { code } = await newModel({ fields: [NOTE, SUBJECT] });
    await insert(admin.tenant, code, [{ subject: 'a' }]);
    const before = await indexesOf(code);

    const saved = dataOf(await saveModel(code, [NOTE, TITLE]));

    expect(saved.version).toBe(2);
    const { token } = await newUser(['ADMIN'], admin.tenant);
    expect(dataOf(await list(token, code)).records).toMatchObject([{ title: 'a' }]);
    expect(await columnsIn('dev', code)).not.toHaveProperty('subject');
    expect((await indexesOf(code)).length).toBe(before.length);
    expect(dataOf(await saveModel(code, [NOTE, TITLE])).version).toBe(2);
    const twice = await execute(token, `test:write_${code}`, { operationType: 'CREATE', payload: { title: 'a' } });
    expect(refusal(twice)).toMatchObject({ status: 409, data: { fieldErrors: { title: expect.any(String) } } });
  });

  it('takes other options of the field along: a type and a list of values are checked against its records', async () => {
    const status: FieldContent = { code: 'state', name: 'State', type: 'enum', values: ['a', 'b'] };
    const { code } = await newModel({ fields: [NOTE, status] });
    await insert(admin.tenant, code, [{ state: 'b' }]);
    const stage = { ...status, code: 'stage', renamedFrom: 'state' };

    expect(await fieldErrors(saveModel(code, [NOTE, { ...stage, values: ['a'] }]))).toEqual({
      [`MODEL/${code} content.fields.1.values`]: expect.stringContaining('b (1)'),
    });
    expect(
      await fieldErrors(saveModel(code, [NOTE, { code: 'stage', name: 'S', type: 'integer', renamedFrom: 'state' }])),
    ).toEqual({
      [`MODEL/${code} content.fields.1.type`]: expect.stringContaining('1 values that do not fit'),
    });
    dataOf(await saveModel(code, [NOTE, { ...stage, values: ['b', 'c'] }]));
  });

  it('is refused where the old and the new field are both there, and where no field had the old code', async () => {
    const { code } = await newModel({ fields: [NOTE, SUBJECT] });
    const both = [NOTE, SUBJECT, TITLE];
    const misspelt = [NOTE, { ...TITLE, renamedFrom: 'subjct' }];

    expect(await fieldErrors(saveModel(code, both))).toEqual({
      'content.fields.2.renamedFrom': 'the model still has a field subject',
    });
    expect(await fieldErrors(saveModel(code, misspelt))).toEqual({
      [`MODEL/${code} content.fields.1.renamedFrom`]: 'the model has no field subjct',
    });
    // The column of a field that has left the model is in the way.
    dataOf(await saveModel(code, [NOTE, SUBJECT, { ...SUBJECT, code: 'title' }]));
    dataOf(await saveModel(code, [NOTE, SUBJECT]));
    expect(await fieldErrors(saveModel(code, [NOTE, TITLE]))).toEqual({
      [`MODEL/${code} content.fields.1.renamedFrom`]: 'the table has columns for both subject and title',
    });
  });

  it('is refused while something refers to the old code', async () => {
    const { code } = await newModel({ fields: [SUBJECT, NOTE] });

    expect(await fieldErrors(saveModel(code, [TITLE, NOTE]))).toEqual({
      [`PAGE_SCHEMA/${code} content.columns.0`]: expect.stringContaining('is not a field'),
    });
  });

  it('is promoted as a rename: the records of the target keep their values, and get them back by a rollback', async () => {
    const units = await newUnits([NOTE, SUBJECT]);
    await admin.promote(units.units);
    const [pid = ''] = await insertInto('staging', admin.tenant, units.code, [{ subject: 'a' }]);
    await changeModel(units, { fields: [NOTE, TITLE] });
    const value = async (column: string) =>
      (await runSql(`select ${column} as value from staging.mt_${units.code} where pid = $1`, [pid]))[0];

    const promotion = await admin.validated([units.model]);

    const { plan, conflicts } = dataOf(await admin.promotion(promotion));
    expect(conflicts).toEqual([]);
    expect(plan.items[0].ddl[0]).toMatch(/rename column "subject" to "title"$/);
    expect(plan.items[0].ddl.join()).not.toMatch(/add column|drop index|create/);
    dataOf(await admin.apply(promotion));
    expect(await value('title')).toEqual({ value: 'a' });

    const inverse = dataOf(await admin.act(promotion, 'rollback'));
    expect(dataOf(await admin.validate(inverse.pid))).toMatchObject({ status: 'VALIDATED', conflicts: [] });
    dataOf(await admin.apply(inverse.pid));
    expect(await value('subject')).toEqual({ value: 'a' });
  });

  it('is a blocking conflict of a promotion where the target has both columns', async () => {
    const units = await newUnits([NOTE, SUBJECT]);
    await admin.promote(units.units);
    // A field that came and went in the target alone has left its column there.
    const { renamedFrom: _, ...title } = TITLE;
    await saveIn('staging', modelDraft(units.code, { fields: [NOTE, SUBJECT, title] }));
    await saveIn('staging', modelDraft(units.code, { fields: [NOTE, SUBJECT] }));
    await changeModel(units, { fields: [NOTE, TITLE] });

    const promotion = dataOf(await admin.validate(await admin.created([units.model])));

    expect(promotion).toMatchObject({
      status: 'DRAFT',
      conflicts: expect.arrayContaining([
        expect.objectContaining({
          type: 'RENAME_IMPOSSIBLE',
          severity: 'blocking',
          message: 'the table has columns for both subject and title',
          details: { field: 'title', path: 'content.fields.1.renamedFrom' },
        }),
      ]),
    });
  });
});

describe('renamedFrom of a resource', () => {
  const page = (code: string, model: string, more: object = {}) => ({
    resourceType: 'PAGE_SCHEMA',
    code,
    content: { name: code, modelCode: model, columns: ['note'], ...more },
  });

  it('keeps the resource with its pid and its versions', async () => {
    const { code } = await newModel({ fields: [NOTE] });
    const known = await resourceIn('dev', 'PAGE_SCHEMA', code);
    const renamed = page(newCode(), code, { renamedFrom: code });

    const saved = dataOf(await save(renamed));

    expect(saved).toMatchObject({ pid: known?.pid, version: 2, code: renamed.code });
    expect(await resourceIn('dev', 'PAGE_SCHEMA', code)).toBeNull();
    expect(dataOf(await save(renamed))).toMatchObject({ version: 2 });
    const versions = dataOf(await admin.get(`/meta/resources/${known?.pid}/versions`));
    expect(versions).toMatchObject([{ code: renamed.code }, { code }]);
  });

  it('is promoted as a change of one resource', async () => {
    const units = await newUnits([NOTE]);
    await admin.promote(units.units);
    const renamed = page(newCode(), units.code, { renamedFrom: units.code });
    dataOf(await save(renamed));

    const diff = dataOf(await admin.get('/admin/environments/diff?source=dev&target=staging'));
    expect(diff.updated).toContainEqual(expect.objectContaining({ code: renamed.code, renamedFrom: units.code }));
    const promotion = await admin.validated([units.page]);
    const [item] = dataOf(await admin.promotion(promotion)).plan.items;
    expect(item).toMatchObject({ action: 'UPDATE', code: renamed.code, renamedFrom: units.code });
    dataOf(await admin.apply(promotion));
    expect(await resourceIn('staging', 'PAGE_SCHEMA', units.code)).toBeNull();
  });

  it('is refused where both codes are there, while something refers to the old one, and for a model', async () => {
    const { code, command } = await newModel({ fields: [NOTE] });
    const other = page(newCode(), code);
    dataOf(await save(other));
    expect(await fieldErrors(save(page(other.code, code, { renamedFrom: code })))).toEqual({
      [`PAGE_SCHEMA/${other.code} content.renamedFrom`]: `${code} is there, too: remove renamedFrom`,
    });

    const automation = {
      name: code,
      trigger: { type: 'manual' },
      steps: [{ id: 'a', type: 'command', commandCode: command, payload: {} }],
    };
    dataOf(await save({ resourceType: 'AUTOMATION', code, content: automation }));
    const renamed = { name: code, modelCode: code, operations: ['CREATE'], renamedFrom: command };
    expect(await fieldErrors(save({ resourceType: 'COMMAND', code: `${command}_2`, content: renamed }))).toEqual({
      [`AUTOMATION/${code} content.steps.0.commandCode`]: expect.stringContaining(command),
    });

    const model = { name: code, fields: [NOTE], renamedFrom: code };
    expect(await fieldErrors(save({ resourceType: 'MODEL', code: newCode(), content: model }))).toEqual({
      'content.renamedFrom': expect.stringContaining('a model keeps its code'),
    });
  });

  it('is refused for a role that users have', async () => {
    const role = await newRole([]);
    await newUser([role], admin.tenant);
    const { content, ...rest } = roleDraft(`${role}_2`, []);

    expect(refusal(await save({ ...rest, content: { ...content, renamedFrom: role } }))).toMatchObject({
      status: 409,
      code: 'CONFLICT',
      data: { reason: 'REFERENCE' },
    });
  });
});
