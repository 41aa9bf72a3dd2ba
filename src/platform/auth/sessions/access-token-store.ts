import type { RedisCommand, RedisStore } from '../../../foundation/redis/redis-store.ts';
import { ACCESS_TOKEN_SECONDS } from '../auth.limits.ts';

/** Owner of an access token. */
export interface LiveToken {
  readonly userPid: string;
  readonly sessionPid: string;
}

const tokenKey = (tokenId: string): string => `keelson:session:${tokenId}`;

/**
 * The access tokens that count, in the shared store, so that any node can tell. A token that is not there is
 * dead.
 */
export class AccessTokenStore {
  readonly #store: RedisStore;

  constructor(store: RedisStore) {
    this.#store = store;
  }

  /** @param sessionEnd no token outlives its session @throws SERVICE_UNAVAILABLE */
  async save(tokenId: string, token: LiveToken, sessionEnd: Date): Promise<void> {
    const secondsLeft = Math.floor((sessionEnd.getTime() - Date.now()) / 1000);
    const lifetime = Math.max(1, Math.min(ACCESS_TOKEN_SECONDS, secondsLeft));
    await this.#store.pipeline([['set', tokenKey(tokenId), JSON.stringify(token), 'EX', lifetime]]);
  }

  /** Ends tokens on all nodes at once. @throws SERVICE_UNAVAILABLE */
  async end(tokenIds: readonly string[]): Promise<void> {
    if (tokenIds.length > 0) await this.#store.pipeline([['del', ...tokenIds.map(tokenKey)]]);
  }

  /** The command that reads a token, for the request's one Redis round trip; `parse` reads its reply. */
  readCommand(tokenId: string): RedisCommand {
    return ['get', tokenKey(tokenId)];
  }

  parse(reply: unknown): LiveToken | null {
    return typeof reply === 'string' ? (JSON.parse(reply) as LiveToken) : null;
  }
}
