import { GROUP } from '../webhooks.limits.ts';

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
 * How quickly endpoints have answered this node of late. Forgetting it costs a little time, and nothing else.
 */
export class EndpointSpeeds {
  /** By subscription, in milliseconds. */
  readonly #durations = new Map<string, number>();
  #taken = 0;

  /** Notes how long an endpoint took, whatever it answered. */
  observe(subscriptionPid: string, durationMs: number): void {
    this.#durations.delete(subscriptionPid);
    this.#durations.set(subscriptionPid, durationMs);
    if (this.#durations.size <= MAX_KNOWN) return;
    const [oldest] = this.#durations.keys();
    if (oldest !== undefined) this.#durations.delete(oldest);
  }

  /** Whether the last attempt took longer than a group waits. */
  isSlow(subscriptionPid: string): boolean {
    return (this.#durations.get(subscriptionPid) ?? 0) >= GROUP.waitMs;
  }

  /**
   * Takes a place to wait for a quick endpoint. @returns what gives it back; null when it is not quick, or no
   * place is free
   */
  takePlace(subscriptionPid: string): (() => void) | null {
    const isQuick = (this.#durations.get(subscriptionPid) ?? Infinity) <= QUICK_MS;
    if (this.#taken >= PLACES || !isQuick) return null;
    this.#taken += 1;
    return () => {
      this.#taken -= 1;
    };
  }
}
