import type { ModelContent } from '../../src/platform/metadata/models/model-content.ts';
import type { FieldContent } from '../../src/platform/metadata/field-types/field-content.ts';
import { call, dataOf, execute, expectRefusal } from '../support/api.ts';
import { askForImport, endedImport } from '../support/imports.ts';
import { changeModel, insert, newCode, newModel, newRole, save, type TestModel } from '../support/models.ts';
import { failureOf, runSql } from '../support/platform.ts';
import { insertInto, newUnits, platformAdmin } from '../support/promotions.ts';
import { newTenant, newUser, signedIn } from '../support/world.ts';

const count: FieldContent = { code: 'count', name: 'Count', type: 'integer', default: 1 };
const price: FieldContent = { code: 'price', name: 'Price', type: 'decimal' };
const code: FieldContent = { code: 'sku', name: 'Code', type: 'string', unique: true };
const total: FieldContent = {
  code: 'total',
  name: 'Total',
  type: 'decimal',
  scale: 2,
  indexed: true,
  computed: 'record.price * record.count * 1.19',
};
const plain = [code, count, price];
const fields = [...plain, total];

const { tenant, user } = signedIn('ADMIN');
const write = (model: TestModel, body: object) => execute(user.token, model.command, body);
const create = async (model: TestModel, payload: object) => dataOf(await write(model, { payload }));
const recordOf = async (model: TestModel, pid: string) =>
  dataOf(await call(`/api/dynamic/${model.code}/${pid}?fields=sku,count,price,total`, { token: user.token }));
const totalsOf = async (model: TestModel, query = '') => {
  const list = await call(`/api/dynamic/${model.code}/list?fields=sku,total&sortField=sku&sortOrder=asc${query}`, {
    token: user.token,
  });
  return (dataOf(list).records as { total: string | null }[]).map((record) => record.total);
};

async function problemsOf(content: Omit<ModelContent, 'name'>, model?: TestModel): Promise<Record<string, unknown>> {
  const { data } = (await failureOf(model ? changeModel(model, content) : newModel(content))) as {
    data: { fieldErrors: Record<string, unknown> };
  };
  return Object.fromEntries(
    Object.entries(data.fieldErrors).map(([path, problem]) => [path.split(' ').at(-1), problem]),
  );
}

describe('a computed field', () => {
  let model: TestModel;
  beforeAll(async () => {
    model = await newModel({ fields });
  });

  it('has its value with each write, rounded to its scale; without what it is computed from it has none', async () => {
    const made = await create(model, { sku: 'a', price: '9.99' });
    expect(made).toMatchObject({ count: 1, total: '11.89' });
    const updated = await write(model, { operationType: 'UPDATE', targetRecordId: made.pid, payload: { count: 3 } });
    expect(dataOf(updated)).toMatchObject({ total: '35.66', version: 2 });
    expect(await recordOf(model, made.pid)).toMatchObject({ total: '35.66' });
    const cleared = await write(model, { operationType: 'UPDATE', targetRecordId: made.pid, payload: { price: null } });
    expect(dataOf(cleared)).toMatchObject({ total: null, version: 3 });

    const payload = { modelCode: model.code, pid: made.pid, version: 1 };
    expect(dataOf(await execute(user.token, 'record:revert', { payload }))).toMatchObject({
      record: { count: 1, price: '9.99', total: '11.89' },
      skipped: [],
    });
    const history = dataOf(await call(`/api/dynamic/${model.code}/${made.pid}/history`, { token: user.token }));
    expect(history.records[0]).toMatchObject({ changes: { total: { from: null, to: '11.89' } } });
  });

  it('is in no payload: 400 at the field, and in no import', async () => {
    const problem = { fieldErrors: { total: 'is set by the platform' } };
    expectRefusal(await write(model, { payload: { sku: 'b', total: '1' } }), 'VALIDATION_ERROR', problem);
    const content = 'sku,price,total\nimported,2,99\n';
    const mapping = { sku: 'sku', price: 'price', total: 'total' };
    const asked = (body: object) => askForImport(user, { pageKey: model.code, content, body });
    expectRefusal(await asked({ mode: 'create', mapping }), 'VALIDATION_ERROR', {
      fieldErrors: { 'mapping.total': 'is set by the platform' },
    });
    const { importPid } = dataOf(await asked({ mode: 'create' }));
    expect(await endedImport(user, importPid)).toMatchObject({ status: 'SUCCEEDED', created: 1 });
    expect(await totalsOf(model, '&keyword=&filters=' + filterOf('sku', 'eq', 'imported'))).toEqual(['2.38']);
  });

  it('is computed by batches, dry runs and steps of commands, and is found and sorted by', async () => {
    const own = await newModel({ fields });
    const items = ['a', 'b', 'c'].map((sku, index) => ({ payload: { sku, price: String(10 * (index + 1)) } }));
    dataOf(await call(`/api/meta/commands/execute/${own.command}/batch`, { token: user.token, body: { items } }));
    expect(await totalsOf(own)).toEqual(['11.90', '23.80', '35.70']);
    expect(await totalsOf(own, `&filters=${filterOf('total', 'gt', '20')}`)).toEqual(['23.80', '35.70']);
    const dry = dataOf(await write(own, { payload: { sku: 'd', price: '1' }, dryRun: true }));
    expect(dry).toMatchObject({ result: { total: '1.19' } });

    const step = { id: 'made', operation: 'CREATE' as const, modelCode: own.code };
    const custom = (values: Record<string, string>) => ({
      resourceType: 'COMMAND',
      code: `test:${own.code}`,
      content: { name: 'Step', modelCode: own.code, operations: ['CUSTOM'], steps: [{ ...step, values }] },
    });
    await save('dev', custom({ sku: '"step"', price: '"100"' }));
    expect(dataOf(await execute(user.token, `test:${own.code}`, { payload: {} }))).toMatchObject({
      made: { total: '119.00' },
    });
    expect(await failureOf(save('dev', custom({ total: '1' })))).toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('takes part in checks, unique values and row rules', async () => {
    const double: FieldContent = {
      code: 'label',
      name: 'L',
      type: 'string',
      unique: true,
      computed: '"x" + record.sku',
    };
    const own = await newModel({
      fields: [...fields, double],
      checks: [{ assert: 'record.total == null || record.total < 100', message: 'Too much', fields: ['price'] }],
      rowRules: [{ name: 'Small', unless: 'x:y', conditions: [{ fieldName: 'total', operator: 'lt', value: 50 }] }],
    });
    await create(own, { sku: 'a', price: '1' });
    expectRefusal(await write(own, { payload: { sku: 'b', price: '100' } }), 'VALIDATION_ERROR', {
      fieldErrors: { price: 'Too much' },
    });
    const writer = await newUser([await newRole(own.permissions)], tenant);
    expect((await execute(writer.token, own.command, { payload: { sku: 'c', price: '80' } })).body).toMatchObject({
      code: 'FORBIDDEN',
      data: { reason: 'ROW_RULE' },
    });
    expectRefusal(await write(own, { payload: { sku: 'a', price: '1' } }), 'CONFLICT', { reason: 'UNIQUE' });
  });

  it('refuses a write whose value does not fit it: 400 at the field', async () => {
    const share: FieldContent = { code: 'share', name: 'S', type: 'integer', max: 50, computed: '100 / record.count' };
    const own = await newModel({ fields: [code, count, share] });
    const at = async (value: number) => (await write(own, { payload: { sku: `s${value}`, count: value } })).body.data;
    expect((await at(4)).share).toBe(25);
    expect(await at(0)).toEqual({ fieldErrors: { share: expect.stringMatching(/^must be a whole number/) } });
    expect(await at(1)).toEqual({ fieldErrors: { share: 'must not be greater than 50' } });
    expect(await at(3)).toEqual({ fieldErrors: { share: expect.stringMatching(/^must be a whole number/) } });
  });

  it('is told by the application as read-only, and stands in no schema of a payload', async () => {
    const app = dataOf(await call('/api/meta/app', { token: user.token }));
    const told = app.models.find((one: { code: string }) => one.code === model.code);
    expect(told.fields.find((one: { code: string }) => one.code === 'total')).toMatchObject({ readOnly: true });
    const { payloadSchema } = app.commands.find((one: { code: string }) => one.code === model.command);
    expect(Object.keys(payloadSchema.properties)).toEqual(['sku', 'count', 'price']);
  });
});

describe('a computed field of a model that has records', () => {
  const admin = platformAdmin();

  it('is filled in all of them, of all tenants, and anew when its expression changes; versions stay', async () => {
    const model = await newModel({ fields: plain });
    const other = await newTenant();
    const [first] = await insert(tenant, model.code, [
      { sku: 'a', count: 2, price: '10' },
      { sku: 'b', count: 1, price: null },
    ]);
    await insert(other, model.code, [{ sku: 'a', count: 3, price: '1' }]);
    await runSql(`update dev.mt_${model.code} set deleted_at = now() where sku = 'b'`);
    const stored = async () =>
      (await runSql<{ total: string | null }>(`select total from dev.mt_${model.code} order by id`)).map(
        (row) => row.total,
      );

    await changeModel(model, { fields });
    expect(await stored()).toEqual(['23.80', null, '3.57']);
    await changeModel(model, { fields: [...plain, { ...total, computed: 'record.price' }] });
    expect(await stored()).toEqual(['10.00', null, '1.00']);
    expect(await totalsOf(model, `&filters=${filterOf('total', 'eq', '10')}`)).toEqual(['10.00']);
    expect(await call(`/api/dynamic/${model.code}/${first}`, { token: user.token })).toMatchObject({
      body: { data: { version: 1 } },
    });
  });

  it('is refused with the number of records for which it has no value that fits', async () => {
    const model = await newModel({ fields: [...plain, { code: 'note', name: 'Note', type: 'string' }] });
    await insert(tenant, model.code, [
      { sku: 'a', count: 0, price: '10', note: 'kept' },
      { sku: 'b', count: 2, price: '10' },
      { sku: 'c', price: '10' },
    ]);
    const added: FieldContent[] = [
      { code: 'each', name: 'Each', type: 'decimal', scale: 2, computed: 'record.price / record.count' },
      { code: 'note', name: 'Note', type: 'string', computed: 'record.sku' },
    ];
    const checks = [{ assert: 'record.each == null || record.each > 9', message: 'Cheap' }];
    expect(await problemsOf({ fields: [...plain, ...added], checks }, model)).toEqual({
      'content.fields.3.computed': '1 records have no value that fits',
      'content.fields.4.computed': 'would replace the values of 1 records: give it a code of its own',
      'content.checks.0.assert': '1 records break it',
    });
  });

  it('is a conflict of a promotion, with their number, and is filled by one', async () => {
    const promoted = await newUnits(plain);
    await admin.promote(promoted.units);
    await insertInto('staging', admin.tenant, promoted.code, [
      { sku: 'a', count: 0, price: '10' },
      { sku: 'b', count: 4, price: '10' },
    ]);
    const each: FieldContent = { ...total, code: 'each', computed: 'record.price / record.count' };
    await changeModel(promoted, { fields: [...plain, each] });
    expect(dataOf(await admin.validate(await admin.created([promoted.model]))).conflicts).toMatchObject([
      { type: 'DATA_INCOMPATIBLE', details: { field: 'each', rows: 1 } },
    ]);
    await runSql(`update staging.mt_${promoted.code} set count = 1 where count = 0`);
    const pid = await admin.created([promoted.model]);
    expect(dataOf(await admin.validate(pid))).toMatchObject({ status: 'VALIDATED', conflicts: [] });
    expect(dataOf(await admin.apply(pid))).toMatchObject({ status: 'APPLIED' });
    const rows = await runSql(`select each from staging.mt_${promoted.code} order by id`);
    expect(rows).toEqual([{ each: '10.00' }, { each: '2.50' }]);
  });
});

describe('a computed field is not saved', () => {
  const relation: FieldContent = { code: 'parent', name: 'P', type: 'relation', target: 'lead' };
  const computed = (expression: string, more: object = {}) =>
    ({ code: 'made', name: 'Made', type: 'string', computed: expression, ...more }) as FieldContent;

  it.each<[string, FieldContent, string, RegExp]>([
    ['of another type', computed('record.count'), 'computed', /^says number, not text$/],
    ['that makes a list', computed('[record.sku]'), 'computed', /^says list, not text$/],
    ['that reads an unknown field', computed('record.skuu'), 'computed', /did you mean sku\?/],
    ['that reads the time', computed('string(now)'), 'computed', /now/],
    ['that reads another one', computed('string(record.total)'), 'computed', /^reads total, which is computed itself$/],
    ['that reads a relation', computed('record.parent'), 'computed', /^reads parent: .* follows no relation$/],
    ['that follows a relation', computed('record.parent.name'), 'computed', /./],
    ['that reads what the platform sets', computed('record.created_by'), 'computed', /^reads created_by, which/],
    ['that is no expression', computed('record.'), 'computed', /is not a valid expression/],
    ['of a type that cannot be computed', computed('record.sku', { type: 'json' }), 'computed', /^is for fields of/],
    ['that is required', computed('record.sku', { required: true }), 'required', /^is not for a field that/],
    ['with a default', computed('record.sku', { default: 'x' }), 'default', /^is not for a field that/],
  ])('%s', async (_what, field, option, problem) => {
    const problems = await problemsOf({ fields: [...fields, relation, field] });
    expect(problems).toEqual({ [`content.fields.5.${option}`]: expect.stringMatching(problem) });
  });

  it('where a command takes it from its callers, or finds records by it', async () => {
    const model = await newModel({
      fields: [...plain, { code: 'total', name: 'T', type: 'string', unique: true, computed: 'record.sku' }],
    });
    const command = (more: object) =>
      save('dev', {
        resourceType: 'COMMAND',
        code: `test:${newCode()}`,
        content: { name: 'C', modelCode: model.code, operations: ['UPSERT'], ...more },
      });
    for (const more of [{ matchOn: ['total'] }, { matchOn: ['sku'], fields: ['sku', 'total'] }]) {
      expect(await failureOf(command(more))).toMatchObject({ code: 'VALIDATION_ERROR' });
    }
  });

  it('without a warning where it shows a hidden field', async () => {
    const model = await newModel({ fields: plain });
    const hidden = plain.map((field) => ({ ...field, readPermission: field.code === 'price' }));
    const content = { name: 'M', fields: [...hidden, total] };
    const admin = await newUser(['PLATFORM_ADMIN'], tenant);
    const saved = await execute(admin.token, 'meta:save', {
      payload: { resourceType: 'MODEL', code: model.code, content },
    });
    expect(dataOf(saved).warnings).toContainEqual({
      path: 'content.fields.3.computed',
      message: `copies ${model.code}.price into ${model.code}.total, which anyone may read`,
    });
  });
});

const filterOf = (fieldName: string, operator: string, value: unknown) =>
  encodeURIComponent(JSON.stringify([{ fieldName, operator, value }]));
