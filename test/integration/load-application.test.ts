import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEMO, loadApplication } from '../../scripts/database/load-application.ts';
import { readConfig } from '../../src/foundation/config/config.ts';
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

  const count = async (table: string): Promise<number> => {
    const [row] = await program.orm.em.fork().execute<{ n: number }[]>(`select count(*)::int as n from ${table}`);
    return row?.n ?? 0;
  };

  it('loads what keelson init makes, once', async () => {
    const directory = await newApplication(folder);

    expect(await loadApplication(program, directory)).toBe('loaded my-app: 9 resources, 2 users, 2 records');
    expect(await count('dev.mt_ticket')).toBe(2);
    expect(await loadApplication(program, directory)).toBe('my-app is there already');
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
});
