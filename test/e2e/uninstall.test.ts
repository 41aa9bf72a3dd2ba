import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { ulid } from 'ulid';
import { call, dataOf, execute, list } from '../support/api.ts';
import { databaseName, databaseUrl, dropDatabase, onServer, templateOf } from '../support/database.ts';
import { temporal, until } from '../support/faults.ts';
import { startNodeHere, type OwnNode } from '../support/own-node.ts';
import { PASSWORD } from '../support/world.ts';
import { createApplication } from '../../src/application.ts';
import { bootstrapAdmin } from '../../scripts/database/bootstrap-admin.ts';
import { readConfig } from '../../src/foundation/config/config.ts';
import { sqlRunnerOf } from '../../src/foundation/database/sql-runner.ts';

/*
 * Setup: two installations on one Postgres server, one Redis database and one Temporal namespace. What this
 * proves: one can be removed with all that it has, and nothing of the other is touched.
 */
const SCRIPT = fileURLToPath(new URL('../../scripts/uninstall-installation.ts', import.meta.url));
const shared = process.env.DATABASE_URL ?? '';
const EMAIL = 'admin@test.example';

interface Installation {
  readonly name: string;
  readonly id: string;
  readonly node: OwnNode;
  readonly token: string;
}

let gone: Installation;
let other: Installation;
const redis = new Redis(process.env.REDIS_URL ?? '');

async function install(): Promise<Installation> {
  const id = ulid().slice(-12).toLowerCase();
  const name = `${databaseName(shared)}_uninstall_${id}`;
  const DATABASE_URL = databaseUrl(shared, name);
  await onServer(shared, `create database "${name}" template "${templateOf(shared)}"`);
  const application = await createApplication(readConfig({ ...process.env, DATABASE_URL, LOG_LEVEL: 'silent' }));
  await bootstrapAdmin(application.orm, { email: EMAIL, password: PASSWORD });
  await sqlRunnerOf(application.orm.em.fork()).query('update platform.installation set id = $1', [id]);
  await application.close();
  const node = await startNodeHere({ DATABASE_URL });
  const baseUrl = node.url;
  const token = dataOf(await call('/api/auth/login', { baseUrl, body: { email: EMAIL, password: PASSWORD } })).jwt;
  const trigger = { type: 'schedule', everySeconds: 86_400 };
  const content = { name: 'Daily', trigger, runAs: 'ADMIN', steps: [{ id: 'pause', type: 'wait', seconds: 3_600 }] };
  const payload = { resourceType: 'AUTOMATION', code: 'daily', content };
  dataOf(await execute(token, 'meta:save', { payload }, { baseUrl }));
  dataOf(await call('/api/automations/daily/runs', { baseUrl, token, body: { input: {} } }));
  dataOf(await execute(token, 'crm:create_lead', { payload: { name: 'Ada' } }, { baseUrl }));
  await until('its schedules are in Temporal', async () => (await schedulesOf(id)).length === 3);
  await until('its workflows are in the list', async () => (await workflowsOf(id)) > 0);
  return { name, id, node, token };
}

async function schedulesOf(id: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { scheduleId } of (await temporal()).schedule.list()) {
    if (scheduleId.includes(id)) found.push(scheduleId);
  }
  return found;
}

async function workflowsOf(id: string): Promise<number> {
  return (await (await temporal()).workflow.count(`TaskQueue = "keelson-${id}"`)).count;
}

const keysOf = async (id: string): Promise<number> => (await redis.keys(`${id}:*`)).length;

function uninstall({ name }: Installation, ...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const env = { ...process.env, DATABASE_URL: databaseUrl(shared, name) };
  return new Promise((resolve) => {
    execFile(process.execPath, [SCRIPT, ...args], { env }, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    ).stdin?.end();
  });
}

beforeAll(async () => {
  [gone, other] = [await install(), await install()];
});
afterAll(async () => {
  redis.disconnect();
  await other.node.stop();
  await onServer(shared, dropDatabase(gone.name), dropDatabase(other.name));
});

describe('keelson uninstall', () => {
  it('refuses while a node is connected', async () => {
    expect(await uninstall(gone, '--yes')).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(/^\d+ connections to \S+ are open: stop all nodes, then try again\n$/),
    });
    await gone.node.stop();
  });

  it('shows what goes, and refuses without a terminal to ask at', async () => {
    const shown = new RegExp(
      `^The installation ${gone.id} in the database ${gone.name}:\n {2}records in dev: 1\n[^]*` +
        '  tenants: 1\n  users: 1\n  schedules in Temporal: 3\n  workflows in Temporal: \\d+\n  keys in Redis: [1-9]',
    );
    expect(await uninstall(gone, '--dry-run')).toMatchObject({ code: 0, out: expect.stringMatching(shown) });
    expect(await uninstall(gone)).toMatchObject({
      code: 2,
      out: expect.stringMatching(shown),
      err: 'There is no terminal to ask at: add --yes\n',
    });
    expect(await keysOf(gone.id)).toBeGreaterThan(0);
  });

  it('refuses the task queue of another installation', async () => {
    process.env.TEMPORAL_TASK_QUEUE = `keelson-${other.id}`;
    const { code, err } = await uninstall(gone, '--yes');
    delete process.env.TEMPORAL_TASK_QUEUE;
    expect(code).toBe(1);
    expect(err).toContain(`The task queue keelson-${other.id} belongs to the installation ${other.id}`);
  });

  it('removes its schedules, workflows, keys and database, and nothing of the other', async () => {
    const before = { keys: await keysOf(other.id), schedules: await schedulesOf(other.id) };
    expect(await uninstall(gone, '--yes')).toMatchObject({
      code: 0,
      out: expect.stringContaining(`The installation ${gone.id} is removed\n`),
    });

    expect([await keysOf(gone.id), await schedulesOf(gone.id), await workflowsOf(gone.id)]).toEqual([0, [], 0]);
    expect(await uninstall(gone, '--yes')).toEqual({
      code: 0,
      out: `${gone.name} has no installation: there is nothing to remove\n`,
      err: '',
    });
    expect(await schedulesOf(other.id)).toEqual(before.schedules);
    expect(before.keys).toBeGreaterThan(0);
    expect(await workflowsOf(other.id)).toBeGreaterThan(0);
    const leads = await list(other.token, 'leads', {}, { baseUrl: other.node.url });
    expect(leads.body.data.total).toBe(1);
  });
});
