import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

const LISTEN_MS = 1_000;

/**
 * The share of all cores (0 to 1) in use between measurements: idle servers take a few hundredths, other work
 * the rest.
 */
export async function busyShare(): Promise<number> {
  const before = coreTimes();
  await sleep(LISTEN_MS);
  const after = coreTimes();
  return 1 - (after.idle - before.idle) / (after.all - before.all);
}

function coreTimes(): { idle: number; all: number } {
  const times = cpus().map((core) => core.times);
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  return { idle: sum(times.map(({ idle }) => idle)), all: sum(times.flatMap((of) => Object.values(of))) };
}
