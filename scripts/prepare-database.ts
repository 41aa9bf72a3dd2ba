import { parseArgs } from 'node:util';
import { UserEntity } from '../src/platform/auth/accounts/user.entity.ts';
import { ConfigError, readConfig } from '../src/foundation/config/config.ts';
import { createApplication } from '../src/application.ts';
import { migrate } from './database/migrate.ts';
import { bootstrapAdmin } from './database/bootstrap-admin.ts';
import { loadDemo } from './database/load-demo.ts';

/**
 * Brings the database to the program's state: `node scripts/prepare-database.ts [--demo]`. Migrates, makes
 * the first administrator if the environment names one, and with --demo loads the demo application. Safe
 * to repeat.
 */
async function prepare(): Promise<void> {
  const { demo } = parseArgs({ options: { demo: { type: 'boolean' } } }).values;
  const ran = await migrate(readConfig());
  console.log(ran.length > 0 ? `migrated: ${ran.join(', ')}` : 'the database is up to date');
  const application = await createApplication(readConfig());
  try {
    await application.store.connect();
    if (application.config.bootstrapAdmin) await bootstrapAdmin(application.orm, application.config.bootstrapAdmin);
    else if (!demo && (await application.orm.em.fork().count(UserEntity)) === 0) {
      console.log('there is no user yet: set BOOTSTRAP_ADMIN_EMAIL and BOOTSTRAP_ADMIN_PASSWORD, and run this again');
    }
    if (demo) console.log(await loadDemo(application));
  } finally {
    await application.close();
  }
}

prepare().catch((error: unknown) => {
  const isPlain =
    error instanceof ConfigError || (error as { code?: unknown }).code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION';
  console.error(isPlain ? (error as Error).message : error);
  process.exit(1);
});
