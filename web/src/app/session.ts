import { UnauthorizedError, type Client, type Credentials } from '@keelson/client';
import type { Schemas } from './api.d.ts';
import { forgetTenant } from './tenant.ts';

type LoginResult = Schemas['LoginResult'];

/**
 * `starting`: it is not known yet; `away`: the server does not say; `absent`: no one is logged in; `ended`:
 * someone was, and what they were doing waits for them.
 */
export type SessionStatus = 'starting' | 'away' | 'absent' | 'present' | 'ended';

export interface SessionState {
  readonly status: SessionStatus;
  readonly login: LoginResult | null;
  /** Why the server does not say. */
  readonly error?: unknown;
}

/** An access token is renewed so long before its end. */
const MARGIN_MS = 30_000;
const CHANNEL = 'keelson:session';
/** Scripts cannot see the cookie: this says that there may be one. */
const HINT = 'keelson:logged-in';
const COOKIE = { refreshTokenIn: 'cookie' };

/**
 * The session of this browser. The refresh token is in a cookie that no script can read, the access token
 * in memory alone. Tabs take turns to refresh, and tell each other what they got. Requests that need a token
 * when the session has ended wait for the next log-in.
 */
export class BrowserSession {
  #state: SessionState = { status: 'starting', login: null };
  #client: Client | null = null;
  #renewing: Promise<void> | null = null;
  /** Who was logged in last since the page was loaded. */
  #userPid: string | null = null;
  /** By this device's clock, which may be wrong. */
  #endsAt = 0;
  readonly #listeners = new Set<() => void>();
  readonly #channel = new BroadcastChannel(CHANNEL);

  constructor() {
    this.#channel.onmessage = ({ data }: MessageEvent<LoginResult | null>) => this.#hear(data);
  }

  /** Sends what has no token. Set at once: the client asks for tokens here. */
  connect(client: Client): void {
    this.#client = client;
  }

  readonly state = (): SessionState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Goes on with the session of the cookie, if there is one. */
  async start(): Promise<void> {
    if (localStorage.getItem(HINT) === null) return this.#set({ status: 'absent', login: null });
    try {
      await this.#renewOnce(null);
    } catch (error) {
      this.#set({ status: 'away', login: null, error });
    }
  }

  /** A valid access token, when there is one. */
  async token(refused?: string): Promise<string> {
    for (;;) {
      const { status, login } = this.#state;
      if (login && status === 'present' && login.jwt !== refused && !this.#isEnding()) return login.jwt;
      if (status === 'present') await this.#renewOnce(refused ?? login?.jwt ?? null);
      else await this.#change();
    }
  }

  /** @throws KeelsonError */
  async logIn(credentials: Credentials): Promise<void> {
    this.#beginEverywhere(await this.#post('/api/auth/login', { ...credentials, ...COOKIE }));
  }

  /** Ends all other sessions; this one goes on. @throws KeelsonError */
  async changePassword(currentPassword: string, newPassword: string): Promise<void> {
    if (!this.#client) throw new Error('the session has no client');
    const body = { currentPassword, newPassword, ...COOKIE };
    const { data } = await this.#client.request<LoginResult>('POST', '/api/auth/password', { body });
    this.#beginEverywhere(data);
  }

  /** @throws KeelsonError where the server did not end it */
  async logOut(): Promise<void> {
    const left = new AbortController();
    // One that ends meanwhile is left, too: its log-out is not sent with the next one.
    const ended = this.#change(() => this.#state.status === 'ended').then(() => left.abort());
    await Promise.race([this.#client?.request('POST', '/api/auth/logout', { signal: left.signal }), ended]);
    this.#channel.postMessage(null);
    this.#set({ status: 'absent', login: null });
  }

  #renewOnce(known: string | null): Promise<void> {
    this.#renewing ??= this.#inTurn(() => this.#renew(known)).finally(() => {
      this.#renewing = null;
    });
    return this.#renewing;
  }

  /** One tab at a time. Pages of plain HTTP have no locks: there the server's grace for tabs is enough. */
  async #inTurn(work: () => Promise<void>): Promise<void> {
    const { locks } = navigator as { readonly locks?: LockManager };
    await (locks ? locks.request(CHANNEL, work) : work());
  }

  async #renew(known: string | null): Promise<void> {
    const { login } = this.#state;
    // Another tab was first.
    if (login && login.jwt !== known && !this.#isEnding()) return;
    const next = await this.#post('/api/auth/refresh', COOKIE).catch((error: unknown) => {
      if (!(error instanceof UnauthorizedError)) throw error;
      return null;
    });
    // A log-in or a log-out came first.
    if (this.#state.login !== login) return;
    if (next) this.#beginEverywhere(next);
    else this.#set(login ? { status: 'ended', login } : { status: 'absent', login: null });
  }

  async #post(path: string, body: object): Promise<LoginResult> {
    if (!this.#client) throw new Error('the session has no client');
    // A repeat after a lost answer is within the grace of the token.
    const { data } = await this.#client.request<LoginResult>('POST', path, { body, isPublic: true, isRead: true });
    return data;
  }

  #hear(login: LoginResult | null): void {
    if (login) this.#begin(login);
    else this.#set({ status: 'absent', login: null });
  }

  #beginEverywhere(login: LoginResult): void {
    this.#begin(login);
    this.#channel.postMessage(login);
  }

  /** What is on the screen belongs to the one who was logged in: someone else starts anew. */
  #begin(login: LoginResult): void {
    const before = this.#userPid;
    this.#userPid = login.userPid;
    this.#endsAt = Date.now() + lifetimeMsOf(login.jwt);
    localStorage.setItem(HINT, 'yes');
    if (before !== null && before !== login.userPid) {
      forgetTenant();
      location.reload();
    } else this.#set({ status: 'present', login });
  }

  #isEnding(): boolean {
    return this.#endsAt - Date.now() < MARGIN_MS;
  }

  #set(state: SessionState): void {
    this.#state = state;
    if (state.status === 'absent') localStorage.removeItem(HINT);
    for (const listener of this.#listeners) listener();
  }

  #change(isMeant = (): boolean => true): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.subscribe(() => {
        if (!isMeant()) return;
        stop();
        resolve();
      });
    });
  }
}

/** How long an access token is valid from its issue on: both moments are of the server's clock. */
function lifetimeMsOf(jwt: string): number {
  const payload = (jwt.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
  const { iat, exp } = JSON.parse(atob(payload)) as { readonly iat: number; readonly exp: number };
  return (exp - iat) * 1_000;
}
