import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

/**
 * Asks for liveness over and over, in a thread that does nothing else, and tells how many milliseconds each
 * answer took; -1 for none.
 */
const EVERY_MS = 20;
const DEADLINE_MS = 10_000;

const { url } = workerData as { url: string };
for (;;) {
  const startedAt = performance.now();
  const isAlive = await fetch(`${url}/actuator/health/liveness`, { signal: AbortSignal.timeout(DEADLINE_MS) }).then(
    async (response) => (await response.text()) !== '' && response.ok,
    () => false,
  );
  parentPort?.postMessage(isAlive ? performance.now() - startedAt : -1);
  await sleep(EVERY_MS);
}
