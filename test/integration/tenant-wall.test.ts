import type { Transaction } from '../../src/foundation/database/pool.ts';
import { setTenant } from '../../src/foundation/database/tenant.ts';
import { call, execute, list } from '../support/api.ts';
import { newModel, newRole, type TestModel } from '../support/models.ts';
import { runSql } from '../support/platform.ts';
import { container, newTenant, newUser, type TestTenant } from '../support/world.ts';

/** Postgres' "insufficient privilege": row-level security, a missing grant, an append-only table. */
const DENIED = expect.objectContaining({ code: '42501' });

describe('row-level security, behind the tenant filter of every statement', () => {
  let mine: TestTenant;
  let theirs: TestTenant;
  let model: TestModel;
  let table: string;
  let token: string;
  let pid: string;

  beforeAll(async () => {
    [mine, theirs] = [await newTenant(), await newTenant()];
    model = await newModel({ fields: [{ code: 'name', name: 'Name', type: 'string' }] });
    table = `dev.mt_${model.code}`;
    const role = await newRole(model.permissions);
    ({ token } = await newUser([role], mine));
    const other = await newUser([role], theirs);
    pid = (await execute(token, model.command, { payload: { name: 'mine' } })).body.data.pid;
    await execute(other.token, model.command, { payload: { name: 'theirs' } });
  });

  /** A transaction as the program's role, as this tenant or as none. */
  async function as<T>(tenantId: string | null, work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const { database } = await container();
    return database.transaction(async (transaction) => {
      if (tenantId !== null) await setTenant(transaction, tenantId);
      return work(transaction);
    });
  }

  const namesSeenAs = async (tenantId: string | null): Promise<unknown[]> =>
    (await as(tenantId, (transaction) => transaction.query(`select name from ${table}`))).map(({ name }) => name);

  it('binds the role that every connection to tenant data has', async () => {
    const { database } = await container();

    const [role] = await database.query(
      `select current_user::text as name, rolsuper, rolbypassrls, rolcanlogin,
         (select count(*)::int from pg_class where relowner = r.oid) as owns
       from pg_roles r where rolname = current_user`,
    );

    expect(role).toEqual({ name: 'keelson_app', rolsuper: false, rolbypassrls: false, rolcanlogin: false, owns: 0 });
  });

  it('stands on every model table of every environment, also against its owner', async () => {
    const tables = await runSql(
      `select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       join platform.dsl_resource r on r.environment = n.nspname and r.resource_type = 'MODEL' and c.relname = 'mt_' || r.code
       where c.relkind = 'r'
         and not (c.relrowsecurity and c.relforcerowsecurity
           and (select count(*) = 1 and bool_and(p.polpermissive) from pg_policy p
                where p.polrelid = c.oid and p.polroles && array[0, 'keelson_app'::regrole]::oid[]))`,
    );

    expect(tables).toEqual([]);
  });

  it('shows nothing to a statement without a tenant', async () => {
    expect(await namesSeenAs(null)).toEqual([]);
    const { database } = await container();
    expect(await database.query(`select * from ${table}`)).toEqual([]);
    expect(await database.query(`select count(*)::int as n from ${table} where tenant_id = $1`, [mine.id])).toEqual([
      { n: 0 },
    ]);
  });

  it('shows a tenant its own records, and none to a tenant that does not exist', async () => {
    expect(await namesSeenAs(mine.id)).toEqual(['mine']);
    expect(await namesSeenAs(theirs.id)).toEqual(['theirs']);
    expect(await namesSeenAs('9223372036854775807')).toEqual([]);
  });

  it('beats a filter that names another tenant, or none', async () => {
    const seen = await as(mine.id, (transaction) =>
      transaction.query(`select name from ${table} where tenant_id = $1 or true or pid is not null`, [theirs.id]),
    );
    expect(seen).toEqual([{ name: 'mine' }]);
    const foreign = await as(mine.id, (transaction) =>
      transaction.query(`select name from ${table} where tenant_id = $1`, [theirs.id]),
    );
    expect(foreign).toEqual([]);
  });

  it('refuses an insert for another tenant, or without one', async () => {
    const insert = `insert into ${table} (pid, tenant_id, created_by, updated_by, name) values ($1, $2, 'x', 'x', 'smuggled')`;

    for (const tenantId of [mine.id, null]) {
      await expect(
        as(tenantId, (transaction) => transaction.query(insert, [`SMUGGLED${tenantId}`, theirs.id])),
      ).rejects.toEqual(DENIED);
    }

    expect(await runSql(`select name from ${table} order by id`)).toEqual([{ name: 'mine' }, { name: 'theirs' }]);
  });

  it("cannot be left by an update, which finds no other tenant's record either", async () => {
    await expect(
      as(mine.id, (transaction) => transaction.query(`update ${table} set tenant_id = $1`, [theirs.id])),
    ).rejects.toEqual(DENIED);
    const updated = await as(mine.id, (transaction) =>
      transaction.query(`update ${table} set name = name where tenant_id = $1 returning name`, [theirs.id]),
    );
    expect(updated).toEqual([]);
  });

  it('is joined by grants that leave out delete and truncate: a delete is a soft delete', async () => {
    for (const statement of [
      `delete from ${table}`,
      `truncate ${table}`,
      `drop table ${table}`,
      `alter table ${table} disable row level security`,
    ]) {
      await expect(as(mine.id, (transaction) => transaction.query(statement))).rejects.toEqual(DENIED);
    }
  });

  it('leaves no tenant behind on a connection: its setting ends with the statement or transaction', async () => {
    const { database } = await container();
    const setting = `select nullif(current_setting('keelson.tenant_id', true), '') as tenant, pg_backend_pid() as pid`;
    await Promise.all(Array.from({ length: 12 }, () => as(mine.id, (transaction) => transaction.query('select 1'))));

    const left = await Promise.all(Array.from({ length: 12 }, () => database.query(setting)));

    expect(left.map(([row]) => row?.tenant)).toEqual(Array(12).fill(null));
  });

  it('does not stand in the way of the program: both walls let the own records through, page after page', async () => {
    for (let use = 0; use < 5; use += 1) {
      expect((await list(token, model.code)).body.data).toMatchObject({ records: [{ pid, name: 'mine' }], total: 1 });
      expect((await list(token, model.code, { count: 'none' })).body.data.records).toHaveLength(1);
    }
  });
});

describe('the tenant filter of every statement, before row-level security', () => {
  it('holds alone: on a table without row-level security nobody sees or changes what is foreign', async () => {
    const [mine, theirs] = [await newTenant(), await newTenant()];
    const model = await newModel({ fields: [{ code: 'name', name: 'Name', type: 'string', searchable: true }] });
    const role = await newRole(model.permissions);
    const [me, other] = [await newUser([role], mine), await newUser([role], theirs)];
    const { pid } = (await execute(other.token, model.command, { payload: { name: 'theirs' } })).body.data;
    await execute(me.token, model.command, { payload: { name: 'mine' } });
    await runSql(`alter table dev.mt_${model.code} disable row level security`);
    try {
      for (const query of [
        {},
        { keyword: 'theirs' },
        { count: 'none' },
        { filters: [{ fieldName: 'pid', op: 'eq', value: pid }] },
      ]) {
        const { body } = await list(me.token, model.code, query);
        expect(body.data.records.map(({ name }: { name: string }) => name)).not.toContain('theirs');
        expect(body.data.total ?? body.data.records.length).toBe(body.data.records.length);
      }
      expect((await call(`/api/dynamic/${model.code}/${pid}`, { token: me.token })).status).toBe(404);
      const update = { operationType: 'UPDATE', targetRecordId: pid, payload: { name: 'x' } };
      expect((await execute(me.token, model.command, update)).status).toBe(404);
      expect((await execute(me.token, model.command, { operationType: 'DELETE', targetRecordId: pid })).status).toBe(
        404,
      );
      expect(
        await runSql(`select name from dev.mt_${model.code} where pid = $1 and deleted_at is null`, [pid]),
      ).toEqual([{ name: 'theirs' }]);
    } finally {
      await runSql(`alter table dev.mt_${model.code} enable row level security`);
    }
  });
});

describe('the change log', () => {
  it('has a row for each write, within the walls', async () => {
    const [tenant, other] = [await newTenant(), await newTenant()];
    const { token, pid: userPid } = await newUser(['SALES'], tenant);
    const { pid } = (await execute(token, 'crm:create_lead', { payload: { name: 'Ada' } })).body.data;
    const target = { targetRecordId: pid };
    await execute(token, 'crm:update_lead', { ...target, operationType: 'UPDATE', payload: { name: 'Bea' } });
    await execute(token, 'crm:delete_lead', { ...target, operationType: 'DELETE' });
    const { database } = await container();
    const log = `select action, model_code, user_pid, before, after from platform.change_log where record_pid = $1 order by id`;

    const seen = await database.transaction(async (transaction) => {
      await setTenant(transaction, tenant.id);
      return transaction.query(log, [pid]);
    });

    const common = { modelCode: 'lead', userPid };
    expect(seen).toEqual([
      { ...common, action: 'CREATE', before: null, after: expect.objectContaining({ name: 'Ada', status: 'new' }) },
      { ...common, action: 'UPDATE', before: { name: 'Ada' }, after: { name: 'Bea' } },
      { ...common, action: 'DELETE', before: expect.objectContaining({ name: 'Bea' }), after: null },
    ]);
    expect(await database.query(log, [pid])).toEqual([]);
    const foreign = await database.transaction(async (transaction) => {
      await setTenant(transaction, other.id);
      return transaction.query(log, [pid]);
    });
    expect(foreign).toEqual([]);
  });

  it('is append-only, for the program and for the owner', async () => {
    const { database } = await container();
    for (const statement of [
      'update platform.change_log set action = action',
      'delete from platform.change_log',
      'truncate platform.change_log',
    ]) {
      await expect(database.query(statement)).rejects.toEqual(DENIED);
    }
    for (const statement of ['update platform.change_log set action = action', 'delete from platform.change_log']) {
      await expect(runSql(statement)).rejects.toThrow('append-only');
    }
  });

  it('takes no row of another tenant', async () => {
    const [tenant, other] = [await newTenant(), await newTenant()];
    const { database } = await container();
    const insert = `insert into platform.change_log (environment, tenant_id, model_code, record_pid, action, user_pid)
      values ('dev', $1, 'lead', 'X', 'CREATE', 'X')`;

    const smuggled = database.transaction(async (transaction) => {
      await setTenant(transaction, tenant.id);
      await transaction.query(insert, [other.id]);
    });

    await expect(smuggled).rejects.toEqual(DENIED);
  });
});
