import { ulid } from 'ulid';
import { afterEachFile } from '../../scripts/testing/jest/after-each-file.cjs';
import { migrate } from '../../scripts/database/migrate.ts';
import { createApplication } from '../../src/application.ts';
import { readConfig } from '../../src/foundation/config/config.ts';
import { startNode } from '../../src/node.ts';
import { copyOfDatabase, databaseOfPlainOwner, type OwnDatabase } from './own-database.ts';
import { until } from './faults.ts';
import { installQuietRuntime } from './quiet-temporal.ts';

type Settings = Record<string, string>;

/**
 * A node within the process of the tests: it starts in a tenth of the time that a program takes. It logs
 * nothing, as tests provoke errors; `LOG_LEVEL=error npm test -- FILE` shows them.
 */
export interface OwnNode {
  readonly url: string;
  stop(): Promise<unknown>;
}

const stops: (() => Promise<void>)[] = [];

afterEachFile(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

/**
 * Starts a node on a free port; it stops when the test file is over.
 * @param settings environment variables
 */
export async function startNodeHere(settings: Settings = {}): Promise<OwnNode> {
  installQuietRuntime();
  const environment = { LOG_LEVEL: 'silent', ...process.env, ...settings, PORT: '0' };
  const application = await createApplication(readConfig(environment));
  const node = await startNode(application);
  let stopped: Promise<void> | null = null;
  const stop = () => (stopped ??= node.stop());
  stops.push(stop);
  await until('Temporal is there', () => application.temporal.isReachable());
  return { url: `http://127.0.0.1:${node.port}`, stop };
}

/**
 * As `startNodeHere`, for what depends on which workflow a command gets: on a node that others use, it may
 * join a group of theirs.
 */
export function startNodeAlone(settings: Settings = {}): Promise<OwnNode> {
  return startNodeHere({ TEMPORAL_TASK_QUEUE: `alone-${ulid()}`, ...settings });
}

/**
 * Makes a database with the demo's configuration, starts a node on it, and turns this test file to both:
 * `container()` and `call()` use them from now on. Call it before anything else.
 * @param suffix what the database's name adds to the name of the shared one
 */
export async function startOwnNode(suffix: string, settings: Settings = {}): Promise<OwnNode> {
  use(await copyOfDatabase(suffix));
  return startSharedNode(settings);
}

/** As `startOwnNode`, on an empty database whose owner is bound by row-level security. */
export async function startAsPlainOwner(suffix: string): Promise<OwnNode> {
  use(await databaseOfPlainOwner(suffix));
  await migrate(readConfig({ ...process.env, LOG_LEVEL: 'silent' }));
  return startSharedNode({});
}

function use(database: OwnDatabase): void {
  stops.push(() => database.drop());
  Object.assign(process.env, database.settings);
}

async function startSharedNode(settings: Settings): Promise<OwnNode> {
  const node = await startNodeHere(settings);
  process.env.KEELSON_TEST_URL = node.url;
  return node;
}
