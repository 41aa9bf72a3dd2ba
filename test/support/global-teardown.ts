import type { Program } from './program.ts';

export default async function globalTeardown() {
  await (globalThis as { keelsonProgram?: Program }).keelsonProgram?.stop();
}
