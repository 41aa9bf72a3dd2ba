import { Runtime } from '@temporalio/worker';
import { ConfigError, readConfig } from './foundation/config/config.ts';
import { createApplication } from './application.ts';
import { translate } from './foundation/database/failures.ts';
import { ApplicationError } from './foundation/errors/application-error.ts';
import { temporalLogger } from './foundation/logging/temporal-logger.ts';
import { startNode } from './node.ts';

/** Entry of the program: configuration -> application -> roles, until a signal asks it to stop. */
async function main(): Promise<void> {
  const application = await createApplication(readConfig());
  const { logger } = application;
  Runtime.install({ logger: temporalLogger(logger), shutdownSignals: [] });
  const signalled = new Promise<string>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve(signal));
  });

  application.metrics.collectDefaults();
  const node = await startNode(application);

  const signal = await Promise.race([signalled, node.failed]);
  if (!signal) process.exitCode = 1;
  logger.info({ signal }, 'stopping');
  await node.stop();
  logger.info('stopped');
  // What is left (an attempt to connect, a statement without a reader) must not keep the process alive.
  process.exit();
}

main().catch((error: unknown) => {
  // A wrong configuration or an unreachable server is the operator's to mend; anything else is a fault with
  // its stack.
  const known = translate(error);
  console.error(known instanceof ConfigError || known instanceof ApplicationError ? known.message : error);
  process.exit(1);
});
