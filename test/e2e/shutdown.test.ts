import { spawn } from 'node:child_process';
import { ulid } from 'ulid';
import { call, execute, list, type Answered } from '../support/api.ts';
import { historyOf } from '../support/command-workflows.ts';
import {
  executionRow,
  holdRecord,
  Proxy,
  rowsOf,
  temporal,
  temporalAddress,
  type HeldRecord,
  until,
} from '../support/faults.ts';
import { startNodeHere, type OwnNode } from '../support/own-node.ts';
import { freePort, startProgram, type Program } from '../support/program.ts';
import { container, newTenant, newUser, PASSWORD, type TestTenant, type TestUser } from '../support/world.ts';
import { commandWorkflowId } from '../../workflows/contracts.ts';

let tenant: TestTenant;
let user: TestUser;
let lead: { pid: string };
const programs: Program[] = [];
const holds: HeldRecord[] = [];

beforeEach(async () => {
  tenant = await newTenant();
  user = await newUser(['ADMIN'], tenant);
  lead = (await execute(user.token, 'crm:create_lead', { payload: { name: 'Ada' } })).body.data;
});
afterEach(async () => {
  for (const held of holds.splice(0)) await held.release();
  for (const program of programs.splice(0)) await program.stop('SIGKILL');
});

/** A node on a task queue of its own (or of others that the test has started). */
async function start(settings: Record<string, string> = {}): Promise<Program> {
  const program = await startProgram({ TEMPORAL_TASK_QUEUE: `shutdown-${ulid()}`, ...settings });
  programs.push(program);
  return program;
}

const update = (phone: string, { url }: OwnNode, clientRequestId = ulid()): Promise<Answered> => {
  const body = { operationType: 'UPDATE', targetRecordId: lead.pid, payload: { phone }, clientRequestId };
  return execute(user.token, 'crm:update_lead', body, { baseUrl: url });
};
const hold = async (): Promise<HeldRecord> => {
  const held = await holdRecord(tenant.id, 'dev.mt_lead', lead.pid);
  holds.push(held);
  return held;
};
const readiness = ({ url }: Program): Promise<Answered> => call('/actuator/health/readiness', { baseUrl: url });
const phone = async (): Promise<unknown> => (await rowsOf(tenant.id, 'select phone, version from dev.mt_lead'))[0];

describe('SIGTERM', () => {
  /**
   * Setup: a node in production with a grace time of a minute. A command waits for a lock that the test
   * holds. Timeline: SIGTERM; readiness is DOWN while the node still serves; the lock is released; the
   * command is answered. What this proves: load balancers can look elsewhere before a request is refused,
   * and no answer is lost.
   */
  it('readiness goes DOWN first, the running command finishes, and the exit code is 0', async () => {
    const own = `a secret of production ${ulid()}`;
    const production = { NODE_ENV: 'production', JWT_SECRET: own, SECRETS_KEY: own };
    const node = await start({ ...production, SHUTDOWN_GRACE_MS: '60000' });
    const login = await call('/api/auth/login', { body: { email: user.email, password: PASSWORD }, baseUrl: node.url });
    user = { ...user, token: login.body.data.jwt };
    const held = await hold();
    const running = update('1', node);
    await held.waiting();
    expect((await readiness(node)).status).toBe(200);

    const exited = node.stop('SIGTERM');

    const down = await until('readiness is DOWN', async () => {
      const answer = await readiness(node);
      return answer.status === 503 ? answer : null;
    });
    expect(down.body).toMatchObject({ status: 'DOWN', components: { db: { status: 'UP' }, redis: { status: 'UP' } } });
    expect(await list(user.token, 'leads', {}, { baseUrl: node.url })).toMatchObject({ status: 200 });
    await held.release();
    expect(await running).toMatchObject({ status: 200, body: { code: '0', data: { phone: '1' } } });
    expect(await exited).toBe(0);
    await expect(readiness(node)).rejects.toThrow();
  });

  it('lets a worker finish the task that it has, and Temporal hears of it', async () => {
    const settings = { TEMPORAL_TASK_QUEUE: `shutdown-${ulid()}` };
    const api = await startNodeHere({ ...settings, KEELSON_ROLES: 'api' });
    const worker = await start({ ...settings, KEELSON_ROLES: 'worker' });
    const held = await hold();
    const running = update('1', api);
    await held.waiting();

    const exited = worker.stop('SIGTERM');
    await until('the worker stops', () => worker.logs().includes('"stopping"'));
    await held.release();

    const answer = await running;
    expect(answer).toMatchObject({ status: 200, body: { data: { phone: '1' } } });
    expect(await exited).toBe(0);
    const pid = answer.headers.get('x-execution-pid') ?? '';
    const { workflow } = await temporal();
    expect((await workflow.getHandle(commandWorkflowId(pid)).describe()).status.name).toBe('COMPLETED');
    expect((await historyOf(pid)).some(({ workflowTaskTimedOutEventAttributes: late }) => late)).toBe(false);
  });

  /**
   * Setup: a node with a grace time of 500 ms, and a second worker. A command waits for a lock that the test
   * holds. Timeline: SIGTERM; the grace time passes, the node ends; the lock is released; the second worker
   * takes over. What this proves: what cannot finish in time is not half done and not lost, and the exit code
   * is still 0.
   */
  it('gives up what does not finish in the grace time; another worker does it', async () => {
    const settings = { TEMPORAL_TASK_QUEUE: `shutdown-${ulid()}` };
    const node = await start({ ...settings, SHUTDOWN_GRACE_MS: '500' });
    const held = await hold();
    const running = update('1', node, 'k').catch(() => 'cut off');
    await held.waiting();

    expect(await node.stop('SIGTERM')).toBe(0);
    expect(await running).toBe('cut off');
    expect(await phone()).toEqual({ phone: null, version: 1 });

    const other = await startNodeHere(settings);
    await held.release();
    const repeat = await until('the command ends', async () => {
      const answer = await update('1', other, 'k');
      return answer.status === 200 ? answer : null;
    });
    expect(repeat.body).toMatchObject({ code: 'IDEMPOTENT_REPLAY', data: { phone: '1', version: 2 } });
    expect(await phone()).toEqual({ phone: '1', version: 2 });
  });

  it('ends a node that has never reached Temporal', async () => {
    const address = `127.0.0.1:${await freePort()}`;
    // Longer than a test may take: the node does not wait for its end.
    const node = await startProgram({ TEMPORAL_ADDRESS: address, KEELSON_ROLES: 'api', SHUTDOWN_GRACE_MS: '600000' });
    programs.push(node);

    expect(await node.stop('SIGTERM')).toBe(0);
  });

  it('ends a node that is still starting its worker', async () => {
    const env = { ...process.env, NODE_ENV: 'test', PORT: '0', NODE_OPTIONS: '', TEMPORAL_TASK_QUEUE: ulid() };
    const child = spawn(process.execPath, ['src/main.ts'], { env, stdio: ['ignore', 'pipe', 'ignore'] });
    const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
    let logs = '';
    let askedAt = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      logs += chunk.toString();
      if (askedAt > 0 || !logs.includes('api listening')) return;
      askedAt = logs.length;
      child.kill('SIGTERM');
    });

    expect(await exited).toBe(0);
    expect(logs.slice(0, askedAt)).not.toContain('worker polling');
  });

  it('ends a node that Temporal does not answer any more', async () => {
    const proxy = await Proxy.before(temporalAddress());
    const node = await start({
      TEMPORAL_ADDRESS: proxy.address,
      TEMPORAL_WAIT_MS: '',
      SHUTDOWN_GRACE_MS: '1000',
    });
    proxy.cut();

    expect(await node.stop('SIGTERM')).toBe(0);
  });

  it('loses no accepted command of many', async () => {
    const settings = { TEMPORAL_TASK_QUEUE: `shutdown-${ulid()}` };
    const [node, other] = await Promise.all([
      start({ ...settings, SHUTDOWN_GRACE_MS: '2000' }),
      startNodeHere(settings),
    ]);
    const keys = Array.from({ length: 20 }, (_, index) => `key ${index}`);
    const create = (key: string, { url }: OwnNode): Promise<Answered | null> =>
      execute(user.token, 'crm:create_lead', { payload: { name: key }, clientRequestId: key }, { baseUrl: url }).catch(
        () => null,
      );
    const asked = keys.map((key) => create(key, node));
    await Promise.race(asked);

    expect(await node.stop('SIGTERM')).toBe(0);

    const answers = await Promise.all(asked);
    for (const answer of answers) expect([200, undefined]).toContain(answer?.status);
    const repeats = await Promise.all(keys.map((key) => create(key, other)));
    expect(repeats.map((answer) => answer?.status)).toEqual(keys.map(() => 200));
    answers.forEach((answer, index) => {
      if (answer) expect(repeats[index]?.body.data.pid).toBe(answer.body.data.pid);
    });
    const records = await rowsOf(tenant.id, 'select name from dev.mt_lead');
    expect(records.map(({ name }) => name).sort()).toEqual(['Ada', ...keys].sort());
    for (const answer of repeats) {
      expect(await executionRow(answer?.headers.get('x-execution-pid') ?? '')).toMatchObject({ status: 'SUCCEEDED' });
    }
  });
});

/**
 * Setup: two nodes with one task queue. Updates of a record wait for a lock that the test holds, among 50
 * commands that arrive together. Timeline: the node that has them is killed with -9; the lock is released.
 * What this proves: the other node ends each command once, within seconds; what had ended stays as it is.
 */
describe('SIGKILL in the middle of groups of commands', () => {
  it('leaves commands that end once each, on the other node', async () => {
    const settings = { TEMPORAL_TASK_QUEUE: `shutdown-${ulid()}` };
    const [node] = await Promise.all([start(settings), startNodeHere(settings)]);
    const held = await hold();
    const asked = Array.from({ length: 50 }, (_, index) =>
      index % 5 === 0
        ? update(`${index}`, node)
        : execute(user.token, 'crm:create_lead', { payload: { name: `lead ${index}` } }, { baseUrl: node.url }),
    );
    const answers = Promise.allSettled(asked);
    await held.waiting(5);
    await node.stop('SIGKILL');
    const killedAt = Date.now();
    await held.release();

    const { database } = await container();
    const executions = await until('all executions have ended', async () => {
      const rows = await database.query<{ status: string; operation: string; groupPid: string; finishedAt: string }>(
        'select status, operation, group_pid, finished_at from platform.command_execution where tenant_id = $1',
        [tenant.id],
      );
      return rows.every(({ status }) => status === 'SUCCEEDED') ? rows : null;
    });
    const answered = (await answers).filter(({ status }) => status === 'fulfilled').length;
    const updates = executions.filter(({ operation }) => operation === 'UPDATE').length;
    const leads = await rowsOf(tenant.id, 'select name, version from dev.mt_lead order by id');
    const changes = await rowsOf(tenant.id, 'select 1 from platform.change_log');
    const events = await database.query('select 1 from platform.event where tenant_id = $1', [tenant.id]);
    expect(executions.length).toBeGreaterThan(answered + 1);
    expect(executions.filter(({ groupPid }) => groupPid !== null).length).toBeGreaterThan(10);
    expect(new Set(leads.map(({ name }) => name)).size).toBe(executions.length - updates);
    expect(leads).toHaveLength(executions.length - updates);
    expect(leads[0]).toMatchObject({ name: 'Ada', version: 1 + updates });
    expect({ changes: changes.length, events: events.length }).toEqual({
      changes: executions.length,
      events: executions.length,
    });

    const delays = executions
      .map(({ finishedAt }) => Date.parse(finishedAt) - killedAt)
      .filter((delay) => delay > 0)
      .sort((a, b) => a - b);
    const [p50, p99] = [0.5, 0.99].map((share) => delays[Math.ceil(delays.length * share) - 1]);
    console.log(`after the kill, the other ${delays.length} commands ended within ${p50} ms (p50), ${p99} ms (p99)`);
  });
});
