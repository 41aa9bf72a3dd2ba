import type { RedisCommand, SharedStore } from '../redis/redis.ts';
import { TOKEN_LIFETIME_SECONDS } from './token.ts';

/** A live log-in, in the shared store: any node can check it. */
export interface Session {
  readonly userId: string;
  readonly userPid: string;
  readonly username: string;
  /** Tenant id -> role codes. */
  readonly memberships: Readonly<Record<string, readonly string[]>>;
}

const sessionKey = (sessionId: string): string => `keelson:session:${sessionId}`;

export class SessionStore {
  readonly #store: SharedStore;

  constructor(store: SharedStore) {
    this.#store = store;
  }

  async save(sessionId: string, session: Session): Promise<void> {
    await this.#store.together([['set', sessionKey(sessionId), JSON.stringify(session), 'EX', TOKEN_LIFETIME_SECONDS]]);
  }

  /** The command that reads a session, for the request's one Redis round trip; `parse` reads its reply. */
  readCommand(sessionId: string): RedisCommand {
    return ['get', sessionKey(sessionId)];
  }

  parse(reply: unknown): Session | null {
    return typeof reply === 'string' ? (JSON.parse(reply) as Session) : null;
  }
}
