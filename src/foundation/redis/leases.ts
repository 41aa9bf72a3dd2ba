import { ApplicationError } from '../errors/application-error.ts';
import type { Message } from '../i18n/text.ts';
import type { RedisStore } from './redis-store.ts';

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

/** What a user has a limited number of at a time. */
export interface LeaseSettings {
  /** A word for the key in Redis. */
  readonly kind: string;
  readonly maxPerUser: number;
  /** Its node renews a lease more often than this. */
  readonly leaseMs: number;
  /** Says that there are too many. */
  readonly refusal: Message;
}

/**
 * Limits what a user has open over all nodes. Each has a lease that its node renews; leases of a dead node
 * expire.
 */
export class Leases {
  readonly #store: RedisStore;
  readonly #settings: LeaseSettings;

  constructor(store: RedisStore, settings: LeaseSettings) {
    this.#store = store;
    this.#settings = settings;
  }

  /** @throws RATE_LIMITED with the time until a lease may end; SERVICE_UNAVAILABLE */
  async acquire(userPid: string, lease: string): Promise<void> {
    const { maxPerUser, refusal } = this.#settings;
    const waitMs = await this.#acquireOrRenew(userPid, lease, maxPerUser);
    if (waitMs === 0) return;
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
    const data = { limit: maxPerUser, retryAfterSeconds };
    throw new ApplicationError('RATE_LIMITED', { message: refusal, data, retryAfterSeconds });
  }

  /** Renews a lease, even if it expired while Redis was away. */
  async renew(userPid: string, lease: string): Promise<void> {
    await this.#acquireOrRenew(userPid, lease, Number.MAX_SAFE_INTEGER);
  }

  async release(userPid: string, lease: string): Promise<void> {
    await this.#store.pipeline([['zrem', this.#keyOf(userPid), lease]]);
  }

  #keyOf(userPid: string): string {
    return `keelson:${this.#settings.kind}-of:${userPid}`;
  }

  async #acquireOrRenew(userPid: string, lease: string, max: number): Promise<number> {
    const [waitMs] = await this.#store.pipeline([
      ['eval', ACQUIRE_OR_RENEW, 1, this.#keyOf(userPid), lease, this.#settings.leaseMs, max],
    ]);
    return Number(waitMs);
  }
}
