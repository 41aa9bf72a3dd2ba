/**
 * Work that is looked for again and again, for as long as a worker lives: what a lost call or a dead process has left.
 * The next round begins a while after the last one has ended.
 */
export class Rounds {
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
