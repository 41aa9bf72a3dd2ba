/** Deterministic random numbers (mulberry32). */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** At least 0, less than 1. */
  share(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  int(min: number, max: number): number {
    return min + Math.floor(this.share() * (max - min + 1));
  }

  /** Between min and max, small values as likely as large ones on a logarithmic scale. */
  scale(min: number, max: number): number {
    return min * (max / min) ** this.share();
  }

  pick<T>(list: readonly T[]): T {
    return list[this.int(0, list.length - 1)]!;
  }

  maybe<T>(probability: number, value: T): T | null {
    return this.share() < probability ? value : null;
  }
}
