import type { ModelContent } from '../../src/platform/metadata/models/model-content.ts';
import type { FieldContent } from '../../src/platform/metadata/field-types/field-content.ts';
import { call, dataOf, execute, expectRefusal } from '../support/api.ts';
import { askForImport, endedImport } from '../support/imports.ts';
import { changeModel, insert, newModel, newRole, type TestModel } from '../support/models.ts';
import { failureOf, runSql } from '../support/platform.ts';
import { insertInto, newUnits, platformAdmin } from '../support/promotions.ts';
import { newTenant, newUser, signedIn } from '../support/world.ts';

const fields: FieldContent[] = [
  { code: 'item', name: 'Item', type: 'string', maxLength: 50 },
  { code: 'from_day', name: 'From', type: 'date' },
  { code: 'to_day', name: 'To', type: 'date' },
  { code: 'state', name: 'State', type: 'enum', values: ['open', 'done'], default: 'open' },
  { code: 'size', name: 'Size', type: 'decimal' },
];
const noOverlap: ModelContent['noOverlap'] = [
  {
    fields: ['item'],
    from: 'from_day',
    to: 'to_day',
    where: [{ fieldName: 'state', operator: 'ne', value: 'done' }],
    message: 'The item is out',
  },
];

const { tenant, user } = signedIn('ADMIN');
const createOf =
  (model: TestModel, token = user.token) =>
  (payload: object) =>
    execute(token, model.command, { payload });
const updateOf = (model: TestModel) => (targetRecordId: string, payload: object) =>
  execute(user.token, model.command, { operationType: 'UPDATE', targetRecordId, payload });
const span = (from_day: string | null, to_day: string | null, more: object = {}) => ({
  item: 'drill',
  from_day,
  to_day,
  ...more,
});

async function problemsOf(content: Omit<ModelContent, 'name'>, model?: TestModel): Promise<Record<string, unknown>> {
  const { data } = (await failureOf(model ? changeModel(model, content) : newModel(content))) as {
    data: { fieldErrors: Record<string, unknown> };
  };
  return Object.fromEntries(
    Object.entries(data.fieldErrors).map(([path, problem]) => [path.split(' ').at(-1), problem]),
  );
}

describe('noOverlap of a model', () => {
  let model: TestModel;
  beforeAll(async () => {
    model = await newModel({ fields, noOverlap });
  });

  it('refuses a record whose time overlaps that of another one with the same fields: 409, reason OVERLAP', async () => {
    const create = createOf(model);
    dataOf(await create(span('2026-05-01', '2026-05-04')));
    const refused = await create(span('2026-05-04', '2026-05-06'));

    const problem = 'overlaps another record';
    expectRefusal(refused, 'CONFLICT', {
      reason: 'OVERLAP',
      fieldErrors: { item: problem, from_day: problem, to_day: problem },
    });
    expect(refused.body.message).toBe('The item is out');
    for (const other of [
      span('2026-05-05', '2026-05-06'),
      span('2026-05-01', '2026-05-04', { item: 'saw' }),
      span('2026-05-01', '2026-05-04', { state: 'done' }),
      span('2026-05-01', '2026-05-04', { item: null }),
    ]) {
      expect((await create(other)).status).toBe(200);
    }
    const { token } = await newUser(['ADMIN'], await newTenant());
    expect((await createOf(model, token)(span('2026-05-01', '2026-05-04'))).status).toBe(200);
  });

  it('binds updates; a record without an end lasts for ever', async () => {
    const [create, update] = [createOf(model), updateOf(model)];
    const item = { item: 'ladder' };
    const { pid } = dataOf(await create(span('2026-06-01', null, item)));
    expect((await create(span('2030-01-01', '2030-01-02', item))).body.data.reason).toBe('OVERLAP');

    dataOf(await update(pid, { to_day: '2026-06-02' }));
    const later = dataOf(await create(span('2026-06-03', '2026-06-04', item)));
    expect((await update(later.pid, { from_day: '2026-06-02' })).body.data.reason).toBe('OVERLAP');
    dataOf(await update(pid, { state: 'done' }));
    dataOf(await update(later.pid, { from_day: '2026-06-02' }));
    expect((await update(pid, { state: 'open' })).body.data.reason).toBe('OVERLAP');
  });

  it('has no record that ends before it begins', async () => {
    const refused = await createOf(model)(span('2026-07-02', '2026-07-01', { item: 'axe' }));
    expectRefusal(refused, 'VALIDATION_ERROR', { fieldErrors: { to_day: 'is before from_day' } });
  });

  it('binds imports: the row that overlaps is told, and left out', async () => {
    const content = 'item,from_day,to_day\nvan,2026-01-01,2026-01-02\nvan,2026-01-02,2026-01-03\nvan,2026-02-01,\n';
    const asked = await askForImport(user, { pageKey: model.code, content, body: { mode: 'create' } });
    const ended = await endedImport(user, asked.body.data.importPid);
    expect(ended).toMatchObject({ status: 'SUCCEEDED', created: 2, failed: 1 });
  });

  it('is taken away with its constraint', async () => {
    const other = await newModel({ fields, noOverlap });
    const create = createOf(other);
    dataOf(await create(span('2026-05-01', '2026-05-04')));
    await changeModel(other, { fields });
    dataOf(await create(span('2026-05-01', '2026-05-04')));

    expect(await problemsOf({ fields, noOverlap }, other)).toEqual({
      'content.noOverlap.0': '2 records overlap others, or end before they begin',
    });
  });

  it.each<[string, object, string]>([
    ['that is none', { fields: ['itm'] }, 'content.noOverlap.0.fields.0'],
    ['without an order', { from: 'item' }, 'content.noOverlap.0.from'],
    ['of another type', { to: 'size' }, 'content.noOverlap.0.to'],
    [
      'with a value that it cannot have',
      { where: [{ fieldName: 'state', operator: 'eq', value: 'opn' }] },
      'content.noOverlap.0.where.0.value',
    ],
    [
      'with no list for in',
      { where: [{ fieldName: 'state', operator: 'in', value: 'open' }] },
      'content.noOverlap.0.where.0.value',
    ],
  ])('is not saved with a field %s', async (_what, more, path) => {
    const rule = { fields: ['item'], from: 'from_day', to: 'to_day', ...more };
    expect(Object.keys(await problemsOf({ fields, noOverlap: [rule] as never }))).toEqual([path]);
  });
});

describe('uniqueTogether of a model', () => {
  const uniqueTogether = [['item', 'from_day']];

  it('refuses a record that has the values of another one: 409, reason UNIQUE, at each field', async () => {
    const model = await newModel({ fields, uniqueTogether });
    const create = createOf(model);
    const { pid } = dataOf(await create(span('2026-05-01', null)));
    const taken = 'is taken together with the others';
    expectRefusal(await create(span('2026-05-01', null)), 'CONFLICT', {
      reason: 'UNIQUE',
      fieldErrors: { item: taken, from_day: taken },
    });
    dataOf(await create(span('2026-05-02', null)));
    dataOf(await create(span(null, null)));
    dataOf(await create(span(null, null)));
    dataOf(await execute(user.token, model.command, { operationType: 'DELETE', targetRecordId: pid }));
    dataOf(await create(span('2026-05-01', null)));
  });

  it('is refused with the number of records that share values', async () => {
    const model = await newModel({ fields });
    await insert(tenant, model.code, [span('2026-05-01', null), span('2026-05-01', null), span('2026-05-02', null)]);

    expect(await problemsOf({ fields, uniqueTogether }, model)).toEqual({
      'content.uniqueTogether.0': '2 records share values',
    });
    expect(Object.keys(await problemsOf({ fields, uniqueTogether: [['item', 'no']] }, model))).toEqual([
      'content.uniqueTogether.0.1',
    ]);
  });

  it('is told to those alone who may read its fields: writing one takes the permission', async () => {
    const hidden = fields.map((field) => (field.code === 'item' ? { ...field, readPermission: true } : field));
    const model = await newModel({ fields: hidden, uniqueTogether });
    const writer = await newUser([await newRole(model.permissions)], tenant);

    const { status, body } = await createOf(model, writer.token)(span('2026-05-01', null));
    expect({ status, data: body.data }).toEqual({
      status: 403,
      data: { permission: `field:read:${model.code}.item` },
    });
  });
});

describe('checks of a model', () => {
  const checks: ModelContent['checks'] = [
    { assert: 'record.size == null || record.size <= 10', message: 'Too large', fields: ['size'] },
    { assert: 'record.state != "done" || record.to_day != null', message: 'Say when', reason: 'NO_END' },
  ];

  it('hold for every record that is written, whatever writes it', async () => {
    const model = await newModel({ fields, checks });
    const [create, update] = [createOf(model), updateOf(model)];

    expectRefusal(await create({ size: '10.5' }), 'VALIDATION_ERROR', { fieldErrors: { size: 'Too large' } });
    const { pid } = dataOf(await create({ size: '10' }));
    expectRefusal(await update(pid, { state: 'done' }), 'CONFLICT', { reason: 'NO_END' });
    expect(dataOf(await update(pid, { state: 'done', to_day: '2026-01-01' }))).toMatchObject({ version: 2 });
    const record = dataOf(await call(`/api/dynamic/${model.code}/${pid}`, { token: user.token }));
    expect(record).toMatchObject({ state: 'done', version: 2 });
  });

  it('are refused with the number of live records that break them, read as the model says from then on', async () => {
    const model = await newModel({ fields });
    await insert(tenant, model.code, [
      { size: '10' },
      { size: '10.5', state: 'done', to_day: '2026-02-01' },
      { size: '11', state: 'done' },
      { state: 'open', from_day: '2026-03-02' },
    ]);
    await runSql(`update dev.mt_${model.code} set deleted_at = now() where size = 11`);
    const early = { assert: 'record.from_day == null || record.from_day < "2026-03-01"', message: 'Early' };
    const level = { assert: 'record.level == "low"', message: 'Low' };
    const known = { code: 'level', name: 'Level', type: 'string', required: true, default: 'high' } as const;
    const refused = await failureOf(
      changeModel(model, { fields: [...fields, known], checks: [...(checks ?? []), early, level] }),
    );
    expect((refused as { data: { fieldErrors: object } }).data.fieldErrors).toEqual({
      [`MODEL/${model.code} content.checks.0.assert`]: '1 records break it',
      [`MODEL/${model.code} content.checks.2.assert`]: '1 records break it',
      [`MODEL/${model.code} content.checks.3.assert`]: '3 records break it',
    });
    await runSql(`update dev.mt_${model.code} set size = 1, from_day = null`);
    await changeModel(model, { fields, checks: [...(checks ?? []), early] });
    // What a model said before has been counted then.
    await runSql(`update dev.mt_${model.code} set size = 99`);
    await changeModel(model, { fields, checks });
  });

  it('are told by the application to callers who may read all of their fields', async () => {
    const hidden = fields.map((field) => (field.code === 'size' ? { ...field, readPermission: true } : field));
    const model = await newModel({
      fields: hidden,
      checks,
      uniqueTogether: [
        ['item', 'size'],
        ['item', 'state'],
      ],
      noOverlap,
    });
    const rulesFor = async (permissions: string[]) => {
      const { token } = await newUser([await newRole(permissions)], tenant);
      const { models } = dataOf(await call('/api/meta/app', { token })) as { models: { code: string }[] };
      return models.find(({ code }) => code === model.code);
    };
    const [, second] = checks ?? [];
    const apart = [{ fields: ['item'], from: 'from_day', to: 'to_day', message: 'The item is out' }];
    expect(await rulesFor(model.permissions)).toMatchObject({
      checks: [second],
      uniqueTogether: [['item', 'state']],
      noOverlap: apart,
    });
    expect(await rulesFor([...model.permissions, `field:read:${model.code}.size`])).toMatchObject({
      checks,
      uniqueTogether: [
        ['item', 'size'],
        ['item', 'state'],
      ],
    });
  });

  it.each<[string, object, string]>([
    ['reads a field that there is not', { assert: 'record.sze == 1' }, 'content.checks.0.assert'],
    ['is no boolean', { assert: 'record.item' }, 'content.checks.0.assert'],
    ['reads what is not of the record', { assert: 'payload.size == 1' }, 'content.checks.0.assert'],
    ['is shown at no field', { assert: 'true', fields: ['sze'] }, 'content.checks.0.fields.0'],
    [
      'is both a conflict and an error of fields',
      { assert: 'true', fields: ['size'], reason: 'X' },
      'content.checks.0.reason',
    ],
  ])('are not saved with one that %s', async (_what, more, path) => {
    const check = { message: 'No', ...more };
    expect(Object.keys(await problemsOf({ fields, checks: [check] as never }))).toEqual([path]);
  });
});

describe('the rules of a model in a promotion', () => {
  const admin = platformAdmin();

  it('are conflicts with the number of records of the target that break them', async () => {
    const promoted = await newUnits(fields);
    await admin.promote(promoted.units);
    await insertInto('staging', admin.tenant, promoted.code, [
      span('2026-05-01', '2026-05-04', { state: 'open' }),
      span('2026-05-04', '2026-05-04', { state: 'open' }),
      span('2026-05-05', null, { state: 'open' }),
    ]);
    const checks = [{ assert: 'record.to_day != null', message: 'Say when' }];
    await changeModel(promoted, { fields, noOverlap, uniqueTogether: [['item', 'state']], checks });

    const { status, conflicts } = dataOf(await admin.validate(await admin.created([promoted.model])));
    expect(status).toBe('DRAFT');
    expect(conflicts).toMatchObject([
      { type: 'DATA_INCOMPATIBLE', details: { field: 'item, state', rows: 3 } },
      { type: 'DATA_INCOMPATIBLE', details: { field: 'item, from_day, to_day', rows: 2 } },
      { type: 'DATA_INCOMPATIBLE', message: 'checks.0.assert: 1 records break it', details: { rows: 1 } },
    ]);
    await removeFromTable(promoted.code);
    const pid = await admin.created([promoted.model]);
    expect(dataOf(await admin.validate(pid))).toMatchObject({ status: 'VALIDATED', conflicts: [] });
    expect(dataOf(await admin.apply(pid))).toMatchObject({ status: 'APPLIED' });
    await expect(
      insertInto('staging', admin.tenant, promoted.code, [span('2026-05-02', null), span('2026-05-03', null)]),
    ).rejects.toThrow();
  });

  const removeFromTable = (code: string) => runSql(`update staging.mt_${code} set deleted_at = now()`);
});
