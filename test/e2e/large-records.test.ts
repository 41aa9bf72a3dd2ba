import { call, execute, type Answered } from '../support/api.ts';
import { insert, newModel, save, type TestModel } from '../support/models.ts';
import { runSql } from '../support/platform.ts';
import { signedIn } from '../support/world.ts';

/*
 * Setup: 40 records of 900 KB each, as a caller may make them one by one. What this proves: in whatever way
 * they are asked for all at once, a node refuses what would fill its memory, and says how to have it.
 */
const RECORDS = 40;
const LONG = 'x'.repeat(900_000);
const TOO_LARGE = { status: 409, body: { code: 'CONFLICT', data: { reason: 'TOO_LARGE' } } };

let model: TestModel;

const { tenant, user } = signedIn('ADMIN');
beforeAll(async () => {
  model = await newModel({
    fields: [
      { code: 'name', name: 'Name', type: 'string' },
      { code: 'data', name: 'Data', type: 'json' },
    ],
  });
  await insert(
    tenant,
    model.code,
    Array.from({ length: RECORDS }, (_, index) => ({ name: `n${index}`, data: LONG })),
  );
});

const get = (path: string): Promise<Answered> => call(path, { token: user.token });
const page = (query: string): Promise<Answered> => get(`/api/dynamic/${model.code}/list?${query}`);

describe('records that are large', () => {
  it('are listed in pages that fit', async () => {
    expect(await page('pageSize=40')).toMatchObject(TOO_LARGE);
    expect((await page('pageSize=10')).body.data.records).toHaveLength(10);
    expect((await page('pageSize=40&fields=name')).body.data.records).toHaveLength(RECORDS);
  });

  it('are read by data sources as far as they fit', async () => {
    const code = `${model.code}_all`;
    const content = { name: 'All', kind: 'model', modelCode: model.code, fields: ['name', 'data'] };
    await save('dev', { resourceType: 'DATASOURCE', code, content });
    const read = (maxItems: number) => get(`/api/datasource/list?datasourceId=${code}&maxItems=${maxItems}`);
    expect(await read(RECORDS)).toMatchObject(TOO_LARGE);
    expect(await read(10)).toMatchObject({ status: 200 });
  });

  it('are exported all', async () => {
    const url = `${process.env.KEELSON_TEST_URL}/api/dynamic/${model.code}/export?format=csv&fields=name,data`;
    const exported = await (await fetch(url, { headers: { authorization: `Bearer ${user.token}` } })).text();
    expect(exported.split('\n').filter((line) => line.includes('xxx'))).toHaveLength(RECORDS);
  });

  it('are not deleted all at once with the record that they belong to, and the refusal says what to do', async () => {
    const parent = await newModel({ fields: [{ code: 'name', name: 'Name', type: 'string' }] });
    const child = await newModel({
      fields: [
        { code: 'data', name: 'Data', type: 'json' },
        { code: 'parent', name: 'Parent', type: 'relation', target: parent.code, onDelete: 'cascade' },
      ],
    });
    const [pid = ''] = await insert(tenant, parent.code, [{ name: 'p' }]);
    await insert(
      tenant,
      child.code,
      Array.from({ length: RECORDS }, () => ({ data: LONG, parent: pid })),
    );

    const refused = await execute(user.token, parent.command, { operationType: 'DELETE', targetRecordId: pid });

    expect(refused).toMatchObject(TOO_LARGE);
    expect(refused.body.message).toBe(
      'This reads or changes records of more than 16 MiB at once: do it in parts, related records first',
    );
  });

  it('are changed together in as many statements as it takes', async () => {
    const found = await runSql<{ pid: string }>(`select pid from dev.mt_${model.code} where tenant_id = $1`, [
      tenant.id,
    ]);
    const items = found.map(({ pid }) => ({ operationType: 'UPDATE', targetRecordId: pid, payload: { name: 'new' } }));
    const body = { mode: 'partial', items };
    const { status, body: answer } = await call(`/api/meta/commands/execute/${model.command}/batch`, {
      token: user.token,
      body,
    });
    expect([status, answer.data]).toMatchObject([200, { succeeded: RECORDS, failed: 0 }]);
  });

  it('have a history in pages that fit', async () => {
    const [pid = ''] = await insert(tenant, model.code, [{ name: 'h', data: LONG }]);
    for (let index = 0; index < 12; index += 1) {
      const payload = { data: String(index % 10).repeat(900_000) };
      const changed = { operationType: 'UPDATE', targetRecordId: pid, payload };
      expect(
        await call(`/api/meta/commands/execute/${model.command}`, { token: user.token, body: changed }),
      ).toMatchObject({ status: 200 });
    }
    expect(await get(`/api/dynamic/${model.code}/${pid}/history?pageSize=50`)).toMatchObject(TOO_LARGE);
    expect((await get(`/api/dynamic/${model.code}/${pid}/history?pageSize=5`)).body.data.records).toHaveLength(5);
  });
});
