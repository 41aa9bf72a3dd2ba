import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dropDatabase, onServer, templateOf } from './database.ts';
import type { TestRun } from './global-setup.ts';

/**
 * Stops the programs that tests share, and keeps the log of the one that all of them do for the analysis of a
 * failure.
 */
export default async function globalTeardown() {
  const { program, pool } = globalThis as TestRun;
  if (!program || !pool) return;
  await Promise.all([program.stop(), pool.stop()]);
  const { DATABASE_URL = '' } = process.env;
  await onServer(DATABASE_URL, dropDatabase(templateOf(DATABASE_URL)));
  writeFileSync(join(tmpdir(), 'keelson-test-program.log'), program.logs());
}
