import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { NativeConnection, Runtime, Worker } from '@temporalio/worker';
import type { Application } from './application.ts';
import { listen, type HttpServer } from './foundation/http/server.ts';
import { workflowBundle } from './foundation/temporal/workflow-bundle.ts';

/** An application at work in its roles. */
export interface RunningNode {
  /** Where it serves the API; null without the role `api`. */
  readonly port: number | null;
  /** Resolves when its worker cannot go on: such a node is to be stopped. */
  readonly failed: Promise<void>;
  /**
   * Readiness goes DOWN first, streams are sent elsewhere, running requests and tasks finish, then the
   * connections close.
   */
  stop(): Promise<void>;
}

/**
 * Opens the application, serves the API and, in the background, begins to work for Temporal.
 * @throws the listen error (EADDRINUSE and the like), and what opening the application throws
 */
export async function startNode(application: Application): Promise<RunningNode> {
  const { config, logger, app, managementApp } = application;
  await application.open();
  const server = config.roles.has('api') ? await listen(app, config.port) : null;
  if (server) logger.info({ port: server.port }, 'api listening');
  const management =
    managementApp && config.managementPort !== null ? await listen(managementApp, config.managementPort) : null;
  if (management) logger.info({ port: management.port }, 'management listening');
  const worker = runTemporal(application);
  return {
    port: server?.port ?? null,
    failed: worker.failed,
    async stop() {
      await stop(application, server, worker);
      await management?.stop(0);
    },
  };
}

interface RunningWorker {
  /** Resolves when it cannot go on. */
  readonly failed: Promise<void>;
  /** Ends when the worker has finished its tasks. */
  stop(): Promise<void>;
}

/** Connects to Temporal in the background and, in the worker role, works for it from then on. */
function runTemporal(application: Application): RunningWorker {
  const { config, logger, temporal, jobs, upkeep } = application;
  let worker: Worker | null = null;
  let connection: NativeConnection | null = null;
  let isStopping = false;
  const { promise: failed, resolve: fail } = Promise.withResolvers<void>();
  const { address, namespace } = config.temporal;
  const running = (async () => {
    connection = await temporal.connect(() => NativeConnection.connect({ address }));
    if (!connection || isStopping) return;
    await upkeep.requireOwnTaskQueue();
    if (isStopping || !config.roles.has('worker')) return;
    // The heap of the workflow thread stays small; that of this thread is as it was started.
    setFlagsFromString('--max-semi-space-size=4');
    worker = await createWorker(namespace, connection, application);
    const run = worker.run();
    if (isStopping) worker.shutdown();
    else {
      for (const job of jobs) job.start();
      logger.info('worker polling');
    }
    await run;
  })().catch((error: unknown) => {
    // Temporal gives what the grace time was too short for to another worker.
    if (isStopping) return logger.warn({ err: error }, 'the worker gave up unfinished tasks');
    logger.fatal({ err: error }, 'the worker failed');
    fail();
  });
  return {
    failed,
    async stop() {
      isStopping = true;
      temporal.close();
      await Promise.all(jobs.map(async (job) => job.stop()));
      if (worker?.getState() === 'RUNNING') worker.shutdown();
      // A connection that could not be had so far is not waited for.
      if (connection) await running;
      await Promise.race([application.finish(), sleep(config.shutdownGraceMs)]);
      await connection?.close();
    },
  };
}

/**
 * Workflows that stay in memory between their tasks; others are read from their histories. Temporal's own
 * default follows the heap limit, and grows into gigabytes.
 */
const MAX_CACHED_WORKFLOWS = 200;

/** Of all subscriptions together; each has 8 at most. */
const MAX_OUTBOUND_CALLS = 400;

async function createWorker(
  namespace: string,
  connection: NativeConnection,
  { config, temporal, activities }: Application,
): Promise<Worker> {
  return Worker.create({
    connection,
    namespace,
    taskQueue: temporal.taskQueue,
    workflowBundle: await workflowBundle(Runtime.instance().logger),
    activities,
    maxCachedWorkflows: MAX_CACHED_WORKFLOWS,
    // Activities are calls to other servers: they wait, and cost next to nothing meanwhile.
    maxConcurrentActivityTaskExecutions: MAX_OUTBOUND_CALLS,
    // A task for a worker that has died goes to another one after this long.
    stickyQueueScheduleToStartTimeout: '2 seconds',
    shutdownGraceTime: config.shutdownGraceMs,
    shutdownForceTime: config.shutdownGraceMs + 5_000,
  });
}

/**
 * How long a node in production goes on serving with readiness DOWN, so that load balancers notice; half the
 * grace at most.
 */
const NOTICE_MS = 5_000;
const CLOSE_TIMEOUT_MS = 2_000;

async function stop(application: Application, server: HttpServer | null, worker: RunningWorker): Promise<void> {
  const { production, shutdownGraceMs } = application.config;
  application.drain.draining = true;
  const noticeMs = server && production ? Math.min(NOTICE_MS, shutdownGraceMs / 2) : 0;
  await sleep(noticeMs);
  application.streams.stop();
  await server?.stop(shutdownGraceMs - noticeMs);
  await Promise.race([application.settle(), sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
  await worker.stop();
  await Promise.race([application.close(), sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
}
