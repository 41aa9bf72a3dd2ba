import { parseListQuery } from '../../src/platform/records/query/record-query.ts';
import { insert, newModel, type TestModel } from '../support/models.ts';
import { runSql } from '../support/platform.ts';
import { container, newTenant, type TestTenant } from '../support/world.ts';

const EVERYTHING = { has: () => true, codes: ['*'] };

describe('keyword, behind row-level security', () => {
  let model: TestModel;
  let tenant: TestTenant;
  let stranger: TestTenant;

  beforeAll(async () => {
    model = await newModel({
      fields: [
        { code: 'name', name: 'Name', type: 'string', searchable: true },
        { code: 'email', name: 'Email', type: 'string', searchable: true },
      ],
    });
    [tenant, stranger] = [await newTenant(), await newTenant()];
    for (const owner of [tenant, stranger]) {
      const records = Array.from({ length: 3_000 }, (_, n) => ({ name: `Ann ${n}`, email: `ann.${n}@x.example` }));
      await insert(owner, model.code, records);
    }
    await runSql(`vacuum analyze dev."mt_${model.code}"`);
  });

  async function select(keyword: string) {
    const { snapshots } = await container();
    const metadata = await snapshots.current('dev');
    const actor = { tenantId: tenant.id, permissions: EVERYTHING, metadata } as never;
    const source = metadata.model(model.code);
    return parseListQuery({ keyword, pageSize: '10' }, { model: source, actor }).select.page(10, null, null);
  }

  it('finds few records by the indexes of the searchable fields', async () => {
    const { database } = await container();
    const { text, values } = await select('n.2718@');
    // As often as gives other statements a plan for all values.
    for (let use = 0; use < 12; use += 1) await database.queryRecords(text, values);

    const plan = await database.queryRecords<Record<string, string>>(`explain ${text}`, values);

    const nodes = plan.map((row) => Object.values(row)[0]).join('\n');
    expect(nodes).toMatch(/Bitmap Index Scan on ix_\S+_keyword/);
    expect(nodes).not.toMatch(/Seq Scan/);
  });

  it("finds the tenant's own records alone, whatever the case", async () => {
    const { database } = await container();
    const { text, values } = await select('ANN 2718');

    const found = await database.queryRecords(text, values);

    expect(found).toMatchObject([{ name: 'Ann 2718', tenant_id: tenant.id }]);
  });

  it('is a text, not a pattern', async () => {
    const { database } = await container();
    for (const keyword of ['Ann_2718', 'A%', 'Ann 2718\\']) {
      const { text, values } = await select(keyword);
      expect(await database.queryRecords(text, values)).toEqual([]);
    }
  });
});
