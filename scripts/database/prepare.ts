import { createApplication } from '../../src/application.ts';
import type { Config } from '../../src/foundation/config/config.ts';
import { UserEntity } from '../../src/platform/auth/accounts/user.entity.ts';
import { bootstrapAdmin } from './bootstrap-admin.ts';
import { loadApplication } from './load-application.ts';
import { migrate } from './migrate.ts';

/**
 * Migrates, makes the first administrator if the configuration names one, and loads an application.
 * @param app the application's directory
 * @throws Failure with the file, line and column of each problem of the application
 */
export async function prepareDatabase(config: Config, app?: string): Promise<void> {
  const ran = await migrate(config);
  console.log(ran.length > 0 ? `migrated: ${ran.join(', ')}` : 'the database is up to date');
  const application = await createApplication(config);
  try {
    await application.store.connect();
    if (config.bootstrapAdmin) await bootstrapAdmin(application.orm, config.bootstrapAdmin);
    else if (app === undefined && (await application.orm.em.fork().count(UserEntity)) === 0) {
      console.log('there is no user yet: set BOOTSTRAP_ADMIN_EMAIL and BOOTSTRAP_ADMIN_PASSWORD, and run this again');
    }
    if (app !== undefined) console.log(await loadApplication(application, app));
  } finally {
    await application.close();
  }
}
