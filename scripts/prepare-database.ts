import { parseArgs } from 'node:util';
import { ConfigError, readConfig } from '../src/foundation/config/config.ts';
import { isPrepared } from './database/is-prepared.ts';
import { Failure } from '../cli/outcome.mjs';

/**
 * Brings the database to the program's state: `node scripts/prepare-database.ts [--app <directory>]`.
 * Migrates, makes the first administrator if the environment names one, and with --app loads an application.
 * Safe to repeat.
 */
async function prepare(): Promise<void> {
  const { app } = parseArgs({ options: { app: { type: 'string' } } }).values;
  const config = readConfig();
  if (await isPrepared(config, app)) return console.log('the database is up to date');
  const { prepareDatabase } = await import('./database/prepare.ts');
  await prepareDatabase(config, app);
}

prepare().catch((error: unknown) => {
  const isPlain =
    error instanceof ConfigError ||
    error instanceof Failure ||
    (error as { code?: unknown }).code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION';
  console.error(isPlain ? (error as Error).message : error);
  process.exit(1);
});
