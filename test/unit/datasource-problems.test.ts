import { OutboundHttp } from '../../src/foundation/outbound/outbound-http.ts';
import { kindOf, type DataSourceContent } from '../../src/features/datasources/kinds/kinds.ts';
import { toModel } from '../../src/platform/metadata/models/model.ts';
import { inEnglish } from '../support/in-english.ts';

/** Without what Postgres itself finds. */
const checks = { rehearsal: { problemOf: () => Promise.resolve(null) }, outbound: new OutboundHttp(['127.0.0.1/32']) };

describe('saving a data source', () => {
  const lead = toModel('dev', 'lead', {
    name: 'Lead',
    fields: [
      { code: 'name', name: 'Name', type: 'string' },
      { code: 'extra', name: 'Extra', type: 'json' },
    ],
  });
  const models = new Map([['lead', lead]]);
  const problemsOf = async (source: DataSourceContent) =>
    inEnglish(await kindOf(source).problems?.(source, models, checks));
  const ofSql = (sql: string) => problemsOf({ name: 'x', kind: 'sql', sql });

  it('accepts SQL that fits the models', async () => {
    expect(await ofSql('select l.name, upper(name) from mt_lead l')).toEqual({});
  });

  it.each([
    ['select pg_sleep(1)', 'calls pg_sleep, which a data source may not call'],
    ['select * from mt_deal', 'reads mt_deal, but there is no model deal'],
    ['select l.nmae from mt_lead l', 'reads nmae, which is not a field of lead'],
    ['select l.to_json from mt_lead l', 'reads to_json, which is not a field of lead'],
    ['select mt_lead.deleted_at from mt_lead', 'reads deleted_at, which is not a field of lead'],
  ])('refuses %s', async (sql, problem) => {
    expect(await ofSql(sql)).toEqual({ 'content.sql': problem });
  });

  it('accepts a query of a model with its fields, conditions and order', async () => {
    const conditions = [{ or: [{ fieldName: 'name', operator: 'like', value: 'a' }] }];
    const sortFields = [{ fieldName: 'created_at', order: 'asc' as const }];
    const source = { name: 'x', kind: 'model' as const, modelCode: 'lead', fields: ['pid', 'name'] };

    expect(await problemsOf({ ...source, conditions, sortFields })).toEqual({});
  });

  it('reports everything in it that its model lacks', async () => {
    const problems = await problemsOf({
      name: 'x',
      kind: 'model',
      modelCode: 'lead',
      fields: ['name', 'nope', 'name'],
      conditions: [{ fieldName: 'gone', operator: 'eq', value: 1 }],
      sortFields: [
        { fieldName: 'extra', order: 'asc' },
        { fieldName: 'nope', order: 'desc' },
      ],
    });

    expect(problems).toEqual({
      'content.fields.1': 'is not a field of lead',
      'content.fields.2': 'is named twice',
      'content.sortFields.0.fieldName': 'is a json field, which has no order',
      'content.sortFields.1.fieldName': 'is not a field of lead',
      'content.conditions.0': 'gone: is not a field of lead',
    });
  });

  it.each([
    ['http://127.0.0.1:8080/rates', {}],
    ['https://rates.example/v1', {}],
    [
      'http://10.0.0.1/{{param:currency}}',
      { 'content.url': 'must not be an address that is not public (10.0.0.1: private)' },
    ],
    ['http://[::1]:6443/', { 'content.url': 'must not be an address that is not public (::1: loopback)' }],
  ])('accepts or refuses the address of %s', async (url, problems) => {
    const params = [{ code: 'currency', name: 'Currency', type: 'string' as const, required: true }];

    expect(await problemsOf({ name: 'x', kind: 'rest', params, url })).toEqual(problems);
  });

  it('reports a model that is not there', async () => {
    const source = { name: 'x', kind: 'model' as const, modelCode: 'deal', fields: ['pid'] };

    expect(await problemsOf(source)).toEqual({ 'content.modelCode': 'is not a model' });
  });
});
