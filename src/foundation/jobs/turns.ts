import { setImmediate } from 'node:timers/promises';
import { TURN_MS } from '../foundation.limits.ts';

let startedAt = 0;
let next: Promise<void> | null = null;

/**
 * Does work that may hold the event loop for some milliseconds, such as an author's expression: now, or in a
 * later turn of the loop where enough of it has been done in this one. However many ask at once, requests are
 * answered in between.
 */
export async function inTurn<T>(work: () => T): Promise<Awaited<T>> {
  while (next !== null && performance.now() - startedAt >= TURN_MS) await next;
  if (next === null) {
    startedAt = performance.now();
    next = setImmediate().then(() => {
      next = null;
    });
  }
  return await work();
}

/** Yields to the event loop between parts of long work, once this turn has lasted long enough. */
export function letOthersRun(): Promise<void> {
  return inTurn(() => undefined);
}
