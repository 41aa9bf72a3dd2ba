import { setTimeout as sleep } from 'node:timers/promises';

const PROBE_EVERY_MS = 500;

/** Circuit breaker: opens on the first timeout; a background probe closes it. */
export class CircuitBreaker {
  readonly #probe: () => Promise<boolean>;
  #probing = false;
  #closed = false;
  #firstProbe: Promise<boolean> = Promise.resolve(true);

  /** @param probe whether the server answers; must not throw, and must have a time limit */
  constructor(probe: () => Promise<boolean>) {
    this.#probe = probe;
  }

  get isOpen(): boolean {
    return this.#probing;
  }

  open(): void {
    if (!this.#probing && !this.#closed) void this.#probeUntilUp();
  }

  /** Whether it is closed, or closes with the first probe: the server was only slow. */
  async isClosedByFirstProbe(): Promise<boolean> {
    await this.#firstProbe;
    return !this.#probing;
  }

  close(): void {
    this.#closed = true;
  }

  async #probeUntilUp(): Promise<void> {
    this.#probing = true;
    // The first probe is immediate, so that a server that was only slow is used again at once.
    this.#firstProbe = this.#probe();
    let isUp = await this.#firstProbe;
    while (!this.#closed && !isUp) {
      await sleep(PROBE_EVERY_MS, undefined, { ref: false });
      isUp = await this.#probe();
    }
    this.#probing = false;
  }
}
