import { LRUCache } from 'lru-cache';
import { ApplicationError } from '../../../foundation/errors/application-error.ts';
import { MAX_REFUSALS_PER_SECOND, RATE_WINDOW_MS } from '../auth.limits.ts';

/** Addresses that are remembered, so that many of them cannot fill the memory. */
const MAX_ADDRESSES = 50_000;

/**
 * Credentials that were refused, by client address and altogether, in the memory of this node. An address
 * with too many of them is refused before any work is done for it, and so are all addresses in a second with
 * too many: guessing must cost Redis and Postgres nothing.
 */
export class RefusedCredentials {
  readonly #perMinute: number;
  readonly #ofAddresses = new LRUCache<string, { refused: number }>({ max: MAX_ADDRESSES, ttl: RATE_WINDOW_MS });
  #ofAll = { second: 0, refused: 0 };

  /** @param perMinute of one address; 0: no limit at all */
  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  count(network: string): void {
    const known = this.#ofAddresses.get(network);
    if (known) known.refused += 1;
    else this.#ofAddresses.set(network, { refused: 1 });
    if (this.#ofAll.second !== thisSecond()) this.#ofAll = { second: thisSecond(), refused: 0 };
    this.#ofAll.refused += 1;
  }

  /** @throws RATE_LIMITED */
  requireFew(network: string): void {
    if (this.#perMinute === 0) return;
    if ((this.#ofAddresses.get(network)?.refused ?? 0) >= this.#perMinute) {
      throw limited(Math.max(1, Math.ceil(this.#ofAddresses.getRemainingTTL(network) / 1000)));
    }
    const { second, refused } = this.#ofAll;
    if (refused >= MAX_REFUSALS_PER_SECOND && second === thisSecond()) throw limited(1);
  }
}

function thisSecond(): number {
  return Math.floor(Date.now() / 1000);
}

function limited(retryAfterSeconds: number): ApplicationError {
  return new ApplicationError('RATE_LIMITED', { data: { retryAfterSeconds }, retryAfterSeconds });
}
