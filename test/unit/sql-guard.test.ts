import { inspectSql, problemOfSql } from '../../src/features/datasources/sql/sql-guard.ts';
import { inEnglish } from '../support/in-english.ts';

const problemOf = async (sql: string) => inEnglish(await problemOfSql(sql));

describe('SQL that a data source may use', () => {
  it.each([
    'select * from mt_lead',
    'SELECT count(*) FROM MT_LEAD',
    'select l.name, a.name as account from mt_lead as l left join mt_account a on a.pid = l.account',
    'select status, count(*)::int as count, sum(amount) as total from mt_lead group by status order by 2 desc',
    'select distinct on (status) status, name from mt_lead order by status, created_at desc nulls last limit 5 offset 1',
    'select status, sum(amount) from mt_lead group by rollup (status) having count(*) > 1',
    "select count(*) filter (where status = 'won') * 100.0 / nullif(count(*), 0) as win_rate from mt_lead",
    'select name, row_number() over (partition by status order by amount rows between 1 preceding and current row) from mt_lead',
    'select name, rank() over w from mt_lead window w as (order by amount)',
    "select extract(year from created_at) as year, date_trunc('month', created_at)::date from mt_lead",
    "select created_at at time zone 'Europe/Berlin', now() - interval '7 days', current_date, current_timestamp(0) from mt_lead",
    "select to_char(due_on, 'YYYY-MM'), age(due_on), make_interval(days => 3) from mt_lead",
    "select coalesce(name, '?'), greatest(1, 2), case status when 'won' then 1 else 0 end from mt_lead",
    "select trim(both ' ' from name), substring(name from 1 for 3), position('a' in name), overlay(name placing 'x' from 1) from mt_lead",
    "select name || ' ' || upper(status) from mt_lead where name ilike '%a!%%' escape '!' and name similar to 'a%' and name !~ '^x'",
    'select * from mt_lead where amount between 1 and 2 and score in (1, 2) and account is not null and urgent is not true',
    'select * from mt_lead where exists (select 1 from mt_account a where a.pid = account)',
    'select * from mt_lead where score > all (select score from mt_lead) or score = any (array[1, 2])',
    'select name, (select count(*) from mt_task t where t.lead = l.pid) as tasks from mt_lead l',
    'with open as (select * from mt_lead), top as materialized (select * from open) select * from top',
    'with recursive steps(n) as (select 1 union all select n + 1 from steps where n < 5) select * from steps',
    'select * from (with inside as (select 1 as a) select a from inside) x',
    'select name from mt_lead union all select name from mt_account order by 1',
    'select 1 as one',
    "values (1, 'a'), (2, 'b')",
    'select v.n from (values (1), (2)) as v(n) join mt_lead l using (n)',
    'select e.key, e.value from mt_lead, lateral jsonb_each_text(extra) as e',
    'select * from unnest(array[1, 2]) with ordinality as u(value, position)',
    "select extra ->> 'a', extra #>> '{a,b}', extra @> '{}', (array[1, 2])[1], (l).name from mt_lead l",
    "select jsonb_build_object('name', name), to_jsonb(l), json_agg(l order by l.name) from mt_lead l group by name, l",
    "select percentile_cont(0.5) within group (order by amount), string_agg(distinct name, ', ') from mt_lead",
    "select cast(amount as numeric(10, 2)), '2026-01-31'::date, 1::bigint, 'a'::varchar(3), array[1]::int[], timestamptz 'now'",
    'select name collate "C" from mt_lead order by name collate "C"',
    "select '; drop table mt_lead; --' as text",
    "select 'pg_sleep(10)', $$select set_config('a', 'b', true)$$ from mt_lead -- set_config()",
    '/* a comment, /* nested */ */ select 1 -- and one more',
    'select 1;',
    'select "name" from "mt_lead"',
  ])('%s', async (sql) => {
    expect(await problemOf(sql)).toBeNull();
  });
});

describe('what a data source reads', () => {
  it('is the models of its tables, each once, WITH queries aside', async () => {
    const sql = 'with x as (select * from mt_lead) select * from x, mt_account, mt_lead as other';

    expect(await inspectSql(sql)).toMatchObject({ models: ['lead', 'account'] });
  });

  it('is the statement without a closing semicolon and what stands around it', async () => {
    expect(await inspectSql(" /* é */ select 'é' ; -- end")).toMatchObject({ text: "select 'é' " });
  });

  it('names the columns wherever they stand', async () => {
    const sql = `select l.name, upper(status) from mt_lead l join mt_account using (owner)
      where (l).score > 1 group by l.amount order by due_on, sum(x.total) over (partition by phone)`;
    const inspection = await inspectSql(sql);
    const columns = 'columns' in inspection ? inspection.columns.map(({ name }) => name) : [];

    expect(columns.sort()).toEqual(['amount', 'due_on', 'l', 'name', 'owner', 'phone', 'score', 'status', 'total']);
  });

  it.each([
    ['select l.name from mt_lead l, mt_account', ['lead'], true],
    ['select mt_lead.name from mt_lead, mt_account a', ['lead'], true],
    ['select name from mt_lead, mt_account', ['lead', 'account'], false],
    ['select s.name from (select * from mt_lead) s, mt_account', ['lead', 'account'], false],
    ['select l.name from mt_lead l, (select 1 from (select * from mt_account) l) x', ['lead', 'account'], false],
  ])('knows whose column it is where the qualifier tells: %s', async (sql, models, certain) => {
    const inspection = await inspectSql(sql);
    const mention = 'columns' in inspection ? inspection.columns.find(({ name }) => name === 'name') : undefined;

    expect({ models: [...(mention?.models ?? [])], certain: mention?.certain }).toEqual({ models, certain });
  });
});

describe('refused: anything but one SELECT', () => {
  it.each([
    [''],
    ['  '],
    ['-- only a comment'],
    ['select 1; select 2'],
    ['select 1; drop table mt_lead'],
    ["insert into mt_lead (name) values ('x')"],
    ["update mt_lead set name = 'x'"],
    ['delete from mt_lead'],
    ['merge into mt_lead l using mt_account a on a.pid = l.account when matched then delete'],
    ['truncate mt_lead'],
    ['drop table mt_lead'],
    ['create table mt_x as select * from mt_lead'],
    ['alter role keelson_app superuser'],
    ["copy mt_lead to program 'sh'"],
    ['do $$ begin perform 1; end $$'],
    ['call something()'],
    ['explain analyze select * from mt_lead'],
    ["set keelson.tenant_id = '2'"],
    ['set role postgres'],
    ['reset role'],
    ['show search_path'],
    ['begin'],
    ['prepare x as select 1'],
    ['listen x'],
    ['lock mt_lead'],
  ])('%s', async (sql) => {
    expect(await problemOf(sql)).toMatch(/must be exactly one statement|must be a SELECT/);
  });

  it.each([
    ['with gone as (delete from mt_lead returning *) select * from gone', 'DELETE'],
    ["with a as (with b as (update mt_lead set name = 'x' returning *) select * from b) select * from a", 'UPDATE'],
    ["select * from (with new as (insert into mt_lead (name) values ('x') returning *) select * from new) x", 'INSERT'],
    ['select * into copy from mt_lead', 'SELECT INTO'],
    ['select * from mt_lead for update', 'FOR UPDATE'],
    ['select * from (select * from mt_lead for key share skip locked) x', 'FOR UPDATE or FOR SHARE'],
    ['select * from mt_lead where pid = $1', 'a parameter such as $1'],
    ['select default', 'DEFAULT'],
    ['select * from mt_lead tablesample system (10)', 'TABLESAMPLE'],
    ['select * from mt_lead natural join mt_account', 'NATURAL JOIN'],
    ['select xmlelement(name a, name) from mt_lead', 'XML'],
  ])('%s uses %s', async (sql, what) => {
    expect(await problemOf(sql)).toContain(`uses ${what}`);
  });

  it.each([['select 1\0; drop table mt_lead'], ["select '\ud800'"]])('a text that is none: %j', async (sql) => {
    expect(await problemOf(sql)).toBe('is not a valid text');
  });

  it('a syntax error, with the words of Postgres', async () => {
    expect(await problemOf('selct 1')).toBe('is not valid SQL: syntax error at or near "selct" (line 1, column 1)');
  });

  it.each([
    ['subqueries', `${'select * from ('.repeat(300)}select 1${') x'.repeat(300)}`],
    ['operators', `select ${'- '.repeat(5_000)}a`],
    ['sums', `select 1${' + 1'.repeat(4_000)}`],
    ['unions', `select 1${' union select 1'.repeat(1_000)}`],
  ])('a tower of %s', async (_what, sql) => {
    expect(await problemOf(sql)).toBe('is nested deeper than 200 levels');
  });
});

describe('refused: tables that are no model', () => {
  it.each([
    'select * from platform.event',
    'select * from platform."user"',
    'select * from event',
    'select * from dev.mt_lead',
    'select * from prod.mt_lead',
    'select * from "dev"."mt_lead" as l',
    'select * from postgres.dev.mt_lead',
    'select * from pg_catalog.pg_class',
    'select * from pg_class',
    'select * from pg_roles',
    'select * from pg_settings',
    'select * from information_schema.tables',
    'select * from lead',
    'select * from "mt_Lead"',
    'select * from "mt_lead; --"',
    'table platform.event',
    'select (select count(*) from platform.event)',
    'select * from mt_lead where exists (select from platform.event)',
    'select * from mt_lead union select * from platform.event',
    'select * from mt_lead, lateral (select * from platform.event) e',
    'with x as (select * from platform.event) select * from x',
    'select U&"\\0070id" from U&"p\\006catform".U&"\\0065vent"',
  ])('%s', async (sql) => {
    expect(await problemOf(sql)).toMatch(/^(reads|uses a (schema|database) before a table)/);
  });

  it.each([
    ['is only known further in', 'select * from (with event as (select 1 as a) select a from event) x, event'],
    ['comes later', 'with a as (select * from event), event as (select 1) select * from a'],
    ['is itself, without RECURSIVE', 'with event as (select * from event) select * from event'],
    ['stands in another branch', 'select * from (with event as (select 1) select 2) x union select * from event'],
  ])('a WITH query that %s', async (_what, sql) => {
    expect(await problemOf(sql)).toMatch(/^reads event/);
  });

  it.each(['mt_lead', 'pg_class'])('a WITH query that takes the name %s', async (name) => {
    expect(await problemOf(`with ${name} as (select 1 as a) select * from ${name}`)).toMatch(/names a WITH query/);
  });
});

describe('refused: functions that are not in the list', () => {
  it.each([
    "set_config('keelson.tenant_id', '2', true)",
    "pg_catalog.set_config('keelson.tenant_id', '2', true)",
    `U&"set\\005fconfig"('keelson.tenant_id', '2', true)`,
    `U&"set!005fconfig" uescape '!' ('keelson.tenant_id', '2', true)`,
    `"set_config"('keelson.tenant_id', '2', true)`,
    "set_config/* */('keelson.tenant_id', '2', true)",
    "SET_CONFIG ('keelson.tenant_id', '2', true)",
    "current_setting('keelson.tenant_id')",
    "query_to_xml('select * from platform.event', true, true, '')",
    "query_to_xml_and_xmlschema('select 1', true, true, '')",
    "table_to_xml('platform.event', true, true, '')",
    "schema_to_xml('platform', true, true, '')",
    "database_to_xml(true, true, '')",
    "cursor_to_xml('c', 1, true, true, '')",
    "ts_stat('select body::tsvector from platform.event')",
    "xpath('/a', '<a/>')",
    'pg_sleep(10)',
    "pg_sleep_for('1 hour')",
    "pg_read_file('/etc/passwd')",
    "pg_read_binary_file('/etc/passwd')",
    "pg_ls_dir('/')",
    "pg_stat_file('/etc/passwd')",
    'pg_backend_pid()',
    'pg_terminate_backend(1)',
    'pg_cancel_backend(1)',
    'pg_advisory_lock(1)',
    "pg_notify('channel', 'text')",
    'pg_typeof(1)',
    "lo_import('/etc/passwd')",
    "lo_export(1, '/tmp/x')",
    'lo_get(1)',
    "dblink('host=elsewhere', 'select 1')",
    "dblink_exec('host=elsewhere', 'drop table x')",
    "nextval('platform.event_id_seq')",
    "setval('platform.event_id_seq', 1)",
    'txid_current()',
    'version()',
    'inet_server_addr()',
    "has_table_privilege('platform.event', 'select')",
    "to_regclass('platform.event')",
    "regclass('platform.event')",
    'platform.current_tenant()',
    'public.count(1)',
    'generate_series(1, 1000000000)',
    "repeat('x', 1000000000)",
    "lpad('x', 1000000000)",
    "format('%1000000000s', 'x')",
    "xmlserialize(content '<a/>' as text)",
    'current_user',
    'session_user',
    'user',
    'current_role',
    'current_catalog',
    'current_schema',
  ])('%s', async (call) => {
    expect(await problemOf(`select ${call}`)).toMatch(/^(calls|uses) /);
  });

  it.each([
    'select * from pg_sleep(1)',
    'select * from rows from (pg_sleep(1), unnest(array[1]))',
    'select * from mt_lead, lateral pg_sleep(1)',
    'select * from mt_lead where pg_sleep(1) is null',
    'select * from mt_lead l join mt_account a on pg_sleep(1) is null',
    'select * from mt_lead order by pg_sleep(1)',
    'select 1 from mt_lead group by pg_sleep(1)',
    'select 1 from mt_lead group by grouping sets ((pg_sleep(1)), ())',
    'select 1 from mt_lead having pg_sleep(1) is null',
    'select distinct on (pg_sleep(1)) name from mt_lead',
    'select * from mt_lead limit (select 1 from pg_sleep(1))',
    'select * from mt_lead offset length(pg_sleep(1)::text)',
    'select count(pg_sleep(1)) from mt_lead',
    'select count(*) filter (where pg_sleep(1) is null) from mt_lead',
    'select array_agg(name order by pg_sleep(1)) from mt_lead',
    'select percentile_cont(0.5) within group (order by length(pg_sleep(1)::text)) from mt_lead',
    'select sum(1) over (partition by pg_sleep(1)) from mt_lead',
    'select sum(1) over (order by name rows between length(pg_sleep(1)::text) preceding and current row) from mt_lead',
    'select sum(1) over w from mt_lead window w as (order by pg_sleep(1))',
    'select case when true then pg_sleep(1) end',
    'select case pg_sleep(1) when null then 1 else 2 end',
    'select coalesce(null, pg_sleep(1))',
    'select nullif(pg_sleep(1), null)',
    'select greatest(pg_sleep(1))',
    'select array[pg_sleep(1)]',
    'select (array[1])[length(pg_sleep(1)::text)]',
    'select row(pg_sleep(1))',
    'select (pg_sleep(1))::text',
    'select not (pg_sleep(1) is null and true)',
    'select pg_sleep(1) is distinct from null',
    'select 1 in (1, length(pg_sleep(1)::text))',
    'select 1 where 1 between 0 and length(pg_sleep(1)::text)',
    'select exists (select pg_sleep(1))',
    'select make_interval(days => length(pg_sleep(1)::text))',
    'select pg_sleep(1)::text collate "C"',
    'values (1), (length(pg_sleep(1)::text))',
    'with x as (select pg_sleep(1)) select 1',
    'select 1 union (select 2 from pg_sleep(1))',
  ])('wherever they hide: %s', async (sql) => {
    expect(await problemOf(sql)).toBe('calls pg_sleep, which a data source may not call');
  });
});

describe('refused: types, operators and columns that look behind the records', () => {
  it.each([
    "select 'platform.event'::regclass",
    "select regclass 'platform.event'",
    "select cast('postgres' as regrole)",
    "select 'now'::regproc::oid",
    'select 1::oid',
    "select 'x'::name",
    "select '<a/>'::xml",
    `select 'x'::"char"`,
    "select '(1)'::mt_lead",
    "select '(1)'::dev.mt_lead",
    "select 'x'::public.text",
    "select 'x'::pg_catalog.regclass",
    "select array['platform.event']::regclass[]",
  ])('%s', async (sql) => {
    expect(await problemOf(sql)).toContain('uses the type');
  });

  it.each([
    'select 1 operator(pg_catalog.+) 1',
    'select 1 operator(public.=) any (select 1)',
    "select 'a' <-> 'b'",
    "select 'a'::text @@ 'b'",
  ])('%s', async (sql) => {
    expect(await problemOf(sql)).toContain('uses the operator');
  });

  it.each([
    'select tableoid from mt_lead',
    'select l.ctid from mt_lead l',
    'select * from mt_lead where xmin is null',
    'select l.pg_typeof from mt_lead l',
    'select dev.mt_lead.name from mt_lead',
    'select dev.mt_lead.* from mt_lead',
  ])('%s', async (sql) => {
    expect(await problemOf(sql)).toMatch(/^(reads|uses a schema before the column)/);
  });

  it.each([
    'select a from mt_lead as l(a, b)',
    'select x from (mt_lead l join mt_account a on true) as j(x)',
    'select name from mt_lead order by name using operator(pg_catalog.<)',
    'select name collate public."x" from mt_lead',
    'with recursive a(x) as (select 1 union all select x from a) cycle x set c using p select * from a',
    'with recursive a(x) as (select 1 union all select x from a) search depth first by x set o select * from a',
  ])('%s', async (sql) => {
    expect(await problemOf(sql)).toMatch(/^(renames|uses) /);
  });
});
