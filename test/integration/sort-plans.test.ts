import { DescendingIndexes0014 } from '../../migrations/0014_descending_indexes.ts';
import { indexesOf, rows } from '../support/platform.ts';
import { newModel, insert, save, modelDraft, type TestModel } from '../support/models.ts';
import { container, newTenant, type TestTenant } from '../support/world.ts';
import { listStatement } from '../../src/features/records/record-select.ts';
import { parseListQuery } from '../../src/features/records/list-query.ts';
import type { ModelContent } from '../../src/platform/metadata/models/model-content.ts';

const EVERYTHING = { has: () => true, codes: ['*'] };
const FIELDS: ModelContent['fields'] = [
  { code: 'name', name: 'Name', type: 'string' },
  { code: 'amount', name: 'Amount', type: 'decimal', indexed: true },
  { code: 'number', name: 'Number', type: 'integer', unique: true },
  { code: 'rank', name: 'Rank', type: 'integer', indexed: true, required: true },
];

/** A node that reads everything before it gives the first row; an incremental sort of ties does not. */
const SORT = /->\s+Sort\s+\(/;

describe('sorted lists', () => {
  let model: TestModel;
  let tenant: TestTenant;

  beforeAll(async () => {
    model = await newModel({ fields: FIELDS });
    tenant = await newTenant();
    const records = Array.from({ length: 3000 }, (_, index) => ({
      name: `n${index}`,
      amount: index % 3 === 0 ? null : String((index * 7919) % 3001),
      number: index % 2 === 0 ? null : index,
      rank: (index * 31) % 2999,
    }));
    await insert(tenant, model.code, records);
    const { orm } = await container();
    await orm.em.execute(`analyze dev."mt_${model.code}"`);
  });

  /** The names of the plan's nodes for one page of a list. */
  async function planOf(query: Record<string, string>): Promise<string> {
    const { database, snapshots } = await container();
    const snapshot = await snapshots.current('dev');
    const actor = { tenantId: tenant.id, permissions: EVERYTHING, metadata: snapshot } as never;
    const errors = {};
    const statement = listStatement(
      snapshot.model(model.code),
      actor,
      parseListQuery(query, snapshot.model(model.code), EVERYTHING),
      false,
      errors,
    );
    const rows = await database.queryRecords<Record<string, string>>(`explain ${statement.text}`, statement.values);
    return rows.map((row) => Object.values(row)[0]).join('\n');
  }

  it.each([
    ['amount', 'asc'],
    ['amount', 'desc'],
    ['number', 'asc'],
    ['number', 'desc'],
    ['rank', 'asc'],
    ['rank', 'desc'],
    ['created_at', 'desc'],
  ])('a page sorted by the indexed field %s %s is read from its index', async (sortField, sortOrder) => {
    const plan = await planOf({ sortField, sortOrder, pageSize: '10' });

    expect(plan).toMatch(/Index Scan/);
    expect(plan).not.toMatch(SORT);
  });

  it('tables from before the descending indexes get them by a migration', async () => {
    const { orm } = await container();
    const before = await indexesOf(model.code);
    const names = await rows<{ name: string }>(
      `select indexname as name from pg_indexes where tablename = ? and indexname like '%\\_desc'`,
      [`mt_${model.code}`],
    );
    expect(names).toHaveLength(2);
    for (const { name } of names) await rows(`drop index dev.${name}`);
    const migration = new DescendingIndexes0014(orm.em.getDriver(), orm.config);
    migration.up();
    for (const query of migration.getQueries() as string[]) await rows(query);

    expect(await indexesOf(model.code)).toEqual(before);
  });

  it('a page sorted by a field without an index has to sort', async () => {
    expect(await planOf({ sortField: 'name', sortOrder: 'desc', pageSize: '10' })).toMatch(SORT);
  });

  it('a field that becomes indexed gets the indexes of both directions', async () => {
    const fields = FIELDS.map((field) => (field.code === 'name' ? { ...field, indexed: true } : field));
    await save('dev', modelDraft(model.code, { fields }));

    expect(await planOf({ sortField: 'name', sortOrder: 'desc', pageSize: '10' })).not.toMatch(SORT);
  });
});
