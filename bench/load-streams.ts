import { readConfig } from '../src/foundation/config/config.ts';
import { createApplication } from '../src/application.ts';
import { createUser } from './bench-user.ts';

/**
 * Prepares an empty database for the measurement of streams: migrations, and a user who may read promotions.
 */
const application = await createApplication(readConfig());
const { orm } = application;
await orm.migrator.up();
await createUser(orm.em.fork(), ['PLATFORM_ADMIN']);
await application.close();
