import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dropDatabase, onServer, templateOf } from './database.ts';
import type { TestRun } from './global-setup.ts';

/**
 * Stops the program that tests share, and keeps its log for the analysis of a failure.
 */
export default async function globalTeardown() {
  const { program, browser } = globalThis as TestRun;
  await browser?.close();
  if (!program) return;
  await program.stop();
  const { DATABASE_URL = '' } = process.env;
  await onServer(DATABASE_URL, dropDatabase(templateOf(DATABASE_URL)));
  writeFileSync(join(tmpdir(), 'keelson-test-program.log'), program.logs());
}
