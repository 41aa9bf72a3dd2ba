import { ulid } from 'ulid';
import { APP_ROLE } from '../../src/foundation/database/pool.ts';
import { databaseName, databaseUrl, dropDatabase, onServer, templateOf } from './database.ts';

/** A database of a test file's own, for what would disturb others (locks, imports, crashes). */
export interface OwnDatabase {
  /** The environment variables of a program on it. */
  readonly settings: { DATABASE_URL: string; REDIS_URL: string; TEMPORAL_TASK_QUEUE: string };
  drop(): Promise<void>;
}

/**
 * Makes a database with the demo's configuration, and a part of Redis and of Temporal to go with it.
 * @param suffix what the database's name adds to the name of the shared one
 */
export async function copyOfDatabase(suffix: string): Promise<OwnDatabase> {
  const shared = process.env.DATABASE_URL ?? '';
  const name = `${databaseName(shared)}_${suffix}`;
  await onServer(
    shared,
    dropDatabase(name),
    `create database "${name}" template "${templateOf(shared)}"`,
    `alter database "${name}" set synchronous_commit = off`,
  );
  return { settings: partsFor(databaseUrl(shared, name)), drop: () => onServer(shared, dropDatabase(name)) };
}

/** As `copyOfDatabase`, for a user who owns the database and is bound by row-level security; it is empty. */
export async function databaseOfPlainOwner(suffix: string): Promise<OwnDatabase> {
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
  return { settings: partsFor(url.href), drop: () => onServer(shared, dropDatabase(name), `drop role ${owner}`) };
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
