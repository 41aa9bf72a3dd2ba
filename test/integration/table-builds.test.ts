import pg from 'pg';
import { readConfig } from '../../src/foundation/config/config.ts';
import type { FieldContent } from '../../src/platform/metadata/field-types/field-content.ts';
import { call, execute } from '../support/api.ts';
import { until } from '../support/faults.ts';
import { changeModel, newModel, type TestModel, name } from '../support/models.ts';
import { columnsOf, failureOf, indexesOf, runSql } from '../support/platform.ts';
import { newTenant, newUser } from '../support/world.ts';

const note: FieldContent = { code: 'note', name: 'Note', type: 'string' };
const fields = [name, note];
const RECORDS = 10_001;

const insertSql = ({ code }: TestModel, from: number, to: number): string =>
  `insert into dev.mt_${code} (pid, tenant_id, created_by, updated_by, name)
   select 'P' || n, 7, 'x', 'x', 'name ' || n from generate_series(${from}, ${to}) n`;

/** A model with so many records that its table is large; all names differ. */
async function newLargeModel(): Promise<TestModel> {
  const model = await newModel({ fields });
  await runSql(insertSql(model, 1, RECORDS));
  return model;
}

/** A transaction that has done this, and stays open until `end`. */
async function openTransaction(sql: string) {
  const client = new pg.Client({ connectionString: readConfig().databaseUrl });
  await client.connect();
  await client.query('begin');
  await client.query(sql);
  return {
    async end(): Promise<void> {
      await client.query('commit');
      await client.end();
    },
  };
}

let token: string;
const builds = async ({ code }: TestModel) => {
  const { body } = await call(`/api/meta/builds?modelCode=${code}`, { token });
  return body.data.records as { pid: string; kind: string; status: string; failure: string | null; progress: object }[];
};
const statusesAre = (model: TestModel, ...wanted: string[]) =>
  until(`builds are ${wanted.join()}`, async () => {
    const statuses = (await builds(model)).map(({ status }) => status);
    return statuses.sort().join() === wanted.join();
  });
const hasIndex = async ({ code }: TestModel, columns: string) =>
  (await indexesOf(code)).some((definition) => definition.includes(columns));

beforeAll(async () => {
  ({ token } = await newUser(['PLATFORM_ADMIN'], await newTenant()));
});

describe('publishing an index of a large table', () => {
  it('waits for no writer, and stops none: the index is built afterwards', async () => {
    const model = await newLargeModel();
    const writer = await openTransaction(insertSql(model, 20_001, 20_001));

    await changeModel(model, { fields: [{ ...name, indexed: true }, note] });

    await statusesAre(model, 'BUILDING', 'QUEUED');
    await until('progress is shown', async () => (await builds(model)).some(({ progress }) => progress !== null));
    await runSql(insertSql(model, 20_002, 20_002));
    await writer.end();
    await statusesAre(model, 'DONE', 'DONE');
    expect(await hasIndex(model, '(tenant_id, name, created_at DESC')).toBe(true);
    expect(await hasIndex(model, '(tenant_id, name DESC NULLS LAST')).toBe(true);
  });

  it('is taken back by the next version, whatever has been built of it', async () => {
    const model = await newLargeModel();
    const writer = await openTransaction(insertSql(model, 20_001, 20_001));
    await changeModel(model, { fields: [{ ...name, searchable: true }, note] });
    await statusesAre(model, 'BUILDING');

    await changeModel(model, { fields });
    await writer.end();

    await statusesAre(model);
    expect(await hasIndex(model, 'gin')).toBe(false);
  });

  it('is done at once where the table is small', async () => {
    const model = await newModel({ fields });
    await changeModel(model, { fields: [{ ...name, unique: true }, note] });
    expect(await builds(model)).toEqual([]);
    expect(await hasIndex(model, 'unique btree (tenant_id, name)')).toBe(true);
  });
});

describe('publishing a rule for the records of a large table', () => {
  it('is refused at once where records break it', async () => {
    const model = await newLargeModel();
    await runSql(`update dev.mt_${model.code} set name = 'same', note = 'x' where pid in ('P1', 'P2')`);

    const failure = await failureOf(
      changeModel(model, {
        fields: [
          { ...name, unique: true },
          { ...note, required: true },
        ],
      }),
    );

    expect(failure).toEqual({
      code: 'VALIDATION_ERROR',
      data: {
        fieldErrors: {
          [`MODEL/${model.code} content.fields.0.unique`]: '2 records share a value',
          [`MODEL/${model.code} content.fields.1.required`]: '9999 records have no value',
        },
      },
    });
  });

  it('refuses new records without a value from the publish on', async () => {
    const model = await newLargeModel();
    const reader = await openTransaction(`select 1 from dev.mt_${model.code} limit 1`);
    const published = changeModel(model, { fields: [{ ...name, required: true }, note] });
    // Writers do not queue behind the publish, which waits for the reader.
    await runSql(insertSql(model, 20_001, 20_001));
    await reader.end();
    await published;

    const empty = insertSql(model, 20_002, 20_002).replace(`'name ' || n`, 'null');
    await expect(runSql(empty)).rejects.toMatchObject({ code: expect.stringMatching(/^2350|^23514/) });
    await statusesAre(model, 'DONE');
    expect((await columnsOf(model.code)).name).toBe('text not null');
    expect(
      await runSql(`select 1 from pg_constraint where conrelid = $1::regclass and contype = 'c'`, [
        `dev.mt_${model.code}`,
      ]),
    ).toEqual([]);
  });

  it('says why its build has failed, and is built again when it is asked for', async () => {
    const model = await newLargeModel();
    const writer = await openTransaction(insertSql(model, 20_001, 20_001).replace(`'name ' || n`, `'name 1'`));
    await changeModel(model, { fields: [{ ...name, unique: true }, note] });
    await statusesAre(model, 'BUILDING', 'QUEUED');
    await writer.end();
    await statusesAre(model, 'DONE', 'FAILED');

    const [failed] = (await builds(model)).filter(({ status }) => status === 'FAILED');
    expect(failed).toMatchObject({ kind: 'UNIQUE_INDEX', failure: 'has records that share a value' });
    expect(await hasIndex(model, 'unique btree (tenant_id, name)')).toBe(false);

    await runSql(`update dev.mt_${model.code} set name = 'another' where pid = 'P20001'`);
    await call(`/api/meta/builds/${failed?.pid}/retry`, { method: 'POST', token });
    await statusesAre(model, 'DONE', 'DONE');
    await expect(runSql(insertSql(model, 30_001, 30_001).replace(`'name ' || n`, `'name 1'`))).rejects.toMatchObject({
      code: '23505',
    });
  });

  it('replaces what a killed builder has left', async () => {
    const model = await newLargeModel();
    await runSql(insertSql(model, 20_001, 20_001).replace(`'name ' || n`, `'name 1'`));
    await changeModel(model, { fields: [{ ...name, indexed: true, required: true }, note] });
    await statusesAre(model, 'DONE', 'DONE');
    const [{ index } = { index: '' }] = await runSql<{ index: string }>(
      `select indexname as index from pg_indexes where tablename = $1 and indexname like '%_sort'`,
      [`mt_${model.code}`],
    );
    await runSql(`drop index dev.${index}`);
    // A build that fails leaves an invalid index, as one that is killed does.
    const broken = `create unique index concurrently ${index} on dev.mt_${model.code} (tenant_id, name)`;
    await expect(runSql(broken)).rejects.toMatchObject({ code: '23505' });
    await runSql(`update platform.table_build set status = 'BUILDING' where name = $1`, [index]);

    await statusesAre(model, 'DONE', 'DONE');
    expect(await hasIndex(model, '(tenant_id, name, created_at DESC')).toBe(true);
  });
});

describe('publishing a computed field of a large table', () => {
  const made: FieldContent = { code: 'made', name: 'Made', type: 'string', computed: '"is " + record.name' };
  const madeOf = async ({ code }: TestModel, where: string) =>
    (
      await runSql<{ made: string | null; version: number }>(`select made, version from dev.mt_${code} where ${where}`)
    )[0];

  it('fills it afterwards, of records that are written meanwhile too, and anew for another expression', async () => {
    const model = await newLargeModel();
    await runSql(`update dev.mt_${model.code} set tenant_id = 8 where pid = 'P2'`);
    await changeModel(model, { fields: [...fields, { ...made, indexed: true }] });
    await statusesAre(model, 'DONE', 'DONE', 'DONE');
    expect(await runSql(`select 1 from dev.mt_${model.code} where made is distinct from 'is ' || name`)).toEqual([]);
    expect(await madeOf(model, `pid = 'P2'`)).toEqual({ made: 'is name 2', version: 1 });

    await changeModel(model, { fields: [...fields, { ...made, computed: '"was " + record.name' }] });
    await until('all are filled', async () => (await madeOf(model, `made not like 'was %'`)) === undefined);
    await statusesAre(model, 'DONE', 'DONE', 'DONE', 'DONE');
  });

  it('says how many records have no value that fits it', async () => {
    const model = await newLargeModel();
    await changeModel(model, { fields: [...fields, { ...made, maxLength: 20 }] });
    await statusesAre(model, 'DONE');
    await runSql(insertSql(model, 20_001, 20_001).replace(`'name ' || n`, `repeat('x', 30)`));
    await runSql(`update platform.table_build set status = 'QUEUED' where model_code = $1`, [model.code]);
    await statusesAre(model, 'FAILED');
    expect(await builds(model)).toMatchObject([{ kind: 'COMPUTED', failure: '1 records have no value that fits' }]);
  });
});

describe('a change of type that rewrites a table', () => {
  it('takes consent above 100,000 records, and says how many they are and how long it takes', async () => {
    const model = await newModel({ fields: [name, { code: 'size', name: 'Size', type: 'integer' }] });
    await runSql(insertSql(model, 1, 100_001));
    const content = {
      name: 'M',
      fields: [
        { ...name, unique: true },
        { code: 'size', name: 'Size', type: 'bigint' },
      ],
    };
    const saved = (rest: object) =>
      execute(token, 'meta:save', { payload: { resourceType: 'MODEL', code: model.code, content, ...rest } });

    expect((await saved({})).body).toMatchObject({
      code: 'CONFLICT',
      data: { reason: 'CONSENT_REQUIRED', resources: [{ details: { fields: 'size', rows: 100_001, seconds: 1 } }] },
    });
    const { body } = await saved({ consent: true });
    expect(body.data.warnings).toEqual([
      { path: 'content.fields.0.unique', message: expect.stringContaining('once its index has been built') },
    ]);
    expect((await columnsOf(model.code)).size).toBe('bigint');
  });
});
