import { sqlRunnerOf } from '../../src/foundation/database/sql-runner.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { ulid } from 'ulid';
import { Failure } from '../../cli/outcome.mjs';
import { join } from 'node:path';
import { isPrepared } from '../../scripts/database/is-prepared.ts';
import { DEMO, loadApplication } from '../../scripts/database/load-application.ts';
import { readConfig } from '../../src/foundation/config/config.ts';
import { dayIn } from '../../src/foundation/time/time-zones.ts';
import { createApplication, type Application } from '../../src/application.ts';
import { newApplication, write } from '../support/application.ts';
import { copyOfDatabase, type OwnDatabase } from '../support/own-database.ts';

describe('npm start -- --app', () => {
  let program: Application;
  let folder: string;
  let database: OwnDatabase;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-load-'));
    database = await copyOfDatabase('load_application');
    program = await createApplication(readConfig({ ...process.env, ...database.settings, LOG_LEVEL: 'silent' }));
    await program.store.connect();
  });
  afterAll(async () => {
    await program.close();
    await database.drop();
    await rm(folder, { recursive: true });
  });

  const runOwn = (sql: string) => sqlRunnerOf(program.orm.em.fork()).query(sql);
  const count = async (table: string): Promise<number> => {
    const [row] = await sqlRunnerOf(program.orm.em.fork()).query<{ n: number }>(
      `select count(*)::int as n from ${table}`,
    );
    return row?.n ?? 0;
  };

  it('loads what keelson init makes, once', async () => {
    const directory = await newApplication(folder);
    expect(await isPrepared(program.config, directory)).toBe(false);

    expect(await loadApplication(program, directory)).toBe('loaded my-app: 9 resources, 2 users, 2 records');
    expect(await count('dev.mt_ticket')).toBe(2);
    expect(await loadApplication(program, directory)).toBe('my-app is there already');
    expect(await isPrepared(program.config, directory)).toBe(true);
  });

  it('gives tenants their time zone, in which defaults of their records mean days', async () => {
    const directory = join(folder, 'zones');
    await write(directory, 'keelson.yaml', 'name: zones\n');
    const model = (fields: string) =>
      write(
        directory,
        'resources/model.yaml',
        `resourceType: MODEL\ncode: zoned\ncontent:\n  name: Z\n  fields:\n${fields}`,
      );
    await model('    - { code: day, name: Day, type: date, default: $today }\n');
    const users = (zone: string) =>
      write(
        directory,
        'data/users.yaml',
        `password: keelson-demo-1\ntenants:\n  - { name: east, timeZone: ${zone} }\n  - { name: plain }\nusers: []\n`,
      );
    await write(directory, 'data/east/records/zoned.yaml', '- {}\n');
    await users('Pacific/Kiritimaty');
    await expect(loadApplication(program, directory)).rejects.toThrow(
      /users\.yaml:3:\d+.*Pacific\/Kiritimaty is not the name of a time zone.*Pacific\/Kiritimati/,
    );
    await users('Pacific/Kiritimati');
    const before = dayIn(new Date(), 'Pacific/Kiritimati');
    await loadApplication(program, directory);
    const after = dayIn(new Date(), 'Pacific/Kiritimati');

    const zones = await runOwn(
      `select name, time_zone from platform.tenant where name in ('east', 'plain') order by 1`,
    );
    expect(zones).toEqual([
      { name: 'east', timeZone: 'Pacific/Kiritimati' },
      { name: 'plain', timeZone: 'UTC' },
    ]);
    const [record] = await sqlRunnerOf(program.orm.em.fork()).query<{ day: string }>(
      'select day::text from dev.mt_zoned',
    );
    expect([before, after]).toContain(record?.day);
    const [east] = await sqlRunnerOf(program.orm.em.fork()).query<{ id: string }>(
      `select id::text from platform.tenant where name = 'east'`,
    );
    const metadata = await program.snapshots.current('dev');
    expect(metadata.timeZoneOf(east?.id ?? '')).toBe('Pacific/Kiritimati');
  });

  it('has something to do where there is no database yet, and in one that lacks a migration', async () => {
    const none = new URL(program.config.databaseUrl);
    none.pathname = `/${ulid().toLowerCase()}`;
    expect(await isPrepared({ databaseUrl: none.href })).toBe(false);
    expect(await isPrepared(program.config)).toBe(true);

    await runOwn(`delete from platform.migration where name like '0001%'`);

    expect(await isPrepared(program.config)).toBe(false);
    await runOwn(`insert into platform.migration (name) values ('0001_baseline')`);
  });

  it('loads the demo, which is an application like any other', async () => {
    expect(await loadApplication(program, DEMO)).toMatch(/^loaded crm: \d+ resources, 6 users, \d{3} records$/);
    expect(await loadApplication(program, DEMO)).toBe('crm is there already');
  });

  it('tells file, line and column of what is wrong, and loads nothing', async () => {
    const directory = join(folder, 'wrong');
    await write(directory, 'keelson.yaml', 'name: wrong\n');
    const fields = '    - { code: kind, name: Kind, type: enum }\n';
    await write(
      directory,
      'resources/model/a.yaml',
      `resourceType: MODEL\ncode: a\ncontent:\n  name: A\n  fields:\n${fields}`,
    );
    await write(
      directory,
      'resources/b.yaml',
      'resourceType: PAGE_SCHEMA\ncode: b\ncontent: { name: B, modelCode: a, columns: [] }\n',
    );

    await expect(loadApplication(program, directory)).rejects.toThrow(
      /^\S*wrong\/resources\/b\.yaml:3:35: content\.columns must not be empty\n\S*wrong\/resources\/model\/a\.yaml:6:7: content\.fields\.0\.values is required/,
    );
  });

  describe('data/ that cannot be loaded is told by file, line and reason', () => {
    const users = [
      'password: a-password-of-12',
      'tenants: [{ name: Acme }]',
      'users:',
      '  - { email: a@x.example, username: a, defaultTenant: Acme, memberships: [{ tenant: Acme, roles: [ADMIN] }] }',
    ];
    const model = [
      '  name: T',
      '  fields:',
      '    - { code: name, name: Name, type: string, required: true, unique: true }',
    ];

    it.each<[string, Record<string, string>, RegExp]>([
      [
        'a value of the wrong type, a required one that is missing, a field that there is not',
        { 'data/records/t.yaml': '- { name: 7 }\n- { }\n- { name: a, nome: b }\n- x\n' },
        /^\S*data\/records\/t\.yaml:1:\d+: 0\.name .*\n\S*t\.yaml:2:\d+: 1\.name is required\n\S*t\.yaml:3:\d+: 2\.nome is not a field of \w+; did you mean name\?\n\S*t\.yaml:4:\d+: 3 must be a record$/,
      ],
      [
        'a value that is there twice',
        { 'data/records/t.yaml': '- { name: a }\n- { name: a }\n' },
        /^\S*t\.yaml:2:\d+: 1\.name is unique, and an earlier record has "a"$/,
      ],
      [
        'a module that throws',
        { 'data/records.mjs': 'export default () => {\n  throw new Error("no money");\n};\n' },
        /^\S*data\/records\.mjs:2:\d+: no money$/,
      ],
      [
        'a module without a default export',
        { 'data/records.mjs': 'export const x = 1;\n' },
        /records\.mjs:1:1: its default export/,
      ],
      [
        'a module that makes records of no model',
        { 'data/records.mjs': 'export default () => [["nothing", []]];\n' },
        /records\.mjs:1:1: there is no model nothing$/,
      ],
      [
        'a tenant that there is not, and an e-mail twice',
        {
          'data/users.yaml': [
            ...users,
            '  - { email: A@x.example, username: b, defaultTenant: Acne, memberships: [] }',
            '',
          ].join('\n'),
        },
        /^\S*users\.yaml:5:\d+: users\.1\.email a@x\.example is there twice\n\S*users\.yaml:5:\d+: users\.1\.defaultTenant Acne is none of the tenants; did you mean Acme\?$/,
      ],
    ])('%s', async (_what, files, told) => {
      const name = `w${ulid().toLowerCase()}`;
      const code = name.slice(-20).replace(/^\d/, 'd');
      const directory = join(folder, name);
      const all = {
        'keelson.yaml': `name: ${name}\n`,
        'resources/t.yaml': [`resourceType: MODEL`, `code: ${code}`, 'content:', ...model, ''].join('\n'),
        'data/users.yaml': `${users.join('\n')}\n`.replaceAll('Acme', name).replace('a@x', `${name}@x`),
        ...files,
      };
      for (const [file, text] of Object.entries(all)) {
        await write(directory, file.replace('records/t.yaml', `records/${code}.yaml`), text);
      }
      const failure: unknown = await loadApplication(program, directory).catch((error: unknown) => error);

      expect(failure).toBeInstanceOf(Failure);
      expect(String((failure as Error).message).replaceAll(`${code}.yaml`, 't.yaml')).toMatch(told);
    });
  });
});
