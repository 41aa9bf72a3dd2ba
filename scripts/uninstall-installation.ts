import { parseArgs } from 'node:util';
import { isAgreed } from '../cli/standard-input.mjs';
import { Failure, UsageError } from '../cli/outcome.mjs';
import { ConfigError, readConfig } from '../src/foundation/config/config.ts';
import { DatabasePart } from './uninstall/database-part.ts';
import { RedisPart } from './uninstall/redis-part.ts';
import { storedFiles } from './uninstall/stored-files.ts';
import { TemporalPart } from './uninstall/temporal-part.ts';

/**
 * Removes the installation that the environment names:
 * `node scripts/uninstall-installation.ts [--yes] [--dry-run]`.
 * Shows what goes, and asks. What belongs to another installation on the same servers stays. May be repeated:
 * the database, which knows whose the rest is, goes last.
 */
async function uninstall(): Promise<number> {
  const { yes, 'dry-run': isDry } = parseArgs({
    options: { yes: { type: 'boolean' }, 'dry-run': { type: 'boolean' } },
  }).values;
  const config = readConfig();
  const database = new DatabasePart(config.databaseUrl);
  const id = await database.installationId();
  if (id === null) {
    console.log(`${database.name} has no installation: there is nothing to remove`);
    return 0;
  }
  await database.requireDroppable();
  const counts = await database.counts();
  const temporal = await TemporalPart.connect(config, id, await database.taskQueues());
  const redis = new RedisPart(config.redisUrl, id);
  try {
    const files = await storedFiles(config, database);
    const parts = [
      ...counts,
      ...(await temporal.counts()),
      ['keys in Redis', await redis.count()] as const,
      files.count,
    ];
    console.log(`The installation ${id} in the database ${database.name}:`);
    for (const [name, count] of parts) console.log(`  ${name}: ${count}`);
    console.log('All of it is removed, the database included. The servers stay, and what others have on them.');
    if (isDry) return 0;
    if (!(await isAgreed(`Remove the installation ${id} with the database ${database.name}?`, { yes }))) return 1;
    await temporal.remove();
    await redis.remove();
    await files.remove();
    await database.drop();
    console.log(`The installation ${id} is removed`);
    return 0;
  } finally {
    temporal.close();
    redis.close();
  }
}

uninstall().then(
  (code) => process.exit(code),
  (error: unknown) => {
    const isPlain =
      error instanceof ConfigError ||
      error instanceof Failure ||
      error instanceof UsageError ||
      String((error as { code?: unknown }).code).startsWith('ERR_PARSE_ARGS');
    console.error(isPlain ? (error as Error).message : error);
    process.exit(error instanceof UsageError ? 2 : 1);
  },
);
