import { ulid } from 'ulid';
import { migrate } from '../../scripts/database/migrate.ts';
import { readConfig } from '../../src/foundation/config/config.ts';
import { APP_ROLE } from '../../src/foundation/database/pool.ts';
import { databaseName, databaseUrl, dropDatabase, onServer, templateOf } from './database.ts';
import { freePort, startProgram, type Program } from './program.ts';

type Settings = Record<string, string>;

/**
 * A program on a database of the test file's own: for what would disturb others (locks, imports, crashes).
 */
export interface OwnProgram {
  readonly settings: Settings;
  readonly program: Program;
  /** Stops the program and drops the database. */
  stop(): Promise<void>;
}

/**
 * Makes a database with the demo's configuration, starts a program on it, and turns this test file to both:
 * `container()` and `call()` use them from now on. Call it before anything else.
 * @param suffix what the database's name adds to the name of the shared one
 */
export async function startOwnProgram(suffix: string, settings: Settings = {}): Promise<OwnProgram> {
  const shared = process.env.DATABASE_URL ?? '';
  const { name, ...own } = await copyOfDatabase(suffix);
  Object.assign(process.env, own);
  return start(settings, () => onServer(shared, dropDatabase(name)));
}

/** A new database with the demo's configuration, and a part of Redis and of Temporal to go with it. */
export async function copyOfDatabase(suffix: string) {
  const shared = process.env.DATABASE_URL ?? '';
  const name = `${databaseName(shared)}_${suffix}`;
  await onServer(shared, dropDatabase(name), `create database "${name}" template "${templateOf(shared)}"`);
  return { name, ...partsFor(databaseUrl(shared, name)) };
}

/**
 * As `startOwnProgram`, for a user who owns the database and is bound by row-level security; the database is
 * empty.
 */
export async function startAsPlainOwner(suffix: string): Promise<OwnProgram> {
  const shared = process.env.DATABASE_URL ?? '';
  const name = `${databaseName(shared)}_${suffix}`;
  const owner = `owner_${ulid().toLowerCase()}`;
  await onServer(
    shared,
    dropDatabase(name),
    `create role ${owner} login createrole nosuperuser nobypassrls password '${owner}'`,
    `grant ${APP_ROLE} to ${owner}`,
    `create database "${name}" owner ${owner}`,
  );
  const url = Object.assign(new URL(databaseUrl(shared, name)), { username: owner, password: owner });
  Object.assign(process.env, partsFor(url.href));
  await migrate(readConfig({ ...process.env, LOG_LEVEL: 'silent' }));
  return start({}, () => onServer(shared, dropDatabase(name), `drop role ${owner}`));
}

function partsFor(url: string) {
  const name = `own-${ulid()}`;
  return {
    DATABASE_URL: url,
    // Two databases must not share what Redis knows of the one.
    REDIS_URL: `${process.env.REDIS_URL}?keyPrefix=${name}:`,
    // Workers of other databases must not find its tasks.
    TEMPORAL_TASK_QUEUE: name,
  };
}

async function start(settings: Settings, drop: () => Promise<void>): Promise<OwnProgram> {
  const own = { PORT: String(await freePort()), ...settings };
  const program = await startProgram(own);
  process.env.KEELSON_TEST_URL = program.url;
  return {
    settings: own,
    program,
    async stop() {
      await program.stop();
      await drop();
    },
  };
}
