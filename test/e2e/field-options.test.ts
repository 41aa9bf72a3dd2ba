import type { FieldContent } from '../../src/platform/metadata/field-types/field-content.ts';
import { call, dataOf, execute, expectRefusal } from '../support/api.ts';
import { changeModel, insert, newCode, newModel, save, type TestModel } from '../support/models.ts';
import { failureOf } from '../support/platform.ts';
import { signedIn } from '../support/world.ts';

const { tenant, user } = signedIn('ADMIN');
const create = (model: TestModel, payload: object) => execute(user.token, model.command, { payload });
const price = (more: Partial<FieldContent> = {}): FieldContent => ({
  code: 'price',
  name: 'Price',
  type: 'decimal',
  ...more,
});

async function problemsOf(work: Promise<unknown>): Promise<Record<string, unknown>> {
  const { data } = (await failureOf(work)) as { data: { fieldErrors: Record<string, unknown> } };
  const named = Object.entries(data.fieldErrors);
  return Object.fromEntries(named.map(([path, problem]) => [path.split(' ').at(-1), problem]));
}

describe('scale and precision of a decimal', () => {
  it('bind what is written; nothing is rounded', async () => {
    const model = await newModel({ fields: [price({ scale: 2, precision: 6 })] });
    for (const value of ['1234.56', '-1234.5', 12, '0012.30', '0.05']) {
      expect((await create(model, { price: value })).status).toBe(200);
    }
    expectRefusal(await create(model, { price: '1.005' }), 'VALIDATION_ERROR', {
      fieldErrors: { price: 'must have at most 2 digits after the point' },
    });
    expectRefusal(await create(model, { price: '12345.6' }), 'VALIDATION_ERROR', {
      fieldErrors: { price: 'must have at most 6 digits' },
    });
  });

  it('are refused with the number of records that have more', async () => {
    const model = await newModel({ fields: [price()] });
    await insert(tenant, model.code, [{ price: '1.234' }, { price: '1.2' }, { price: '12345' }]);

    expect(await problemsOf(changeModel(model, { fields: [price({ scale: 2, precision: 6 })] }))).toEqual({
      'content.fields.0.scale': '1 records have more than 2 digits after the point',
      'content.fields.0.precision': '1 records have more than 4 digits before the point',
    });
    await changeModel(model, { fields: [price({ scale: 3, precision: 8 })] });
  });

  it('are for decimals, and fit each other', async () => {
    expect(Object.keys(await problemsOf(newModel({ fields: [price({ type: 'integer', scale: 2 })] })))).toEqual([
      'content.fields.0.scale',
    ]);
    expect(Object.keys(await problemsOf(newModel({ fields: [price({ scale: 3, precision: 2 })] })))).toEqual([
      'content.fields.0.scale',
    ]);
  });
});

describe('required', () => {
  it('refuses a text that is blank', async () => {
    const model = await newModel({ fields: [{ code: 'name', name: 'Name', type: 'string', required: true }] });
    for (const blank of ['', '  ', '\t\n', '\u3000']) {
      expectRefusal(await create(model, { name: blank }), 'VALIDATION_ERROR', { fieldErrors: { name: 'is required' } });
    }
    expect((await create(model, { name: ' a ' })).body.data).toMatchObject({ name: ' a ' });
  });

  it('is refused with the number of records whose text is blank', async () => {
    const field: FieldContent = { code: 'name', name: 'Name', type: 'string' };
    const model = await newModel({ fields: [field] });
    await insert(tenant, model.code, [{ name: ' ' }, { name: 'a' }, {}]);

    expect(await problemsOf(changeModel(model, { fields: [{ ...field, required: true }] }))).toEqual({
      'content.fields.0.required': '2 records have no value',
    });
  });
});

describe('labels of an enum', () => {
  it('are what the application and the options call its values, in the language of the caller', async () => {
    const key = newCode();
    const state: FieldContent = {
      code: 'state',
      name: 'State',
      type: 'enum',
      values: ['new', 'open', 'done'],
      labels: { new: 'Brand new', open: `$i18n:${key}.open` },
    };
    const model = await newModel({ fields: [state] });
    await save('dev', {
      resourceType: 'I18N',
      code: `${key}.en`,
      content: { locale: 'en', messages: { [`${key}.open`]: 'In work' } },
    });
    const labels = { new: 'Brand new', open: 'In work', done: 'done' };

    const app = dataOf(await call('/api/meta/app', { token: user.token })) as {
      models: { code: string; fields: { code: string; labels?: object }[] }[];
    };
    const described = app.models.find(({ code }) => code === model.code)?.fields.find(({ code }) => code === 'state');
    expect(described?.labels).toEqual(labels);
    const options = await call(`/api/dynamic/${model.code}/options/state`, { token: user.token });
    expect(options.body.data).toEqual(Object.entries(labels).map(([value, label]) => ({ value, label })));
  });

  it('are refused for a value that the field does not have', async () => {
    const state: FieldContent = { code: 'state', name: 'S', type: 'enum', values: ['new'], labels: { nwe: 'New' } };
    expect(Object.keys(await problemsOf(newModel({ fields: [state] })))).toEqual(['content.fields.0.labels.nwe']);
  });
});
