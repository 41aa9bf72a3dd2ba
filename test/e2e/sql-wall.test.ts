import { SQL } from '../../src/features/datasources/kinds/sql.ts';
import type { RowsParts } from '../../src/features/datasources/rows.ts';
import { actorOf } from '../../src/platform/auth/requests/actor.ts';
import { call, execute, refusal } from '../support/api.ts';
import { insert, newCode, newModel, newRole, save } from '../support/models.ts';
import { runSql } from '../support/platform.ts';
import { container, newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

let mine: TestTenant;
let author: TestUser;
let reader: TestUser;
let code: string;
/** Table of the model, as SQL of a data source names it. */
let t: string;
beforeAll(async () => {
  mine = await newTenant();
  const theirs = await newTenant();
  const model = await newModel({
    fields: [
      { code: 'name', name: 'Name', type: 'string' },
      { code: 'size', name: 'Size', type: 'integer' },
      { code: 'secret', name: 'Secret', type: 'string', readPermission: true },
    ],
    rowRules: [
      { name: 'public', unless: 'field:read:all', conditions: [{ fieldName: 'name', operator: 'ne', value: 'ruled' }] },
    ],
  });
  code = model.code;
  t = `mt_${code}`;
  author = await newUser(['PLATFORM_ADMIN'], mine);
  await insert(mine, code, [
    { name: 'mine', size: 1, secret: 'hidden-value' },
    { name: 'ruled', size: 0, secret: 'hidden-value' },
    { name: 'deleted', size: 0, secret: 'hidden-value' },
  ]);
  await insert(theirs, code, [{ name: 'theirs', size: 0, secret: 'hidden-value' }]);
  await runSql(`update dev.${t} set deleted_at = now() where name = 'deleted'`);
  reader = await newUser([await newRole(['datasource:read:*'])], mine);
});

const read = async (sql: string, user = reader) => {
  const source = newCode();
  await save('dev', { resourceType: 'DATASOURCE', code: source, content: { name: source, kind: 'sql', sql } });
  return call(`/api/datasource/list?datasourceId=${source}`, { token: user.token });
};

/** What no SQL of an author may do, each with statements that try it; `$t` is the table of a model. */
const REFUSED: Readonly<Record<string, readonly string[]>> = {
  'another tenant': [
    `select set_config('keelson.tenant_id', '1', true), name from $t`,
    `select U&"set\\005fconfig"('keelson.tenant_id', '1', false) from $t`,
    `select "pg_catalog"."set_config"('keelson.tenant_id', '1', false)`,
  ],
  'another environment': [`select * from prod.$t`, `select * from "staging"."$t"`, `select "dev".$t.name from $t`],
  'tables of the platform': [
    'select * from platform."user"',
    'select * from "platform".environment_secret',
    'select * from event',
    'with x as (select password_hash from platform."user") select * from x',
    'select (select count(*) from platform.event)',
    'select * from mt_lead where exists (table platform.event)',
    `select * from U&"pl\\0061tform".event`,
  ],
  'catalogues and statistics': [
    'select * from pg_catalog.pg_class',
    'select * from pg_class',
    'select * from information_schema.tables',
    'select * from pg_stat_activity',
    'select * from pg_settings',
    'select * from pg_authid',
    'select * from pg_stats',
    'select * from pg_prepared_statements',
  ],
  'settings and who the program is': [
    `select current_setting('keelson.tenant_id')`,
    `select current_setting('is_superuser', true)`,
    'select current_user',
    'select session_user',
    'select current_schema',
    'select version()',
    'select inet_server_addr()',
    'select pg_backend_pid()',
  ],
  files: [
    `select pg_read_file('/etc/passwd')`,
    `select pg_ls_dir('/')`,
    `select pg_stat_file('/etc/passwd')`,
    `select lo_import('/etc/passwd')`,
    `select lo_get(1)`,
    `copy (select 1) to program 'id'`,
    `copy $t from '/etc/passwd'`,
  ],
  'other servers': [`select * from dblink('host=db', 'select 1') as x(a int)`, `select dblink_connect('host=db')`],
  'time and memory': [
    'select pg_sleep(60)',
    `select pg_sleep_for('1 hour')`,
    `select pg_sleep_until('infinity')`,
    'select * from generate_series(1, 1000000000)',
    `select repeat('x', 1000000000)`,
    `select lpad('x', 1000000000)`,
    `select format('%1000000000s', 'x')`,
  ],
  'locks, messages and other sessions': [
    'select pg_advisory_lock(1)',
    'select pg_try_advisory_xact_lock(1)',
    `select pg_notify('c', 'x')`,
    `notify c, 'x'`,
    'listen c',
    'select pg_terminate_backend(1)',
    'lock table $t',
    'select * from $t for update',
    'select * from $t for share',
  ],
  writes: [
    `insert into $t (name) values ('x')`,
    `with gone as (delete from $t returning *) select * from gone`,
    `with x as (update $t set name = 'x' returning *) select * from x`,
    'select * into temp copied from $t',
    'create temp table x as select * from $t',
    `select nextval('platform.event_id_seq')`,
    'truncate $t',
  ],
  'more than one statement, or text as code': [
    'select 1; select 2',
    `do $$ begin perform 1; end $$`,
    'prepare p as select 1',
    'execute p',
    'deallocate all',
    `select query_to_xml('select * from platform.event', true, true, '')`,
    `select * from xpath('/a', '<a/>')`,
    `select ts_stat('select 1')`,
    'explain analyze select * from $t',
    'declare c cursor for select 1',
  ],
  'ways around names': [
    'set search_path to platform',
    `set local role postgres`,
    `select set_config('search_path', 'platform', true)`,
    `select 'platform.user'::regclass`,
    `select cast('postgres' as regrole)`,
    `select 'now'::regproc::oid`,
    `select '(1)'::$t`,
    'select 1 operator(pg_catalog.+) 1',
    'select 1 operator(public.===) 1',
    'select name collate "platform"."x" from $t',
    'with $t as (select 1 as a) select * from $t',
    'with pg_class as (select 1 as a) select * from pg_class',
    'select a from $t as x(a)',
    'select tableoid, ctid, xmin from $t',
    'select pg_/* */sleep(1)',
    'select pg_sleep/**/(1)',
    'select $1',
  ],
  'what is deleted': ['select deleted_at from $t', 'select l.deleted_at from $t l'],
};
const CASES = Object.entries(REFUSED).flatMap(([what, all]) => all.map((sql) => [what, sql] as const));

describe('SQL of an author cannot reach', () => {
  it.each(CASES)('%s: %s', async (_what, template) => {
    const sql = template.replaceAll('$t', t);
    const content = { name: 'D', kind: 'sql' as const, sql };
    const payload = { resourceType: 'DATASOURCE', code: newCode(), content };

    for (const answer of [
      await execute(author.token, 'meta:save', { payload }),
      await call('/api/datasource/test', { token: author.token, body: { content } }),
    ]) {
      expect(refusal(answer)).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
      const paths = Object.keys(answer.body.data.fieldErrors).map((path) => path.split(' ').at(-1));
      expect(paths).toEqual(['content.sql']);
    }
  });

  it('any of it where an earlier version has saved it', async () => {
    const { database, snapshots, outbound, languages } = await container();
    const identity = { userId: author.id, userPid: author.pid, username: author.email, tenantId: mine.id };
    const actor = actorOf({ ...identity, roles: ['PLATFORM_ADMIN'] }, await snapshots.current('dev'));
    const from: RowsParts = { database, outbound, cache: null, secrets: { open: () => Promise.resolve(new Map()) } };
    const request = { actor, params: {}, maxItems: 10, language: languages.languageFor([], 'dev') };
    for (const [, template] of CASES) {
      const sql = template.replaceAll('$t', t);
      const found = Promise.resolve().then(() => SQL.rows({ name: 'D', kind: 'sql', sql }, request, from));
      await expect(found).rejects.toMatchObject({ code: 'CONFLICT', data: { reason: 'DATASOURCE' } });
    }
  });
});

describe('SQL of an author sees of a model', () => {
  it.each<[sql: string, found: unknown]>([
    ['select name from $t', [{ name: 'mine' }]],
    ['select count(*)::int as n, count(distinct tenant_id)::int as tenants from $t', [{ n: 1, tenants: 1 }]],
    ['select max(size) as n from $t where true or name is not null', [{ n: 1 }]],
    ['select a.name from $t a full join $t b on true', [{ name: 'mine' }]],
    ['select x.name from (select * from $t) x union select name from $t order by 1', [{ name: 'mine' }]],
    ['with recursive r as (select name from $t union select $t.name from $t, r) select * from r', [{ name: 'mine' }]],
    ['select (select string_agg(name, $$,$$) from $t) as all_of_them', [{ all_of_them: 'mine' }]],
    // Each would fail on a record that is hidden, deleted or of another tenant.
    ['select 1 / size as n from $t', [{ n: 1 }]],
    ['select name from $t where 1 / size = 1', [{ name: 'mine' }]],
    [`select name from $t where case when name <> 'mine' then name::int = 1 else true end`, [{ name: 'mine' }]],
  ])('the live records of the tenant, within the row rules: %s', async (sql, found) => {
    expect((await read(sql.replaceAll('$t', t))).body.data).toEqual(found);
  });

  it.each([
    'select * from $t',
    'select l from $t l',
    'select to_jsonb(l) from $t l',
    'select row_to_json(l)::text as x from $t l',
    'select json_agg(l) from $t l',
    'select l::text from $t l',
    'select (l).* from $t l',
    'select x.* from (select * from $t) x, lateral (select x.*) y',
    'select array_agg(l)::text as x from $t l',
    'select jsonb_each_text(to_jsonb(l)) from $t l',
  ])('no hidden field in a whole row: %s', async (sql) => {
    const { status, body } = await read(sql.replaceAll('$t', t));
    expect(status).toBe(200);
    expect(JSON.stringify(body.data)).toContain('mine');
    expect(JSON.stringify(body.data)).not.toMatch(/hidden-value|"secret"/);
  });

  it.each([
    'select secret from $t',
    'select (l).secret from $t l',
    `select name from $t where secret like 'h%'`,
    'select name from $t order by secret',
    'select count(*) from $t group by secret',
    'select a.name from $t a join $t b using (secret)',
    'select name, rank() over (order by secret) from $t',
    'select count(*) filter (where secret is null) from $t',
    'select U&"s\\0065cret" from $t',
    'select "secret" from $t',
  ])('nothing of a hidden field by its name: %s', async (sql) => {
    expect(refusal(await read(sql.replaceAll('$t', t)))).toMatchObject({
      status: 403,
      code: 'FORBIDDEN',
      data: { permission: `field:read:${code}.secret` },
    });
  });

  it('no more than a limited time', async () => {
    // Without an end; each round counts a million rows.
    const sql = `with recursive d as (select * from (values (1),(2),(3),(4),(5),(6),(7),(8),(9),(10)) v(x)),
      r(n) as (select 1::bigint union all
        select (select count(*) from d a, d b, d c, d e, d f, d g where a.x + r.n > 0) from r)
      select max(n) from r`;
    expect(refusal(await read(sql))).toMatchObject({
      status: 409,
      code: 'CONFLICT',
      data: { reason: 'DATASOURCE', sqlState: '57014' },
    });
  });

  it('no more than a limited size', async () => {
    const sql = `with recursive r(x) as (select 'x'::text union all select x || x from r where length(x) < 4000000)
      select x from r order by length(x) desc limit 1`;
    expect(refusal(await read(sql))).toMatchObject({
      status: 409,
      code: 'CONFLICT',
      data: { reason: 'DATASOURCE', sqlState: 'KE001' },
    });
  });
});
