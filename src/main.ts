import { fileURLToPath } from 'node:url';
import { NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { createActivities } from '../activities/index.ts';
import { ConfigError, readConfig, type Config } from './config/config.ts';
import { createContainer, type Container } from './container.ts';
import { translate } from './database/failures.ts';
import { ApplicationError } from './errors/application-error.ts';
import { listen, type HttpServer } from './http/server.ts';
import { temporalLogger } from './logging/temporal-logger.ts';

/** Entry of the program: configuration -> container -> roles, until a signal asks it to stop. */
async function main(): Promise<void> {
  const config = readConfig();
  const container = await createContainer(config);
  const { logger } = container;
  Runtime.install({ logger: temporalLogger(logger), shutdownSignals: [] });
  const stopped = new Promise<string>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve(signal));
  });

  await container.open();
  const server = config.roles.has('api') ? await listen(container.app, config.port) : null;
  if (server) logger.info({ port: server.port }, 'api listening');
  const worker = runTemporal(container);

  const signal = await stopped;
  logger.info({ signal }, 'stopping');
  await stop(container, server, worker);
  logger.info('stopped');
}

interface RunningWorker {
  /** Ends when the worker has finished its tasks. */
  stop(): Promise<void>;
}

/** Connects to Temporal in the background and, in the worker role, works for it from then on. */
function runTemporal(container: Container): RunningWorker {
  const { config, logger, temporal, sweeper } = container;
  let worker: Worker | null = null;
  let connection: NativeConnection | null = null;
  const { address, namespace } = config.temporal;
  const running = (async () => {
    connection = await temporal.connect(() => NativeConnection.connect({ address }));
    if (!connection || !config.roles.has('worker')) return;
    worker = await createWorker(config, namespace, connection, container);
    sweeper.start();
    logger.info('worker polling');
    await worker.run();
  })().catch((error: unknown) => {
    logger.fatal({ err: error }, 'the worker failed');
    process.exitCode = 1;
    process.kill(process.pid, 'SIGTERM');
  });
  return {
    async stop() {
      sweeper.stop();
      if (worker?.getState() === 'RUNNING') worker.shutdown();
      if (worker) await running;
      await connection?.close();
    },
  };
}

function createWorker(
  config: Config,
  namespace: string,
  connection: NativeConnection,
  container: Container,
): Promise<Worker> {
  return Worker.create({
    connection,
    namespace,
    taskQueue: config.temporal.taskQueue,
    workflowsPath: fileURLToPath(new URL('../workflows/index.ts', import.meta.url)),
    activities: createActivities(container),
    shutdownGraceTime: config.shutdownGraceMs,
    shutdownForceTime: config.shutdownGraceMs + 5_000,
  });
}

/** Readiness goes DOWN first, running requests and tasks finish, then the connections close. */
async function stop(container: Container, server: HttpServer | null, worker: RunningWorker): Promise<void> {
  container.drain.draining = true;
  await server?.stop(container.config.shutdownGraceMs);
  await worker.stop();
  await container.close();
}

main().catch((error: unknown) => {
  // A wrong configuration or an unreachable server is the operator's to mend; anything else is a fault with its stack.
  const known = translate(error);
  console.error(known instanceof ConfigError || known instanceof ApplicationError ? known.message : error);
  process.exit(1);
});
