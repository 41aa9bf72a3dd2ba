import type { FieldContent } from '../../src/platform/metadata/field-types/field-content.ts';
import { dataOf, refusal } from '../support/api.ts';
import { changeModel, name } from '../support/models.ts';
import { startAsPlainOwner } from '../support/own-node.ts';
import { runSql } from '../support/platform.ts';
import { insertInto, newUnits, type PromotedModel, platformAdmin } from '../support/promotions.ts';
import { container, newTenant } from '../support/world.ts';

/*
 * Setup: the program's database user owns the database and is neither superuser nor free of row-level
 * security, as managed Postgres grants it. Records of two tenants in staging. What this proves: what a
 * promotion would do to records is counted over all tenants all the same, and nothing else that the owner
 * does can see them.
 */

const size: FieldContent = { code: 'size', name: 'Size', type: 'string' };

let model: PromotedModel;
beforeAll(async () => {
  await startAsPlainOwner('owner');
});
const admin = platformAdmin();

beforeEach(async () => {
  model = await newUnits([name, size]);
  await admin.promote(model.units);
  await insertInto('staging', admin.tenant, model.code, [
    { name: 'a', size: '1' },
    { name: 'b', size: 'many' },
    { name: 'b' },
  ]);
  await insertInto('staging', await newTenant(), model.code, [{ name: 'c', size: '3' }]);
});

/** The conflicts of a promotion of the model with these fields. */
async function conflictsWith(fields: FieldContent[]) {
  await changeModel(model, { fields });
  return admin.conflicting(await admin.created([model.model]));
}

describe('for an owner that row-level security binds', () => {
  it('the owner sees no record of any tenant by itself', async () => {
    const [user] = await runSql<{ bound: boolean }>(
      'select not rolsuper and not rolbypassrls as bound from pg_roles where rolname = current_user',
    );
    expect(user).toEqual({ bound: true });
    expect(await runSql(`select count(*)::int as n from staging.mt_${model.code}`)).toEqual([{ n: 0 }]);
  });

  it('DESTRUCTIVE_SCHEMA counts the values of a field that leaves, and takes consent', async () => {
    await changeModel(model, { fields: [name] });
    const pid = await admin.created([model.model]);

    expect(dataOf(await admin.validate(pid))).toMatchObject({
      conflicts: [{ type: 'DESTRUCTIVE_SCHEMA', details: { field: 'size', rows: 3 } }],
    });
    expect(refusal(await admin.apply(pid))).toMatchObject({ data: { reason: 'CONSENT_REQUIRED' } });
  });

  it.each<[what: string, fields: FieldContent[], rows: number]>([
    ['values that do not cast', [name, { ...size, type: 'integer' }], 1],
    ['records without a value', [name, { ...size, required: true }], 1],
    ['values that a tenant has twice', [{ ...name, unique: true }, size], 2],
  ])('DATA_INCOMPATIBLE counts %s', async (_what, fields, count) => {
    expect((await conflictsWith(fields)).conflicts).toMatchObject([
      { type: 'DATA_INCOMPATIBLE', details: { rows: count } },
    ]);
  });

  it('a diff refuses the DDL that would lose values, too', async () => {
    await changeModel(model, { fields: [name, { ...size, type: 'integer' }] });

    const { updated } = dataOf(await admin.get('/admin/environments/diff?source=dev&target=staging'));

    expect(updated.find(({ pid }: { pid: string }) => pid === model.model.resourcePid).ddl).toEqual([]);
  });

  it('the role of requests does not see them by the setting that opens the counts', async () => {
    const { database } = await container();
    const counted = await database.transaction(async (transaction) => {
      await transaction.query(`select set_config('keelson.all_tenants', 'on', true)`);
      return transaction.query(`select count(*)::int as n from staging.mt_${model.code}`);
    });
    expect(counted).toEqual([{ n: 0 }]);
  });
});
