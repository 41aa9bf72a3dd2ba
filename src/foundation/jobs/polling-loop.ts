/** Polling loop: runs `round`, then waits `everyMs`, until stopped. */
export class PollingLoop {
  readonly #everyMs: number;
  readonly #round: () => Promise<void>;
  #timer: NodeJS.Timeout | null = null;
  #stopped = false;

  /** @param round must not throw */
  constructor(everyMs: number, round: () => Promise<void>) {
    this.#everyMs = everyMs;
    this.#round = round;
  }

  start(): void {
    const again = (): void => {
      if (!this.#stopped) this.#timer = setTimeout(() => void this.#round().finally(again), this.#everyMs);
    };
    again();
  }

  stop(): void {
    this.#stopped = true;
    if (this.#timer) clearTimeout(this.#timer);
  }
}
