import { readConfig } from '../../src/config/config.ts';
import { createContainer } from '../../src/container.ts';
import { readDrafts } from '../../scripts/database/load-demo.ts';
import { startProgram } from './program.ts';

/**
 * Brings the test database up to date, publishes the demo's configuration in `dev` (tests make their own tenants and
 * users), and starts one node that the HTTP tests share. Nothing of it is needed by unit tests alone.
 */
export default async function globalSetup(options: {
  projects?: unknown[];
  testPathPatterns?: { patterns: string[] };
}) {
  process.env.NODE_ENV = 'test';
  // The receivers of webhooks stand on loopback.
  process.env.WEBHOOK_ALLOW_CIDRS ??= '127.0.0.0/8,::1/128';
  // Nobody answers there: no question of a test leaves the machine.
  process.env.WEBHOOK_DNS_SERVERS ??= '127.0.0.1:9';
  // All tests share one address, and some of them a user. Tests of the limits start nodes with the defaults.
  for (const name of ['READS', 'WRITES', 'LOGINS', 'ACCOUNT_LOGINS']) process.env[`RATE_LIMIT_${name}`] = '1000000';
  const patterns = options.testPathPatterns?.patterns ?? [];
  if (patterns.length > 0 && patterns.every((pattern) => pattern.includes('test/unit'))) return;
  const container = await createContainer(readConfig({ ...process.env, LOG_LEVEL: 'warn' }));
  try {
    await container.orm.migrator.up();
    await container.store.connect();
    await container.resources.save('dev', await readDrafts(), null);
  } finally {
    await container.close();
  }
  const program = await startProgram();
  process.env.KEELSON_TEST_URL = program.url;
  (globalThis as { keelsonProgram?: typeof program }).keelsonProgram = program;
}
