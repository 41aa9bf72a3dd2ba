import { ApplicationError } from '../errors/application-error.ts';
import type { SharedStore } from '../redis/redis.ts';

/**
 * Takes or renews a place, if it is held or there is one free. KEYS: the user's places, each with the time its lease
 * ends. ARGV: the place, milliseconds of the lease, how many there are. Gives 0, or the milliseconds until one is free.
 */
const HOLD = `local clock = redis.call('time')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
redis.call('zremrangebyscore', KEYS[1], '-inf', now)
if not redis.call('zscore', KEYS[1], ARGV[1]) and redis.call('zcard', KEYS[1]) >= tonumber(ARGV[3]) then
  return redis.call('zrange', KEYS[1], 0, 0, 'WITHSCORES')[2] - now
end
redis.call('zadd', KEYS[1], now + ARGV[2], ARGV[1])
redis.call('pexpire', KEYS[1], ARGV[2])
return 0`;

const slotsKey = (userPid: string): string => `keelson:streams-of:${userPid}`;

/**
 * The places of a user's open streams, over all nodes. Each is a lease that its node renews: those of a node that has
 * died come free by themselves.
 */
export class StreamSlots {
  readonly #store: SharedStore;
  readonly #maxPerUser: number;
  readonly #leaseMs: number;

  constructor(store: SharedStore, maxPerUser: number, leaseMs: number) {
    this.#store = store;
    this.#maxPerUser = maxPerUser;
    this.#leaseMs = leaseMs;
  }

  /** @throws RATE_LIMITED with the time until a lease may run out; SERVICE_UNAVAILABLE */
  async take(userPid: string, slot: string): Promise<void> {
    const waitMs = await this.#hold(userPid, slot, this.#maxPerUser);
    if (waitMs === 0) return;
    throw new ApplicationError('RATE_LIMITED', {
      message: `A user may have ${this.#maxPerUser} streams open`,
      data: { limit: this.#maxPerUser },
      retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
    });
  }

  /** Keeps a place, also where the lease ran out while Redis was away. */
  async renew(userPid: string, slot: string): Promise<void> {
    await this.#hold(userPid, slot, Number.MAX_SAFE_INTEGER);
  }

  async release(userPid: string, slot: string): Promise<void> {
    await this.#store.together([['zrem', slotsKey(userPid), slot]]);
  }

  async #hold(userPid: string, slot: string, max: number): Promise<number> {
    const [waitMs] = await this.#store.together([['eval', HOLD, 1, slotsKey(userPid), slot, this.#leaseMs, max]]);
    return Number(waitMs);
  }
}
