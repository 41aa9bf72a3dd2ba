import { parseArgs } from 'node:util';
import { UserEntity } from '../src/platform/auth/accounts/user.entity.ts';
import { ConfigError, readConfig } from '../src/foundation/config/config.ts';
import { createApplication } from '../src/application.ts';
import { migrate } from './database/migrate.ts';
import { bootstrapAdmin } from './database/bootstrap-admin.ts';
import { loadApplication } from './database/load-application.ts';
import { Failure } from '../cli/outcome.mjs';

/**
 * Brings the database to the program's state: `node scripts/prepare-database.ts [--app <directory>]`.
 * Migrates, makes the first administrator if the environment names one, and with --app loads an application.
 * Safe to repeat.
 */
async function prepare(): Promise<void> {
  const { app } = parseArgs({ options: { app: { type: 'string' } } }).values;
  const ran = await migrate(readConfig());
  console.log(ran.length > 0 ? `migrated: ${ran.join(', ')}` : 'the database is up to date');
  const application = await createApplication(readConfig());
  try {
    await application.store.connect();
    if (application.config.bootstrapAdmin) await bootstrapAdmin(application.orm, application.config.bootstrapAdmin);
    else if (app === undefined && (await application.orm.em.fork().count(UserEntity)) === 0) {
      console.log('there is no user yet: set BOOTSTRAP_ADMIN_EMAIL and BOOTSTRAP_ADMIN_PASSWORD, and run this again');
    }
    if (app !== undefined) console.log(await loadApplication(application, app));
  } finally {
    await application.close();
  }
}

prepare().catch((error: unknown) => {
  const isPlain =
    error instanceof ConfigError ||
    error instanceof Failure ||
    (error as { code?: unknown }).code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION';
  console.error(isPlain ? (error as Error).message : error);
  process.exit(1);
});
