import { text } from '../../foundation/i18n/text.ts';
import { ApplicationError } from '../../foundation/errors/application-error.ts';
import type { RedisStore } from '../../foundation/redis/redis-store.ts';

/**
 * Acquires or renews a lease. KEYS: the user's leases, each with the time of its end. ARGV: lease, its
 * milliseconds, maximum number of leases. Returns 0, or the milliseconds until one ends.
 */
const ACQUIRE_OR_RENEW = `local clock = redis.call('time')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
redis.call('zremrangebyscore', KEYS[1], '-inf', now)
if not redis.call('zscore', KEYS[1], ARGV[1]) and redis.call('zcard', KEYS[1]) >= tonumber(ARGV[3]) then
  return redis.call('zrange', KEYS[1], 0, 0, 'WITHSCORES')[2] - now
end
redis.call('zadd', KEYS[1], now + ARGV[2], ARGV[1])
redis.call('pexpire', KEYS[1], ARGV[2])
return 0`;

const leasesKey = (userPid: string): string => `keelson:streams-of:${userPid}`;

/**
 * Limits a user's open streams over all nodes. Each has a lease that its node renews; leases of a dead node
 * expire.
 */
export class StreamLeases {
  readonly #store: RedisStore;
  readonly #maxPerUser: number;
  readonly #leaseMs: number;

  constructor(store: RedisStore, maxPerUser: number, leaseMs: number) {
    this.#store = store;
    this.#maxPerUser = maxPerUser;
    this.#leaseMs = leaseMs;
  }

  /** @throws RATE_LIMITED with the time until a lease may end; SERVICE_UNAVAILABLE */
  async acquire(userPid: string, lease: string): Promise<void> {
    const waitMs = await this.#acquireOrRenew(userPid, lease, this.#maxPerUser);
    if (waitMs === 0) return;
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
    throw new ApplicationError('RATE_LIMITED', {
      message: text('A user may have {max} streams open', { max: this.#maxPerUser }),
      data: { limit: this.#maxPerUser, retryAfterSeconds },
      retryAfterSeconds,
    });
  }

  /** Renews a lease, even if it expired while Redis was away. */
  async renew(userPid: string, lease: string): Promise<void> {
    await this.#acquireOrRenew(userPid, lease, Number.MAX_SAFE_INTEGER);
  }

  async release(userPid: string, lease: string): Promise<void> {
    await this.#store.pipeline([['zrem', leasesKey(userPid), lease]]);
  }

  async #acquireOrRenew(userPid: string, lease: string, max: number): Promise<number> {
    const [waitMs] = await this.#store.pipeline([
      ['eval', ACQUIRE_OR_RENEW, 1, leasesKey(userPid), lease, this.#leaseMs, max],
    ]);
    return Number(waitMs);
  }
}
