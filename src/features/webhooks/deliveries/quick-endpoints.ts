/**
 * An endpoint is quick when it answered its last POST within this time; more than this is never waited for at
 * once.
 */
export const QUICK_MS = 100;
/**
 * Workflow tasks that may wait for endpoints at once, of the 40 and more that a worker has: commands need the
 * others.
 */
const PLACES = 16;
const MAX_KNOWN = 10_000;

/**
 * Which subscriptions' endpoints have answered this node quickly. Forgetting it costs a little time, and
 * nothing else.
 */
export class QuickEndpoints {
  readonly #quick = new Set<string>();
  #taken = 0;

  /** Notes how long an endpoint took, whatever it answered. */
  observe(subscriptionPid: string, durationMs: number): void {
    this.#quick.delete(subscriptionPid);
    if (durationMs > QUICK_MS) return;
    this.#quick.add(subscriptionPid);
    if (this.#quick.size <= MAX_KNOWN) return;
    const [oldest] = this.#quick;
    if (oldest !== undefined) this.#quick.delete(oldest);
  }

  /**
   * Takes a place to wait for a quick endpoint. @returns what gives it back; null when it is not quick, or no
   * place is free
   */
  takePlace(subscriptionPid: string): (() => void) | null {
    if (this.#taken >= PLACES || !this.#quick.has(subscriptionPid)) return null;
    this.#taken += 1;
    return () => {
      this.#taken -= 1;
    };
  }
}
