import { setTimeout as sleep } from 'node:timers/promises';
import { ulid } from 'ulid';
import { call, list, type Answered, expectRefusal } from '../support/api.ts';
import { historyOf } from '../support/command-workflows.ts';
import { executionRow, OwnTemporal, proxied, Proxy, temporal, temporalAddress, until } from '../support/faults.ts';
import { startNodeHere, startOwnNode } from '../support/own-node.ts';
import { Scene } from '../support/scene.ts';
import { startProgram } from '../support/program.ts';
import { newUser, PASSWORD } from '../support/world.ts';
import { commandWorkflowId } from '../../workflows/contracts.ts';

// Workers of the shared database have a Temporal, and would help.
beforeAll(async () => {
  await startOwnNode('faults', { KEELSON_ROLES: 'api' });
});

const pidOf = ({ headers }: Answered): string => headers.get('x-execution-pid') ?? '';
const queue = () => ({ TEMPORAL_TASK_QUEUE: `faults-${ulid()}` });

function expectUnavailable(answer: Answered, dependency: string): void {
  expectRefusal(answer, 'SERVICE_UNAVAILABLE', { dependency });
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
}

/**
 * Setup: an API node and a worker with a Temporal server of their own. An update waits for a lock that the
 * test holds. Timeline: Temporal is killed with -9 and stays away for 21 s; the lock is released; Temporal
 * comes back. What this proves: what runs is finished and answered; what comes is refused whole; nobody has
 * to restart anything.
 */
describe('Temporal away for 21 s from a node without a worker', () => {
  it('reads go on, commands answer 503 and leave nothing, and all recovers by itself', async () => {
    const server = await OwnTemporal.start();
    const settings = { TEMPORAL_ADDRESS: server.address, TEMPORAL_WAIT_MS: '', ...queue() };
    const node = await startProgram({ ...settings, KEELSON_ROLES: 'api' });
    const worker = await startNodeHere({ ...settings, KEELSON_ROLES: 'worker' });
    try {
      const scene = await Scene.at(node.url);
      const held = await scene.hold();
      const running = scene.update('1');
      await held.waiting();
      await server.kill();
      const away = Date.now();
      await held.release();
      expect(await running).toMatchObject({ status: 200, body: { code: '0', data: { phone: '1', version: 2 } } });
      const before = await scene.state();

      const refused = async (): Promise<number> => {
        const askedAt = Date.now();
        expectUnavailable(await scene.create('refused', 'k'), 'temporal');
        return Date.now() - askedAt;
      };
      // The first finds out; the others know.
      const first = await refused();
      const quickest = async () => Math.min(await refused(), await refused(), await refused());
      expect(await quickest()).toBeLessThan(first / 2);
      while (Date.now() - away < 18_000) {
        expect(await scene.list()).toMatchObject({ status: 200, body: { data: { total: 1 } } });
        await sleep(1_000);
      }
      expect(await quickest()).toBeLessThan(first / 2);
      expect(await scene.state()).toEqual(before);
      expect(await scene.lastExecution()).toMatchObject({ status: 'CANCELLED', idempotencyKey: null, result: null });
      const health = await call('/actuator/health', { baseUrl: node.url });
      expect(health).toMatchObject({
        status: 503,
        body: { components: { temporal: { status: 'DOWN' }, db: { status: 'UP' } } },
      });
      expect(await call('/actuator/health/readiness', { baseUrl: node.url })).toMatchObject({ status: 200 });

      await server.start();
      const recovered = await until('commands work again', async () => {
        const answer = await scene.create('after all', 'k');
        return answer.status === 200 ? answer : null;
      });
      expect(recovered.body).toMatchObject({ code: '0', data: { name: 'after all' } });
      await until('health is UP', async () => (await call('/actuator/health', { baseUrl: node.url })).status === 200);
      expect(await scene.state()).toMatchObject({
        leads: [{ phone: '1', version: 2 }, { name: 'after all' }],
        changes: ['CREATE', 'UPDATE', 'CREATE'],
        events: 3,
      });
      expect(await node.stop()).toBe(0);
      await worker.stop();
    } finally {
      await node.stop('SIGKILL');
    }
  });
});

/**
 * Setup: a node without a worker that reaches Temporal through a proxy.
 * Timeline: the proxy swallows everything, without ending a connection; later it lets everything through
 * again. What this proves: a request never waits for a network that says nothing, and a start that was
 * swallowed but arrives later finds its execution cancelled.
 */
describe('Temporal silent', () => {
  it('commands answer 503 in time, and one that arrives too late does nothing', async () => {
    const proxy = await Proxy.before(temporalAddress());
    const settings = queue();
    const worker = await startNodeHere({ ...settings, KEELSON_ROLES: 'worker' });
    const node = await startNodeHere({
      TEMPORAL_ADDRESS: proxy.address,
      KEELSON_ROLES: 'api',
      TEMPORAL_WAIT_MS: '',
      ...settings,
    });
    const scene = await Scene.at(node.url);
    const before = await scene.state();
    proxy.stall();
    const askedAt = Date.now();
    expectUnavailable(await scene.create('too late'), 'temporal');
    const first = Date.now() - askedAt;
    const { pid } = await scene.lastExecution();
    expect(await executionRow(pid)).toMatchObject({ status: 'CANCELLED', idempotencyKey: null });
    const tookMs: number[] = [];
    for (let next = 0; next < 3; next += 1) {
      const nextAskedAt = Date.now();
      expectUnavailable(await scene.create('too late, too'), 'temporal');
      tookMs.push(Date.now() - nextAskedAt);
    }
    expect(Math.min(...tookMs)).toBeLessThan(first / 2);

    await proxy.restore();
    await until('commands work again', async () => (await scene.create('in time', 'k')).status === 200);
    expect((await scene.state()).leads.map(({ name }) => name)).toEqual(['Ada', 'in time']);
    expect(await executionRow(pid)).toMatchObject({ status: 'CANCELLED' });
    expect(before.events + 1).toBe((await scene.state()).events);
    await node.stop();
    await worker.stop();
  });
});

/**
 * Setup: an API node, and a worker that reaches Temporal through a proxy. An update waits for a lock that the
 * test holds. Timeline: the proxy stops what the worker sends; the lock is released, the transaction commits;
 * the worker is killed with -9 before Temporal has heard of it; a second worker starts, and gets the task
 * when the first one's time is over. What this proves: the command is applied by two workers and has one
 * effect; the answer is right at once, and on retry.
 */
describe('a worker killed between the commit and the completion of the workflow', () => {
  it('leaves one change and the right answer', async () => {
    const settings = queue();
    const proxy = await Proxy.before(temporalAddress());
    const api = await startNodeHere({ ...settings, KEELSON_ROLES: 'api' });
    const first = await startProgram({ ...settings, KEELSON_ROLES: 'worker', TEMPORAL_ADDRESS: proxy.address });
    try {
      const scene = await Scene.at(api.url);
      const held = await scene.hold();
      const asked = scene.update('1', 'k');
      await held.waiting();
      proxy.stall('requests');
      await held.release();
      const answered = await asked;
      const pid = pidOf(answered);
      expect(answered).toMatchObject({ status: 200, body: { code: '0', data: { phone: '1', version: 2 } } });
      expect(await executionRow(pid)).toMatchObject({ status: 'SUCCEEDED' });
      await first.stop('SIGKILL');
      proxy.cut();
      const unfinished = await historyOf(pid);
      expect(unfinished.some(({ markerRecordedEventAttributes: marker }) => marker)).toBe(false);
      expect(await scene.update('1', 'k')).toMatchObject({
        status: 200,
        body: { code: 'IDEMPOTENT_REPLAY', data: answered.body.data },
      });

      const second = await startNodeHere({ ...settings, KEELSON_ROLES: 'worker' });
      const { workflow } = await temporal();
      await workflow.getHandle(commandWorkflowId(pid)).result();

      // Two workers had the task; the second one's attempt to apply the command is the one on record.
      const events = await historyOf(pid);
      const started = events.flatMap(({ workflowTaskStartedEventAttributes: task }) => task?.identity ?? []);
      expect(events.some(({ workflowTaskTimedOutEventAttributes: timedOut }) => timedOut)).toBe(true);
      expect(started[0]).toMatch(new RegExp(`^${first.pid}@`));
      expect(started.at(-1)).toMatch(new RegExp(`^${process.pid}@`));
      expect(events.filter(({ markerRecordedEventAttributes: marker }) => marker)).toHaveLength(1);
      expect(await scene.state()).toEqual({
        leads: [{ name: 'Ada', phone: '1', version: 2 }],
        changes: ['CREATE', 'UPDATE'],
        events: 2,
      });
      expect(await executionRow(pid)).toMatchObject({ status: 'SUCCEEDED', result: answered.body.data });
      await second.stop();
    } finally {
      await first.stop('SIGKILL');
    }
  });
});

/**
 * Setup: a node that reaches Redis through a proxy.
 * Timeline: Redis crashes; a command commits meanwhile; Redis comes back. Then once more, with a silent
 * Redis. What this proves: without the shared store everything is refused with 503, never 500; totals are
 * right afterwards.
 */
describe('Redis away', () => {
  it('everything that needs a session answers 503, and all recovers by itself', async () => {
    const { proxy, url } = await proxied(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379');
    const node = await startProgram({ REDIS_URL: url, REDIS_WAIT_MS: '', ...queue() });
    try {
      const scene = await Scene.at(node.url);
      // The total is cached from now on.
      expect((await scene.list()).body.data.total).toBe(1);
      const held = await scene.hold();
      const running = scene.remove();
      await held.waiting();
      proxy.cut();
      await held.release();
      // Accepted before: it is applied and answered.
      expect(await running).toMatchObject({ status: 200, body: { data: { pid: scene.lead.pid } } });

      const before = await scene.state();
      const login = { email: scene.user.email, password: PASSWORD };
      for (const answer of [
        await scene.list(),
        await call(`/api/dynamic/leads/${scene.lead.pid}`, { token: scene.user.token, baseUrl: node.url }),
        await scene.create('refused'),
        await call(`/api/meta/commands/executions/${ulid()}`, { token: scene.user.token, baseUrl: node.url }),
        await call('/api/auth/login', { body: login, baseUrl: node.url }),
      ]) {
        expectUnavailable(answer, 'redis');
      }
      expect(await scene.state()).toEqual(before);
      expect(await call('/actuator/health/liveness', { baseUrl: node.url })).toMatchObject({ status: 200 });
      expect(await call('/actuator/health/readiness', { baseUrl: node.url })).toMatchObject({
        status: 503,
        body: { status: 'DOWN', components: { redis: { status: 'DOWN' }, db: { status: 'UP' } } },
      });

      await proxy.restore();
      await until(
        'the node is ready',
        async () => (await call('/actuator/health/readiness', { baseUrl: node.url })).status === 200,
      );
      await until('the total is right', async () => (await scene.list()).body.data.total === 0);
      expect(await scene.create('after')).toMatchObject({ status: 200 });
      expect((await scene.list()).body.data.total).toBe(1);

      proxy.stall();
      expectUnavailable(await scene.list(), 'redis');
      await proxy.restore();
      await until('lists work again', async () => (await scene.list()).status === 200);
      expect(await scene.create('at last')).toMatchObject({ status: 200 });
      expect(await node.stop()).toBe(0);
    } finally {
      await node.stop('SIGKILL');
    }
  });
});

/**
 * Setup: a node that reaches Postgres through a proxy. An update waits for a lock that the test holds.
 * Timeline: Postgres is cut off in the middle of the transaction; reads and commands come; Postgres is back.
 * What this proves: an accepted command survives: it is tried again and applied once; everything else is a
 * 503.
 */
describe('Postgres away in the middle of a command', () => {
  it('the command is tried again and applied once', async () => {
    const { proxy, url } = await proxied(process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/keelson');
    const node = await startNodeHere({ DATABASE_URL: url, LOG_LEVEL: 'silent', ...queue() });
    const scene = await Scene.at(node.url);
    const designer = await newUser(['PLATFORM_ADMIN'], scene.tenant);
    const examples = () =>
      call('/api/meta/commands/examples/crm:convert_lead', { token: designer.token, body: {}, baseUrl: node.url });
    expect((await examples()).body.data).toMatchObject({ failed: 0 });
    const held = await scene.hold();
    const running = scene.update('1', 'k');
    await held.waiting();
    proxy.cut();
    await held.release();

    expectUnavailable(await scene.list(), 'postgres');
    expectUnavailable(await scene.create('refused'), 'postgres');
    const login = { email: scene.user.email, password: 'x' };
    expectUnavailable(await call('/api/auth/login', { body: login, baseUrl: node.url }), 'postgres');
    // A fault of ours is no failure of an example.
    expectUnavailable(await examples(), 'postgres');
    expect(await call('/actuator/health/readiness', { baseUrl: node.url })).toMatchObject({ status: 503 });
    expect((await scene.state()).leads).toEqual([{ name: 'Ada', phone: null, version: 1 }]);

    await proxy.restore();
    expect(await running).toMatchObject({ status: 200, body: { code: '0', data: { phone: '1', version: 2 } } });
    expect(await scene.update('1', 'k')).toMatchObject({ body: { code: 'IDEMPOTENT_REPLAY' } });
    expect(await scene.state()).toEqual({
      leads: [{ name: 'Ada', phone: '1', version: 2 }],
      changes: ['CREATE', 'UPDATE'],
      events: 2,
    });
    await node.stop();
  });
});

/**
 * Setup: a node that reaches Postgres through a proxy, and gives a statement 4 s.
 * Timeline: in the middle of a command the proxy swallows everything, without ending a connection; later it
 * lets go. What this proves: nobody waits for ever for a network that says nothing, and the command is
 * applied once.
 */
describe('Postgres silent', () => {
  it('reads answer 503 in time, and the command is applied once', async () => {
    const { proxy, url } = await proxied(process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/keelson');
    const node = await startNodeHere({ DATABASE_URL: `${url}?query_timeout=4000`, DATABASE_WAIT_MS: '', ...queue() });
    const scene = await Scene.at(node.url);
    // So that there are connections that wait for work.
    await Promise.all(Array.from({ length: 5 }, () => scene.list()));
    const held = await scene.hold();
    const running = scene.update('1');
    await held.waiting();
    proxy.stall();
    await held.release();
    const answers = await Promise.all([scene.list(), scene.list()]);
    for (const answer of answers) expectUnavailable(answer, 'postgres');

    await proxy.restore();
    expect(await running).toMatchObject({ status: 200, body: { code: '0', data: { phone: '1', version: 2 } } });
    await until('reads work again', async () => (await scene.list()).status === 200);
    expect((await scene.state()).changes).toEqual(['CREATE', 'UPDATE']);
    await node.stop();
  });
});

/**
 * Setup: two nodes, API and worker each, on one task queue.
 * Timeline: 24 commands at once, with 12 keys, each key once at either node; then one node is killed with -9.
 * What this proves: any node serves any request, one key is one command on all nodes, and one node less is no
 * outage.
 */
describe('two nodes at once', () => {
  it('apply each command once, and one goes on alone', async () => {
    const settings = queue();
    const [first, second] = await Promise.all([startProgram(settings), startNodeHere(settings)]);
    try {
      const scene = await Scene.at(first.url);
      const keys = Array.from({ length: 12 }, (_, index) => `key ${index}`);
      const answers = await Promise.all(
        keys.flatMap((key) => [first, second].map(({ url }) => scene.create(key, key, url))),
      );

      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      expect(answers.filter(({ body }) => body.code === '0')).toHaveLength(12);
      expect((await scene.state()).leads.map(({ name }) => name).sort()).toEqual(['Ada', ...keys].sort());

      const lists = await Promise.all(
        [first, second].map(({ url }) => list(scene.user.token, 'leads', {}, { baseUrl: url })),
      );
      expect(lists.map(({ body }) => body.data.total)).toEqual([13, 13]);

      await first.stop('SIGKILL');
      expect(await scene.create('alone', 'alone', second.url)).toMatchObject({ status: 200 });
    } finally {
      await first.stop('SIGKILL');
    }
  });
});
