import { ConfigError, readConfig } from '../src/config/config.ts';
import { createContainer } from '../src/container.ts';
import { bootstrapAdmin } from './database/bootstrap-admin.ts';
import { loadDemo } from './database/load-demo.ts';

/**
 * Brings the database to the program's state: `node scripts/prepare-database.ts [--demo]`. Migrates, makes the first
 * administrator where the environment names one, and with --demo loads the demo application. Safe to repeat.
 */
async function prepare(): Promise<void> {
  const container = await createContainer(readConfig());
  try {
    const ran = await container.orm.migrator.up();
    console.log(ran.length > 0 ? `migrated: ${ran.map(({ name }) => name).join(', ')}` : 'the database is up to date');
    await container.store.connect();
    if (container.config.bootstrapAdmin) await bootstrapAdmin(container.orm, container.config.bootstrapAdmin);
    if (process.argv.includes('--demo')) console.log(await loadDemo(container));
  } finally {
    await container.close();
  }
}

prepare().catch((error: unknown) => {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exit(1);
});
