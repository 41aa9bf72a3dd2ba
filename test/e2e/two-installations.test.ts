import { sqlRunnerOf } from '../../src/foundation/database/sql-runner.ts';
import { ulid } from 'ulid';
import { createApplication } from '../../src/application.ts';
import { readConfig } from '../../src/foundation/config/config.ts';
import { MembershipEntity } from '../../src/platform/auth/accounts/membership.entity.ts';
import { TenantEntity } from '../../src/platform/auth/accounts/tenant.entity.ts';
import { UserEntity } from '../../src/platform/auth/accounts/user.entity.ts';
import { hashPassword } from '../../src/platform/auth/accounts/password-hash.ts';
import { call, execute, list, dataOf } from '../support/api.ts';
import { databaseName, databaseUrl, dropDatabase, onServer, templateOf } from '../support/database.ts';
import { temporal, until } from '../support/faults.ts';
import { Admin } from '../support/promotions.ts';
import { startNodeHere, type OwnNode } from '../support/own-node.ts';
import { startProgram } from '../support/program.ts';
import { Receiver } from '../support/receiver.ts';
import { PASSWORD, type TestTenant, type TestUser } from '../support/world.ts';

/*
 * Setup: two databases with the same users, as after a restore of a backup that was given an id of its own.
 * Both nodes use one Redis database, one Temporal namespace, and the default task queue. What this proves:
 * neither sees the other's sessions, configuration, totals or work.
 */

const EMAIL = 'admin@test.example';
const tenant: TestTenant = { id: '', name: 'Two installations' };

interface Installation {
  readonly id: string;
  readonly databaseUrl: string;
  readonly node: OwnNode;
  readonly admin: Admin;
}

const base = `${databaseName(process.env.DATABASE_URL ?? '')}_two_${ulid().toLowerCase()}`;
const names = [`${base}_a`, `${base}_b`] as const;
let a: Installation;
let b: Installation;
let receiver: Receiver;

async function addAdmin(url: string): Promise<void> {
  const application = await createApplication(readConfig({ ...process.env, DATABASE_URL: url, LOG_LEVEL: 'silent' }));
  try {
    const passwordHash = await hashPassword(PASSWORD);
    await application.orm.em.fork().transactional(async (em) => {
      const home = em.create(TenantEntity, { pid: ulid(), name: tenant.name });
      const account = { pid: ulid(), email: EMAIL, username: EMAIL, passwordHash };
      const user = em.create(UserEntity, { ...account, defaultTenant: home });
      em.create(MembershipEntity, { user, tenant: home, roles: ['PLATFORM_ADMIN'] });
      await em.flush();
    });
  } finally {
    await application.close();
  }
}

async function startInstallation(name: string): Promise<Installation> {
  const shared = process.env.DATABASE_URL ?? '';
  const url = databaseUrl(shared, name);
  const id = ulid().slice(-12).toLowerCase();
  const application = await createApplication(readConfig({ ...process.env, DATABASE_URL: url, LOG_LEVEL: 'silent' }));
  await sqlRunnerOf(application.orm.em.fork()).query('update platform.installation set id = $1', [id]);
  await application.close();
  const node = await startNodeHere({ DATABASE_URL: url });
  const { body } = await call('/api/auth/login', {
    baseUrl: node.url,
    body: { email: EMAIL, password: PASSWORD },
  });
  const user: TestUser = { id: '', pid: body.data.userPid, email: EMAIL, token: body.data.jwt };
  return { id, databaseUrl: url, node, admin: new Admin(user, tenant, node.url) };
}

const each = <T>(work: (one: Installation, name: string) => Promise<T>): Promise<T[]> =>
  Promise.all([work(a, 'a'), work(b, 'b')]);
const at = ({ node }: Installation) => ({ baseUrl: node.url });
const tokenOf = ({ admin }: Installation): string => admin.user.token;

beforeAll(async () => {
  const shared = process.env.DATABASE_URL ?? '';
  receiver = await Receiver.start();
  await onServer(shared, `create database "${base}" template "${templateOf(shared)}"`);
  await addAdmin(databaseUrl(shared, base));
  await onServer(shared, ...names.map((name) => `create database "${name}" template "${base}"`));
  [a, b] = await Promise.all([startInstallation(names[0]), startInstallation(names[1])]);
});

afterAll(async () => {
  await each(({ node }) => node.stop());
  await onServer(process.env.DATABASE_URL ?? '', ...[base, ...names].map(dropDatabase));
});

describe('two installations on one Redis database and one Temporal namespace', () => {
  it('do not know the tokens of each other', async () => {
    const own = await call('/api/auth/me', { ...at(a), token: tokenOf(a) });
    const foreign = await call('/api/auth/me', { ...at(b), token: tokenOf(a) });

    expect([own.status, foreign.status]).toEqual([200, 401]);
  });

  it('have configuration of their own', async () => {
    const page = (name: string) => ({ name, modelCode: 'lead', columns: ['name'] });
    for (const name of ['One', 'Two', 'Three']) {
      const payload = { resourceType: 'PAGE_SCHEMA', code: 'only_a', content: page(name) };
      expect((await execute(tokenOf(a), 'meta:save', { payload }, at(a))).body.code).toBe('0');
    }
    expect((await list(tokenOf(a), 'only_a', {}, at(a))).status).toBe(200);
    expect((await list(tokenOf(b), 'only_a', {}, at(b))).status).toBe(404);

    const payload = { resourceType: 'PAGE_SCHEMA', code: 'only_b', content: page('B') };
    expect((await execute(tokenOf(b), 'meta:save', { payload }, at(b))).body.code).toBe('0');
    expect((await list(tokenOf(b), 'only_b', {}, at(b))).status).toBe(200);
  });

  it('execute commands of their own, and count their own records', async () => {
    const total = async (one: Installation) => (await list(tokenOf(one), 'leads', {}, at(one))).body.data.total;
    expect(await each(total)).toEqual([0, 0]);
    for (let index = 0; index < 6; index += 1) {
      const one = index < 4 ? a : b;
      const made = await execute(tokenOf(one), 'crm:create_lead', { payload: { name: `Lead ${index}` } }, at(one));
      expect(made.body.code).toBe('0');
      expect(await each(total)).toEqual([Math.min(index + 1, 4), Math.max(index - 3, 0)]);
    }
  });

  it('deliver their own events', async () => {
    await each(async (one, name) => {
      const body = { name, targetUrl: `${receiver.url}/${name}`, eventType: 'crm:create_lead' };
      expect((await call('/api/webhooks', { ...at(one), token: tokenOf(one), body })).status).toBe(200);
    });
    await each((one, name) => execute(tokenOf(one), 'crm:create_lead', { payload: { name } }, at(one)));

    await until('both deliveries', () => receiver.received.length === 2);
    for (const { path, body } of receiver.received) expect(body).toContain(`"name":"${path.slice(-1)}"`);
    expect(receiver.received.map(({ path }) => path).sort()).toEqual(['/hook/a', '/hook/b']);
  });

  it('promote and run automations of their own', async () => {
    const steps = [{ id: 'wait', type: 'wait', seconds: 1 }];
    await each(async (one, name) => {
      const { admin } = one;
      const content = { name, trigger: { type: 'manual' }, steps };
      const payload = { resourceType: 'AUTOMATION', code: 'pause', content };
      dataOf(await execute(tokenOf(one), 'meta:save', { payload }, at(one)));
      const { runPid } = dataOf(await admin.post('/automations/pause/runs', { input: {} }));
      const { pid } = dataOf(await admin.create('*'));
      dataOf(await admin.validate(pid));
      expect(dataOf(await admin.apply(pid)).status).toBe('APPLIED');
      await until('the end of the run', async () => {
        const { status } = dataOf(await admin.get(`/automations/runs/${runPid}`));
        return status === 'SUCCEEDED';
      });
    });
  });

  it('use task queues of their own', async () => {
    const { workflow } = await temporal();
    for (const { id } of [a, b]) {
      const found = workflow.list({ query: `TaskQueue = "keelson-${id}"` })[Symbol.asyncIterator]();
      expect((await found.next()).done).toBe(false);
    }
  });

  it('refuse to start on the task queue of the other, with the reason', async () => {
    const settings = { DATABASE_URL: b.databaseUrl, TEMPORAL_TASK_QUEUE: `keelson-${a.id}`, LOG_LEVEL: 'info' };

    await expect(startProgram(settings)).rejects.toThrow(
      `the task queue keelson-${a.id} belongs to the installation ${a.id}`,
    );
  });
});
