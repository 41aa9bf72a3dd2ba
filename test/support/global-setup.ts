import type { BrowserServer } from 'playwright-core';
import { readConfig } from '../../src/foundation/config/config.ts';
import { createApplication } from '../../src/application.ts';
import { migrate } from '../../scripts/database/migrate.ts';
import { readDrafts } from '../../scripts/database/load-application.ts';
import { bundleProgram } from './bundled-program.ts';
import { makeTemplate } from './database.ts';
import { startBrowser } from './browser.ts';
import { startProgram, type Program } from './program.ts';

/** How long nodes wait for what they depend on. */
const WAITS = ['DATABASE_WAIT_MS', 'REDIS_WAIT_MS', 'TEMPORAL_WAIT_MS', 'COMMAND_WAIT_MS'];

/** What runs as long as the tests do. */
export interface TestRun {
  program?: Program;
  browser?: BrowserServer | undefined;
}

/**
 * Brings the test database up to date, publishes the demo's configuration in `dev` (tests make their own
 * tenants and users), and starts one node that the HTTP tests share.
 */
export default async function globalSetup() {
  process.env.NODE_ENV = 'test';
  // The receivers of webhooks stand on loopback.
  process.env.WEBHOOK_ALLOW_CIDRS ??= '127.0.0.0/8,::1/128';
  // Nobody answers there: no question of a test leaves the machine.
  process.env.WEBHOOK_DNS_SERVERS ??= '127.0.0.1:9';
  // All tests share one address, and some of them a user. Tests of the limits start nodes with the defaults.
  const limits = ['READS', 'WRITES', 'LOGINS', 'ACCOUNT_LOGINS', 'REFRESHES', 'REFUSED'];
  for (const name of limits) process.env[`RATE_LIMIT_${name}`] = '1000000';
  // A slow machine is no outage. Tests of outages start nodes with the defaults.
  for (const name of WAITS) process.env[name] ??= '60000';
  if (process.env.KEELSON_TEST_SERVICES === 'none') return;
  const beside = Promise.all([bundleProgram(), startBrowser()]);
  const config = readConfig({ ...process.env, LOG_LEVEL: 'warn' });
  await migrate(config);
  const application = await createApplication(config);
  try {
    await application.store.connect();
    await application.resources.save('dev', await readDrafts(), null);
  } finally {
    await application.close();
  }
  await makeTemplate(application.config.databaseUrl);
  const [bundle, browser] = await beside;
  process.env.KEELSON_TEST_PROGRAM = bundle;
  const program = await startProgram();
  process.env.KEELSON_TEST_URL = program.url;
  Object.assign(globalThis as TestRun, { program, browser });
}
