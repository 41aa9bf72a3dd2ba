import { UnauthorizedError } from './errors.ts';
import type { TokenSource, Transport } from './transport.ts';

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

/** The result of a log-in. */
export interface Session {
  /** The access token. */
  readonly jwt: string;
  /** Works once: each refresh gives another. */
  readonly refreshToken: string;
  readonly expiresAt: string;
  readonly userId: string;
  readonly userPid: string;
  readonly username: string;
  readonly tenantId: string;
}

export interface SessionOptions {
  /**
   * An access token or an API key, or a function that gives one. After a 401 it is told which was refused.
   */
  readonly token?: string | ((refused?: string) => string | Promise<string>) | undefined;
  /** Logs in with the first request that needs it. */
  readonly credentials?: Credentials | undefined;
  /** A session that was stored before. */
  readonly session?: Session | null | undefined;
  /** Told of each new session, to be stored; null: it has ended. */
  readonly onSession?: ((session: Session | null) => void) | undefined;
}

/** The tokens of one user. Of several requests that need a new one, one fetches it and the others wait. */
export class Sessions implements TokenSource {
  readonly #options: SessionOptions;
  #session: Session | null;
  #pending: Promise<unknown> | null = null;
  /** Set at once: the transport needs the tokens, too. */
  transport!: Transport;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#session = options.session ?? null;
  }

  async token(refused?: string): Promise<string | undefined> {
    const { token, credentials } = this.#options;
    if (token !== undefined) return typeof token === 'string' ? token : token(refused);
    await this.#pending;
    if (!this.#session && credentials) await this.#once(() => this.login(credentials));
    return this.#session?.jwt;
  }

  async renew(refused: string): Promise<boolean> {
    const { token } = this.#options;
    if (token === undefined && this.#session?.jwt === refused) await this.#once(() => this.#refresh());
    const next = await this.token(refused);
    return next !== undefined && next !== refused;
  }

  async login(credentials: Credentials): Promise<Session> {
    return this.#take('/api/auth/login', credentials);
  }

  async logout(): Promise<void> {
    await this.transport.request('POST', '/api/auth/logout');
    this.#set(null);
  }

  async #refresh(): Promise<void> {
    const { refreshToken = '' } = this.#session ?? {};
    try {
      await this.#take('/api/auth/refresh', { refreshToken });
    } catch (error) {
      if (!(error instanceof UnauthorizedError)) throw error;
      this.#set(null);
    }
  }

  async #take(path: string, body: object): Promise<Session> {
    const { data } = await this.transport.request<Session>('POST', path, { body, isPublic: true });
    this.#set(data);
    return data;
  }

  #set(session: Session | null): void {
    this.#session = session;
    this.#options.onSession?.(session);
  }

  #once(work: () => Promise<unknown>): Promise<unknown> {
    this.#pending ??= work().finally(() => {
      this.#pending = null;
    });
    return this.#pending;
  }
}
