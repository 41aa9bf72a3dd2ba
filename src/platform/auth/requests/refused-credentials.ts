import { LRUCache } from 'lru-cache';
import { ApplicationError } from '../../../foundation/errors/application-error.ts';
import { RATE_WINDOW_MS } from '../auth.limits.ts';

/** Addresses that are remembered, so that many of them cannot fill the memory. */
const MAX_ADDRESSES = 50_000;

/**
 * Credentials that were refused, by client address, in the memory of this node. An address with too many of
 * them is refused before any work is done for it: guessing must not cost Redis or Postgres anything.
 */
export class RefusedCredentials {
  readonly #perMinute: number;
  readonly #counts = new LRUCache<string, { refused: number }>({ max: MAX_ADDRESSES, ttl: RATE_WINDOW_MS });

  /** @param perMinute 0: no limit */
  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  count(network: string): void {
    const known = this.#counts.get(network);
    if (known) known.refused += 1;
    else this.#counts.set(network, { refused: 1 });
  }

  /** @throws RATE_LIMITED */
  requireFew(network: string): void {
    if (this.#perMinute === 0 || (this.#counts.get(network)?.refused ?? 0) < this.#perMinute) return;
    const retryAfterSeconds = Math.max(1, Math.ceil(this.#counts.getRemainingTTL(network) / 1000));
    throw new ApplicationError('RATE_LIMITED', { data: { retryAfterSeconds }, retryAfterSeconds });
  }
}
