import { setTimeout as sleep } from 'node:timers/promises';

/** From one probe to the next while the server is away. */
const PROBE_EVERY_MS = 500;

/**
 * A circuit breaker: the first request that waited for the server in vain opens it, and those that follow need not wait, too. No
 * request is sent ahead to find out whether it is over: probes without effects are, from then on until one succeeds.
 */
export class Outage {
  readonly #probe: () => Promise<boolean>;
  #probing = false;
  #closed = false;

  /** @param probe whether the server answers; must not throw, nor take for ever */
  constructor(probe: () => Promise<boolean>) {
    this.#probe = probe;
  }

  /** Whether the server is known to be away. */
  get isOn(): boolean {
    return this.#probing;
  }

  /** Somebody has waited in vain. */
  begin(): void {
    if (!this.#probing && !this.#closed) void this.#waitForEnd();
  }

  close(): void {
    this.#closed = true;
  }

  async #waitForEnd(): Promise<void> {
    this.#probing = true;
    // The first probe is at once: a server that was only slow is not lost for longer than that.
    while (!this.#closed && !(await this.#probe())) await sleep(PROBE_EVERY_MS, undefined, { ref: false });
    this.#probing = false;
  }
}
