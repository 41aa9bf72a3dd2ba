import { createHash } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import { ApplicationError } from '../../../foundation/errors/application-error.ts';
import type { Counter, Metrics } from '../../../foundation/metrics/metrics.ts';
import type { RedisCommand, RedisStore } from '../../../foundation/redis/redis-store.ts';
import { RATE_WINDOW_MS, MAX_REFUSALS_PER_SECOND } from '../auth.limits.ts';
import { LRUCache } from 'lru-cache';

/** Addresses that are remembered, so that many of them cannot fill the memory. */
const MAX_ADDRESSES = 50_000;

/**
 * Credentials that were refused, by client address and altogether, in the memory of this node. An address
 * with too many of them is refused before any work is done for it, and so are all addresses in a second with
 * too many: guessing must cost Redis and Postgres nothing. Credentials count from before the look-up until
 * they turn out to be good: else all of a burst would be looked up before the first is refused.
 */
export class RefusedCredentials {
  readonly #perMinute: number;
  readonly #ofAddresses = new LRUCache<string, { refused: number }>({ max: MAX_ADDRESSES, ttl: RATE_WINDOW_MS });
  #ofAll = { second: 0, refused: 0 };

  /** @param perMinute of one address; 0: no limit of its own */
  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  /** @returns takes it back */
  count(network: string): () => void {
    const ofAddress = this.#ofAddresses.get(network) ?? { refused: 0 };
    if (ofAddress.refused === 0) this.#ofAddresses.set(network, ofAddress);
    if (this.#ofAll.second !== thisSecond()) this.#ofAll = { second: thisSecond(), refused: 0 };
    const counters = [ofAddress, this.#ofAll];
    for (const counter of counters) counter.refused += 1;
    return () => {
      for (const counter of counters) counter.refused -= 1;
    };
  }

  /** @throws RATE_LIMITED */
  requireFew(network: string): void {
    const refused = this.#ofAddresses.get(network)?.refused ?? 0;
    if (this.#perMinute > 0 && refused >= this.#perMinute) {
      throw limited(Math.max(1, Math.ceil(this.#ofAddresses.getRemainingTTL(network) / 1000)));
    }
    if (this.#ofAll.refused >= MAX_REFUSALS_PER_SECOND && this.#ofAll.second === thisSecond()) throw limited(1);
  }
}

function thisSecond(): number {
  return Math.floor(Date.now() / 1000);
}

function limited(retryAfterSeconds: number): ApplicationError {
  return new ApplicationError('RATE_LIMITED', { data: { retryAfterSeconds }, retryAfterSeconds });
}

/** Requests per minute; 0 is no limit. */
interface RateLimitSettings {
  readonly reads: number;
  readonly writes: number;
  /** Per client address. */
  readonly logins: number;
  /** Per account, over all callers. */
  readonly accountLogins: number;
  /** Per client address. */
  readonly refreshes: number;
  /** Credentials that were refused, per client address and node. */
  readonly refused: number;
  /** Per channel of instant messages. */
  readonly im: number;
}

/**
 * What is counted together, per user and tenant. Spec: "Limits": `lists` are list and detail, `commands` is
 * command execution; all other routes have budgets of their own of the same sizes, so that they take nothing
 * from those.
 */
export type UserBudget = 'lists' | 'commands' | 'reads' | 'changes';
/** What is counted together without a user: per client address, and per account. */
export type ClientBudget = 'login' | 'refresh' | 'passwordReset';
type Budget = UserBudget | ClientBudget | `${ClientBudget}Account` | 'im';

/** What is left of a budget until its window ends. */
interface Allowance {
  readonly limit: number;
  readonly used: number;
  readonly resetSeconds: number;
}

/** Of an HTTP response, what limits need. */
export interface HeaderTarget {
  setHeader(name: string, value: string): unknown;
}

/**
 * Counts one request, on all nodes at once. KEYS: counter, and perhaps a session that must exist for the
 * request to count: a dead token must not be able to use up its owner's budget. ARGV: window,
 * and how much the request counts.
 */
const COUNT = `if KEYS[2] and redis.call('exists', KEYS[2]) == 0 then return {0, 0} end
local used = redis.call('incrby', KEYS[1], ARGV[2])
if used == tonumber(ARGV[2]) then redis.call('pexpire', KEYS[1], ARGV[1]) end
return {used, redis.call('pttl', KEYS[1])}`;

/** Who may ask how often. Spec: "Limits"; docs/decisions/0018. */
export class RateLimits {
  readonly #store: RedisStore;
  readonly #limits: Readonly<Record<Budget, number>>;
  readonly #refused: Counter<'budget'>;
  readonly #refusedCredentials: RefusedCredentials;

  constructor(store: RedisStore, settings: RateLimitSettings, metrics: Metrics) {
    const { reads, writes, logins, accountLogins, refreshes, refused, im } = settings;
    this.#store = store;
    this.#limits = {
      lists: reads,
      reads,
      commands: writes,
      changes: writes,
      login: logins,
      loginAccount: accountLogins,
      passwordReset: logins,
      passwordResetAccount: accountLogins,
      refresh: refreshes,
      refreshAccount: 0,
      im,
    };
    this.#refusedCredentials = new RefusedCredentials(refused);
    this.#refused = metrics.counter('rate_limited_total', 'Requests refused by a rate limit', ['budget']);
  }

  /** What a budget holds; 0: it has no limit. */
  perMinute(budget: UserBudget | ClientBudget): number {
    return this.#limits[budget];
  }

  /** The command that counts a user's request, for its one Redis round trip; none where there is no limit. */
  countCommands(budget: UserBudget | null, user: CountedUser, sessionKey: string): RedisCommand[] {
    if (budget === null || this.#limits[budget] === 0) return [];
    const keys = sessionKey === '' ? [] : [sessionKey];
    return [['eval', COUNT, 1 + keys.length, userKey(budget, user), ...keys, RATE_WINDOW_MS, 1]];
  }

  /**
   * @param reply to `countCommands`; undefined where there was none
   * @throws RATE_LIMITED
   */
  enforce(budget: UserBudget | null, reply: unknown, target: HeaderTarget | undefined): void {
    if (budget !== null && reply !== undefined) this.#enforce(budget, reply, target);
  }

  /**
   * Moves a request that named a foreign tenant to the user's own budget: else every invented tenant would
   * come with a budget of its own. @throws RATE_LIMITED
   */
  async recount(budget: UserBudget | null, from: CountedUser, to: CountedUser, target?: HeaderTarget): Promise<void> {
    const counts = this.countCommands(budget, to, '');
    if (budget === null || counts.length === 0) return;
    const [, reply] = await this.#store.pipeline([['del', userKey(budget, from)], ...counts]);
    this.#enforce(budget, reply, target);
  }

  /**
   * Counts the further items of a request that has been counted as one. It is not refused: a batch larger
   * than the budget could never pass. What comes after it is.
   * @returns the headers that say what is left
   */
  async countItems(budget: UserBudget, user: CountedUser, further: number): Promise<Record<string, string>> {
    if (this.#limits[budget] === 0 || further === 0) return {};
    const [reply] = await this.#store.pipeline([['eval', COUNT, 1, userKey(budget, user), RATE_WINDOW_MS, further]]);
    return headersOf(this.#allowance(budget, reply));
  }

  /**
   * Counts a request that has no user yet, by the client's address. The account it is about is counted after
   * it, with `admitAccount`: a caller that is refused here cannot use up the account's budget.
   * @throws RATE_LIMITED; SERVICE_UNAVAILABLE when it cannot be counted
   */
  async admitClient(budget: ClientBudget, address: string | undefined, target?: HeaderTarget): Promise<void> {
    await this.#admit(budget, clientNetwork(address), target);
  }

  /**
   * Counts a request about an account, known or not. What is left is only said when nothing is: the headers
   * tell of the client.
   * @throws RATE_LIMITED; SERVICE_UNAVAILABLE when it cannot be counted
   */
  async admitAccount(budget: ClientBudget, email: string, target?: HeaderTarget): Promise<void> {
    const account = createHash('sha256').update(email.toLowerCase()).digest('base64url');
    await this.#admit(`${budget}Account`, account, target);
  }

  /**
   * Counts credentials that this node does not know, before the work for them.
   * @returns takes it back: they are good, or it cannot be known
   * @throws RATE_LIMITED
   */
  admitUnknownCredentials(address: string | undefined): () => void {
    const network = clientNetwork(address);
    this.#refusedCredentials.requireFew(network);
    return this.#refusedCredentials.count(network);
  }

  /** Counts credentials that were refused. */
  countRefusal(address: string | undefined): void {
    this.#refusedCredentials.count(clientNetwork(address));
  }

  /** Counts a message of a channel. @throws RATE_LIMITED; SERVICE_UNAVAILABLE when it cannot be counted */
  async admitChannel(bindingPid: string, target?: HeaderTarget): Promise<void> {
    await this.#admit('im', bindingPid, target);
  }

  async #admit(budget: Budget, who: string, target: HeaderTarget | undefined): Promise<void> {
    if (this.#limits[budget] === 0) return;
    const [reply] = await this.#store.pipeline([
      ['eval', COUNT, 1, `keelson:limit:${budget}:${who}`, RATE_WINDOW_MS, 1],
    ]);
    this.#enforce(budget, reply, target);
  }

  #enforce(budget: Budget, reply: unknown, target: HeaderTarget | undefined): void {
    const allowance = this.#allowance(budget, reply);
    const isRefused = allowance.used > allowance.limit;
    if (target && (isRefused || !budget.endsWith('Account'))) {
      for (const [name, value] of Object.entries(headersOf(allowance))) target.setHeader(name, value);
    }
    if (!isRefused) return;
    this.#refused.inc({ budget });
    const retryAfterSeconds = allowance.resetSeconds;
    throw new ApplicationError('RATE_LIMITED', { data: { retryAfterSeconds }, retryAfterSeconds });
  }

  #allowance(budget: Budget, reply: unknown): Allowance {
    const [used, leftMs] = reply as [number, number];
    return { limit: this.#limits[budget], used, resetSeconds: Math.max(1, Math.ceil(leftMs / 1000)) };
  }
}

/** Whose budget it is. */
interface CountedUser {
  readonly tenantId: string;
  readonly userPid: string;
}

function userKey(budget: UserBudget, { tenantId, userPid }: CountedUser): string {
  return `keelson:limit:${budget}:${tenantId}:${userPid}`;
}

function headersOf({ limit, used, resetSeconds }: Allowance): Record<string, string> {
  return {
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(Math.max(0, limit - used)),
    'RateLimit-Reset': String(resetSeconds),
  };
}

/**
 * An IPv4 address, or the /64 of an IPv6 one: that is the least a household gets, and it may use all of it.
 */
export function clientNetwork(address: string | undefined): string {
  if (address === undefined || !ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${parsed
    .toByteArray()
    .slice(0, 8)
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')}/64`;
}
