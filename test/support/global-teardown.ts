import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Program } from './program.ts';

/** Stops the shared node and leaves its log where somebody who looks into a failure can find it. */
export default async function globalTeardown() {
  const program = (globalThis as { keelsonProgram?: Program }).keelsonProgram;
  if (!program) return;
  await program.stop();
  writeFileSync(join(tmpdir(), 'keelson-test-program.log'), program.logs());
}
