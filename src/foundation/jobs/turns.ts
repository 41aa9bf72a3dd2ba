import { setImmediate } from 'node:timers/promises';
import { TURN_MS } from '../foundation.limits.ts';

/** When the work of this turn of the loop began; 0 where none has. */
let startedAt = 0;
const waiting: (() => void)[] = [];

/**
 * Does work that may hold the event loop for some milliseconds, such as an author's expression: now, or in a
 * later turn of the loop where enough of it has been done in this one. However many ask at once, requests are
 * answered in between.
 */
export async function inTurn<T>(work: () => T): Promise<Awaited<T>> {
  if (startedAt === 0) void takeTurns();
  else if (waiting.length > 0 || performance.now() - startedAt >= TURN_MS) {
    await new Promise<void>((begin) => waiting.push(begin));
  }
  return await work();
}

/** Yields to the event loop between parts of long work, once this turn has lasted long enough. */
export function letOthersRun(): Promise<void> {
  return inTurn(() => undefined);
}

/** Lets those who wait begin, in their order, as many in a turn of the loop as there is time for. */
async function takeTurns(): Promise<void> {
  startedAt = performance.now();
  for (await setImmediate(); waiting.length > 0; await setImmediate()) {
    startedAt = performance.now();
    do {
      waiting.shift()?.();
      await allThatFollows();
    } while (waiting.length > 0 && performance.now() - startedAt < TURN_MS);
  }
  startedAt = 0;
}

/**
 * Until what has been let begin waits for something itself: what it does after its work takes time as well.
 */
function allThatFollows(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
