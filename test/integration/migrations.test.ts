import { sqlRunnerOf } from '../../src/foundation/database/sql-runner.ts';
import { ulid } from 'ulid';
import { readConfig } from '../../src/foundation/config/config.ts';
import { createApplication, type Application } from '../../src/application.ts';
import { readMigrations } from '../../migrations/index.ts';
import { runSql } from '../support/platform.ts';
import { container } from '../support/world.ts';

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
}

describe('the migrations', () => {
  const database = `keelson_migrations_${ulid().toLowerCase()}`;
  let empty: Application;

  const query = <R extends object>(sql: string): Promise<R[]> => sqlRunnerOf(empty.orm.em.fork()).query<R>(sql);

  beforeAll(async () => {
    await runSql(`create database ${database}`);
    const url = new URL(readConfig().databaseUrl);
    url.pathname = `/${database}`;
    empty = await createApplication(readConfig({ ...process.env, DATABASE_URL: url.href, LOG_LEVEL: 'silent' }));
    await empty.orm.migrator.up();
  });
  afterAll(async () => {
    await empty.close();
    await runSql(`drop database ${database} with (force)`);
  });

  it('bring an empty database up to date, once', async () => {
    expect(await empty.orm.migrator.getPending()).toEqual([]);
    expect(await empty.orm.migrator.getExecuted()).toHaveLength(readMigrations().length);

    expect(await empty.orm.migrator.up()).toEqual([]);
  });

  it('make the three environments with their write policies, unlocked and empty', async () => {
    const environments = await query(
      'select id, code, write_policy, locked, metadata_version from platform.environment order by id',
    );

    const fresh = { locked: false, metadataVersion: 0 };
    expect(environments).toEqual([
      { id: 1, code: 'dev', writePolicy: 'open', ...fresh },
      { id: 2, code: 'staging', writePolicy: 'locked', ...fresh },
      { id: 3, code: 'prod', writePolicy: 'locked_with_approval', ...fresh },
    ]);
    const schemas = await query<{ name: string }>(`select nspname as name from pg_namespace order by 1`);
    expect(schemas.map(({ name }) => name)).toEqual(expect.arrayContaining(['dev', 'platform', 'prod', 'staging']));
  });

  it('make tables that the entities describe, column by column', async () => {
    const { orm } = await container();
    const described = [...orm.getMetadata().getAll().values()].flatMap(({ tableName, properties }) =>
      Object.values(properties)
        .filter(({ persist, fieldNames }) => persist !== false && fieldNames)
        .flatMap(({ fieldNames, columnTypes, nullable }) =>
          fieldNames.map((name, index): Column => {
            const type = inFull(columnTypes[index] ?? '');
            return { table: tableName, name, type, nullable: nullable ?? false };
          }),
        ),
    );

    const made = await query<Column>(
      `select c.relname as "table", a.attname as name, format_type(a.atttypid, a.atttypmod) as type, not a.attnotnull as nullable
       from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = 'platform' and c.relkind = 'r' and c.relname <> 'migration' and a.attnum > 0 and not a.attisdropped`,
    );

    const sorted = (columns: Column[]) =>
      columns.map(({ table, name, type, nullable }) => `${table}.${name} ${type}${nullable ? '' : ' not null'}`).sort();
    expect(sorted(made)).toEqual(sorted(described));
  });

  it('give the role of tenant data what it needs and no more', async () => {
    const grants = await query<{ grant: string }>(
      `select table_name || ' ' || lower(string_agg(privilege_type, ' ' order by privilege_type)) as grant
       from information_schema.role_table_grants where grantee = 'keelson_app' group by table_name order by 1`,
    );

    expect(grants.map(({ grant }) => grant)).toEqual([
      'automation_run insert select update',
      'automation_step delete insert select update',
      'awaited_event delete insert select update',
      'change_log insert select',
      'command_execution insert select update',
      'data_import delete insert select update',
      'data_import_problem insert select',
      'event insert select update',
      'field_rename select',
      'file delete insert select update',
      'file_chunk delete insert select',
      'file_reference delete insert select update',
      'file_usage insert select update',
      'sequence_counter insert select update',
      'webhook_attempt delete insert select update',
      'webhook_delivery insert select update',
      'webhook_endpoint select update',
      'webhook_recovery insert select update',
      'webhook_subscription select',
    ]);
    const [rights] = await query(
      `select has_schema_privilege('keelson_app', 'dev', 'create') as dev, has_schema_privilege('keelson_app', 'platform', 'create') as platform,
         has_table_privilege('keelson_app', 'platform.user', 'select') as users`,
    );
    expect(rights).toEqual({ dev: false, platform: false, users: false });
  });

  it('make e-mails unique whatever their case', async () => {
    await query(`insert into platform.tenant (pid, name) values ('T', 'T')`);
    const user = (pid: string, email: string) =>
      query(
        `insert into platform."user" (pid, email, username, password_hash, default_tenant_id)
         select '${pid}', '${email}', 'x', 'x', id from platform.tenant`,
      );

    await user('A', 'a@test.example');

    await expect(user('B', 'a@test.example')).rejects.toMatchObject({ code: '23505' });
    await expect(user('C', 'A@test.example')).rejects.toMatchObject({ code: '23514' });
  });

  it('make the history of resources append-only', async () => {
    await query(
      `insert into platform.dsl_resource_version (environment, pid, version, resource_type, code, content, updated_at)
       values ('dev', 'P', 1, 'MODEL', 'x', '{}', now())`,
    );

    for (const statement of [
      'update platform.dsl_resource_version set version = 9',
      'delete from platform.dsl_resource_version',
    ]) {
      await expect(query(statement)).rejects.toMatchObject({ code: '42501' });
    }
  });
});

/** A type's short name as Postgres prints it. */
function inFull(type: string): string {
  return type
    .replace(/^bigserial$/, 'bigint')
    .replace(/^int$/, 'integer')
    .replace(/^varchar/, 'character varying')
    .replace(/^timestamptz(\(\d\))$/, 'timestamp$1 with time zone');
}
