import { setImmediate } from 'node:timers/promises';

const PAUSE_EVERY_MS = 10;

/** Lets others run between the parts of work that would hold the event loop. */
export class Breather {
  #busySinceMs = performance.now();

  async pause(): Promise<void> {
    if (performance.now() - this.#busySinceMs < PAUSE_EVERY_MS) return;
    await setImmediate();
    this.#busySinceMs = performance.now();
  }
}
