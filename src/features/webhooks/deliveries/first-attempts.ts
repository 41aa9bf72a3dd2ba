/** Tells those who wait of the ends of attempts in this process. */
export class FirstAttempts {
  readonly #waiting = new Map<string, () => void>();

  /** Resolves when the attempt ends in this process; after `timeoutMs` at the latest. */
  async wait(deliveryPid: string, timeoutMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, timeoutMs);
    this.#waiting.set(deliveryPid, resolve);
    await promise;
    clearTimeout(timer);
    this.#waiting.delete(deliveryPid);
  }

  publishEnd(deliveryPid: string): void {
    this.#waiting.get(deliveryPid)?.();
  }
}
