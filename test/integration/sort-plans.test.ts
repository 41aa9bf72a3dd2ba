import { runSql } from '../support/platform.ts';
import { newModel, insert, save, modelDraft, type TestModel } from '../support/models.ts';
import { container, newTenant, type TestTenant } from '../support/world.ts';
import { parseListQuery } from '../../src/platform/records/query/record-query.ts';
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
    await runSql(`analyze dev."mt_${model.code}"`);
  });

  /** The names of the plan's nodes for one page of a list. */
  async function planOf(query: Record<string, string>, rest: { after?: unknown[] } = {}): Promise<string> {
    const { database, snapshots } = await container();
    const snapshot = await snapshots.current('dev');
    const actor = { tenantId: tenant.id, permissions: EVERYTHING, metadata: snapshot } as never;
    const source = snapshot.model(model.code);
    const { select } = parseListQuery(query, { model: source, actor });
    const { after = null } = rest;
    const statement = select.page(10, null, after);
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

  it.each([
    ['number', 'asc', 1500],
    ['number', 'desc', 1500],
    ['rank', 'desc', 1500],
    ['created_at', 'desc', '2999-01-01T00:00:00.000Z'],
    ['number', 'desc', null],
    ['number', 'asc', null],
    ['amount', 'asc', null],
  ])('the page after a record, sorted by %s %s, begins where the index has %s', async (sortField, sortOrder, value) => {
    const plan = await planOf({ sortField, sortOrder, pageSize: '10' }, { after: [value, '1000'] });

    expect(plan).toMatch(value === null ? /Index Cond: .*IS NULL/ : /Index Cond: .*(ROW\(|number >=)/);
    expect(plan).not.toMatch(value === null ? /Sort/ : /Seq Scan/);
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
