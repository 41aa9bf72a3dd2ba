import { NativeConnection, Worker } from '@temporalio/worker';
import { ulid } from 'ulid';
import { readConfig } from '../../src/foundation/config/config.ts';
import { createApplication, type Application } from '../../src/application.ts';
import { CommandStarter } from '../../src/features/commands/starting/command-starter.ts';
import { listen, type HttpServer } from '../../src/foundation/http/server.ts';
import { TemporalGateway } from '../../src/foundation/temporal/temporal-gateway.ts';
import { workflowBundle } from '../../src/foundation/temporal/workflow-bundle.ts';
import { execute, type Answered } from '../support/api.ts';
import { historyOf, workflowOf } from '../support/command-workflows.ts';
import { publishProbe, rowsOf, temporalAddress, until } from '../support/faults.ts';
import { installQuietRuntime } from '../support/quiet-temporal.ts';
import { redisTrips } from '../support/round-trips.ts';
import { signedInForEach } from '../support/world.ts';

/**
 * Setup: a node inside this process, API and worker on one connection to Temporal as in src/node.ts, on a
 * task queue of its own; so the test can read the node's counters.
 */
let node: { parts: Application; server: HttpServer; worker: Worker; run: Promise<void>; connection: NativeConnection };

beforeAll(async () => {
  await publishProbe();
  installQuietRuntime();
  const taskQueue = `eager-${ulid()}`;
  const parts = await createApplication(
    readConfig({ ...process.env, TEMPORAL_TASK_QUEUE: taskQueue, LOG_LEVEL: 'silent' }),
  );
  await parts.open();
  const connection = await NativeConnection.connect({ address: temporalAddress() });
  await parts.temporal.connect(() => Promise.resolve(connection));
  const worker = await Worker.create({
    connection,
    taskQueue,
    workflowBundle: await workflowBundle(),
    activities: parts.activities,
  });
  node = { parts, server: await listen(parts.app, 0), worker, run: worker.run(), connection };
});

afterAll(async () => {
  await node.server.stop(1_000);
  node.worker.shutdown();
  await node.run;
  await node.parts.close();
  await node.connection.close();
});

const { tenant, user } = signedInForEach('ADMIN');

const send = (command: string, body: object): Promise<Answered> =>
  execute(user.token, command, body, { baseUrl: `http://127.0.0.1:${node.server.port}` });
const pidOf = ({ headers }: Answered): string => headers.get('x-execution-pid') ?? '';

/** What a request costs: the statements and the Redis round trips that it makes this node do. */
async function cost(request: () => Promise<Answered>): Promise<{ statements: number; redis: number }> {
  const { database, store } = node.parts;
  await request();
  await request();
  const statements: number[] = [];
  const redis: number[] = [];
  // The least of some: a request that waits for longer than a second looks into its row as well.
  for (let round = 0; round < 4; round += 1) {
    const before = { statements: database.statements, redis: redisTrips(store) };
    expect(await request()).toMatchObject({ status: 200 });
    statements.push(database.statements - before.statements);
    redis.push(redisTrips(store) - before.redis);
  }
  return { statements: Math.min(...statements), redis: Math.min(...redis) };
}

describe("the start of a command's workflow", () => {
  it('hands the first task to the worker of the same process: no queue between accepting and applying', async () => {
    const done = await send('crm:create_lead', { payload: { name: 'Ada' } });

    const { events } = await (await workflowOf(pidOf(done))).fetchHistory();

    expect(events?.[0]?.workflowExecutionStartedEventAttributes?.eagerExecutionAccepted).toBe(true);
  });

  it('is a plain one on a node without a worker of its own', async () => {
    const done = await execute(user.token, 'crm:create_lead', { payload: { name: 'Ada' } });
    expect(done.status).toBe(200);
    const { parts } = node;
    const executionPid = ulid();
    const { namespace } = parts.config.temporal;
    const gateway = new TemporalGateway({ namespace, taskQueue: parts.temporal.taskQueue, eager: false }, parts.logger);
    await gateway.connect(() => Promise.resolve(node.connection));

    const starter = new CommandStarter(gateway);
    const execution = {
      pid: executionPid,
      tenantId: tenant.id,
      environment: 'dev',
      commandCode: 'none',
      traceId: 't',
      operation: 'CREATE' as const,
    };
    expect(await starter.start(execution)).toBe(true);
    expect(await starter.start(execution)).toBe(false);

    const [started] = await historyOf(executionPid);
    expect(started?.workflowExecutionStartedEventAttributes?.eagerExecutionAccepted).toBe(false);
  });

  it('is answered as soon as the transaction has committed, and the workflow completes behind it', async () => {
    const done = await send('crm:create_lead', { payload: { name: 'Ada' } });

    expect(done.body).toMatchObject({ code: '0', data: { name: 'Ada' } });
    const handle = await workflowOf(pidOf(done));
    const { status, historyLength } = await until('the workflow completes', async () => {
      const info = await handle.describe();
      return info.status.name === 'COMPLETED' ? info : null;
    });
    // Started, task scheduled, started, completed, marker of the local activity, completed: nothing was
    // retried.
    expect({ status: status.name, historyLength }).toEqual({ status: 'COMPLETED', historyLength: 6 });
  });
});

describe('the round trips of a command, from request to answer', () => {
  // The gate; and after the commit stamps and call together.
  const redis = 2;

  it('create: 2 to Redis; to Postgres one insert and a transaction of lock, insert, finish', async () => {
    expect(await cost(() => send('crm:create_lead', { payload: { name: 'Ada' } }))).toEqual({
      redis,
      statements: 1 + 5,
    });
  });

  it('update: the transaction reads the record first', async () => {
    const { data } = (await send('crm:create_lead', { payload: { name: 'Ada' } })).body;
    const body = { operationType: 'UPDATE', targetRecordId: data.pid, payload: { phone: '1' } };

    expect(await cost(() => send('crm:update_lead', body))).toEqual({ redis, statements: 1 + 6 });
  });

  // The process that executed the first request may have died before it could say which totals are stale.
  it('an idempotent replay: 2 to Redis; to Postgres the insert that fails and two that find the first', async () => {
    const body = { payload: { name: 'Ada' }, clientRequestId: 'k' };

    expect(await cost(() => send('crm:create_lead', body))).toEqual({ redis, statements: 3 });
    expect(await rowsOf(tenant.id, 'select 1 from dev.mt_lead')).toHaveLength(1);
  });

  it('inline: the same, without Temporal', async () => {
    expect(await cost(() => send('probe:inline', { payload: { name: 'Ada' } }))).toEqual({ redis, statements: 1 + 5 });
  });

  it('a refused request: the gate alone', async () => {
    const { database, store } = node.parts;
    // The first request brings copies of the user and the tenant to the shared store.
    await send('crm:create_lead', { payload: {} });
    const before = { statements: database.statements, redis: redisTrips(store) };

    expect(await send('crm:create_lead', { payload: {} })).toMatchObject({ status: 400 });

    expect(database.statements).toBe(before.statements);
    expect(redisTrips(store)).toBe(before.redis + 1);
  });
});

describe('the connection to Temporal', () => {
  /** Temporal as it is, but for its operator API, which fails with this gRPC status. */
  const withoutOperator = (code: number, onClose: () => void): NativeConnection => {
    const denied = async (): Promise<never> => Promise.reject(Object.assign(new Error('denied'), { code }));
    return Object.create(node.connection, {
      operatorService: { value: { listSearchAttributes: denied } },
      close: { value: async () => onClose() },
    }) as NativeConnection;
  };
  const newGateway = (): TemporalGateway =>
    new TemporalGateway({ namespace: 'default', taskQueue: 'none', eager: false }, node.parts.logger);

  it('is there where only operators may add search attributes', async () => {
    const gateway = newGateway();

    await gateway.connect(() => Promise.resolve(withoutOperator(7, () => undefined)));

    expect(await gateway.isReachable()).toBe(true);
  });

  it('is tried again where Temporal is not ready, and none is left open', async () => {
    const gateway = newGateway();
    let opened = 0;
    let closed = 0;

    await gateway.connect(async () => {
      opened += 1;
      return opened === 1 ? withoutOperator(14, () => (closed += 1)) : node.connection;
    });

    expect({ opened, closed }).toEqual({ opened: 2, closed: 1 });
    expect(await gateway.isReachable()).toBe(true);
  });
});

describe('two nodes', () => {
  it('tell each other when a command has ended: a duplicate waits at one while the other works', async () => {
    const tookMs: number[] = [];
    const aloneMs: number[] = [];
    for (const clientRequestId of ['a', 'b', 'c', 'd', 'e']) {
      const body = { payload: { name: 'Ada' }, clientRequestId };
      const startedAt = Date.now();
      const answers = await Promise.all([
        send('crm:create_lead', body),
        execute(user.token, 'crm:create_lead', body), // the node that all tests share
      ]);
      tookMs.push(Date.now() - startedAt);
      const aloneAt = Date.now();
      await send('crm:create_lead', { ...body, clientRequestId: `${clientRequestId} alone` });
      aloneMs.push(Date.now() - aloneAt);

      expect(answers.map(({ body: { code } }) => code).sort()).toEqual(['0', 'IDEMPOTENT_REPLAY']);
      expect(new Set(answers.map(({ body: { data } }) => data.pid)).size).toBe(1);
    }
    // By the call, not by looking into the row once a second, which would make each of them as long.
    expect(Math.min(...tookMs)).toBeLessThan(Math.min(...aloneMs) + 900);
  });
});
