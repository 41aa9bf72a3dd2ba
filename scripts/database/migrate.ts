import { createApplication } from '../../src/application.ts';
import type { Config } from '../../src/foundation/config/config.ts';

/**
 * Runs the migrations that the database lacks. The program of the caller is made afterwards: an
 * installation's id, which Redis keys carry, is known only then.
 * @returns their names
 */
export async function migrate(config: Config): Promise<string[]> {
  const application = await createApplication(config);
  try {
    return (await application.orm.migrator.up()).map(({ name }) => name);
  } finally {
    await application.close();
  }
}
