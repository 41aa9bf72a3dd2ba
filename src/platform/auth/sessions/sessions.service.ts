import { LockMode } from '@mikro-orm/core';
import type { SqlRunner } from '../../../foundation/database/pool.ts';
import { appendAudit } from '../../audit/audit-log.ts';
import { newPid } from '../../../foundation/database/pid.ts';
import type { PlatformEntityManager, PlatformOrm } from '../../../foundation/database/orm.ts';
import { ApplicationError, notFound } from '../../../foundation/errors/application-error.ts';
import { loginResult, type LoginResult } from './login-result.ts';
import { hashOfSecret, newSecret } from '../secret.ts';
import { RefreshTokenEntity, SessionEntity, type Session } from './session.entity.ts';
import type { AccessTokenStore } from './access-token-store.ts';
import type { Tokens } from './token.ts';
import { UserEntity, type User } from '../accounts/user.entity.ts';
import {
  MAX_GRACE_TOKENS,
  MAX_LIVE_TOKENS,
  REFRESH_LIFETIME_MS,
  REUSE_GRACE_MS,
  SESSION_LIFETIME_MS,
} from '../auth.limits.ts';
import { verifyPassword } from '../accounts/password-hash.ts';
import { sqlRunnerOf } from '../../../foundation/database/sql-runner.ts';
import type { Retention } from '../../../foundation/jobs/retention.ts';

/** What a session was opened from, for its user to recognise it. */
export interface Device {
  readonly userAgent: string | null;
  readonly ip: string | null;
}

const REFRESH_TOKEN = /^klr_([0-9A-Z]{26})_([0-9a-f]{64})$/;

/**
 * Sessions: opened by a log-in, prolonged by refresh tokens that rotate, ended by their user or by whatever
 * makes them wrong. Rows in Postgres are the truth; Redis holds the access tokens that are live. Locks are
 * taken in the order user, session, so that ending a user's sessions also meets one that is just being opened
 * or refreshed.
 */
export class SessionsService {
  readonly #orm: PlatformOrm;
  readonly #store: AccessTokenStore;
  readonly #tokens: Tokens;

  constructor(orm: PlatformOrm, store: AccessTokenStore, tokens: Tokens) {
    this.#orm = orm;
    this.#store = store;
    this.#tokens = tokens;
  }

  /**
   * Opens a session for a user whose password has been found right.
   * @param passwordHash the one that was right: it may have been changed since
   * @throws UNAUTHORIZED
   */
  async open(userId: string, passwordHash: string, device: Device): Promise<LoginResult> {
    return this.#orm.em.fork().transactional(async (em) => {
      const user = await em.findOne(UserEntity, { id: userId }, { lockMode: LockMode.PESSIMISTIC_READ });
      if (!user || user.status !== 'active' || user.passwordHash !== passwordHash) {
        throw new ApplicationError('UNAUTHORIZED', { message: 'The e-mail or the password is wrong' });
      }
      const now = new Date();
      await em.nativeDelete(SessionEntity, { user: userId, expiresAt: { $lt: now } });
      const opened = { createdAt: now, refreshedAt: now, expiresAt: now };
      const session = em.create(SessionEntity, { pid: newPid(), user, tokenIds: [], ...device, ...opened });
      return this.#issue(em, session, user, now);
    });
  }

  /**
   * Exchanges a refresh token for the next one and a new access token. A token that was used before ends the
   * session: one of those who hold it has stolen it.
   * @throws UNAUTHORIZED, RATE_LIMITED
   */
  async refresh(refreshToken: string): Promise<LoginResult> {
    const [, pid, secret] = REFRESH_TOKEN.exec(refreshToken) ?? [];
    if (!pid || !secret) throw endedSession();
    const result = await this.#orm.em.fork().transactional(async (em) => {
      const session = await em.findOne(SessionEntity, { pid }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      const token = session && (await em.findOne(RefreshTokenEntity, { hash: hashOfSecret(secret), session: pid }));
      const now = new Date();
      if (!token || session.expiresAt <= now) return null;
      const user = await em.findOneOrFail(UserEntity, { id: session.user.id });
      if (token.usedAt && now.getTime() - token.usedAt.getTime() > REUSE_GRACE_MS) {
        await this.#end(em, [session]);
        await auditOf(em, user, 'user.session-reuse', session);
        return null;
      }
      if (token.usedAt) await refuseTooMany(em, pid, token.usedAt);
      token.usedAt ??= now;
      return this.#issue(em, session, user, now);
    });
    // Thrown only now: the end of the session must be committed.
    if (!result) throw endedSession();
    return result;
  }

  /** The user's live sessions, the one used last first. */
  async list(userId: string): Promise<Session[]> {
    const where = { user: userId, expiresAt: { $gt: new Date() } };
    return this.#orm.em.fork().find(SessionEntity, where, { orderBy: { refreshedAt: 'desc', pid: 'desc' } });
  }

  /** @throws NOT_FOUND where the user has no such session */
  async end(userId: string, pid: string): Promise<void> {
    await this.#orm.em.fork().transactional(async (em) => {
      const lockMode = LockMode.PESSIMISTIC_WRITE;
      const session = await em.findOne(SessionEntity, { pid, user: userId }, { lockMode });
      if (!session) throw notFound('There is no such session');
      await this.#end(em, [session]);
    });
  }

  async endAll(userId: string): Promise<void> {
    await this.#orm.em.fork().transactional(async (em) => {
      const user = await em.findOneOrFail(UserEntity, { id: userId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      await this.endAllOf(em, user);
    });
  }

  /** Ends all sessions of a user whose row the transaction has locked: none can be opened meanwhile. */
  async endAllOf(em: PlatformEntityManager, user: User): Promise<void> {
    const lockMode = LockMode.PESSIMISTIC_WRITE;
    await this.#end(em, await em.find(SessionEntity, { user: user.id }, { lockMode, orderBy: { pid: 'asc' } }));
  }

  /**
   * Before the commit: should it fail, people have to refresh; the other way round a dead session would live
   * on.
   */
  async #end(em: PlatformEntityManager, sessions: readonly Session[]): Promise<void> {
    await this.#store.end(sessions.flatMap(({ tokenIds }) => tokenIds));
    await em.nativeDelete(SessionEntity, { pid: { $in: sessions.map(({ pid }) => pid) } });
  }

  async #issue(em: PlatformEntityManager, session: Session, user: User, now: Date): Promise<LoginResult> {
    const tokenId = newPid();
    const secret = newSecret();
    const end = Math.min(now.getTime() + REFRESH_LIFETIME_MS, session.createdAt.getTime() + SESSION_LIFETIME_MS);
    const tokenIds = [...session.tokenIds, tokenId];
    session.tokenIds = tokenIds.slice(-MAX_LIVE_TOKENS);
    session.refreshedAt = now;
    session.expiresAt = new Date(end);
    em.create(RefreshTokenEntity, { hash: hashOfSecret(secret), session, issuedAt: now });
    const result = await loginResult(em, user, now, {
      jwtFor: (tenantId) => this.#tokens.sign({ tokenId, userPid: user.pid, tenantId }, now),
      refreshToken: `klr_${session.pid}_${secret}`,
      refreshExpiresAt: session.expiresAt,
    });
    await em.flush();
    await this.#store.end(tokenIds.slice(0, -MAX_LIVE_TOKENS));
    await this.#store.save(tokenId, { userPid: user.pid, sessionPid: session.pid }, session.expiresAt);
    return result;
  }
}

/**
 * Tabs may share a token for a moment; a program that goes on with it would fill the table. @throws
 * RATE_LIMITED
 */
async function refuseTooMany(em: PlatformEntityManager, session: string, usedAt: Date): Promise<void> {
  const made = await em.count(RefreshTokenEntity, { session, issuedAt: { $gte: usedAt } });
  if (made < MAX_GRACE_TOKENS) return;
  const retryAfterSeconds = REUSE_GRACE_MS / 1_000;
  throw new ApplicationError('RATE_LIMITED', { data: { retryAfterSeconds }, retryAfterSeconds });
}

function endedSession(): ApplicationError {
  return new ApplicationError('UNAUTHORIZED', { message: 'The session has ended; log in again' });
}

async function auditOf(em: PlatformEntityManager, user: User, action: 'user.session-reuse', session: Session) {
  const actor = { userPid: user.pid, username: user.username };
  const before = { sessionPid: session.pid, userAgent: session.userAgent, ip: session.ip };
  await appendAudit(em, { actor, action, targetType: 'user', targetPid: user.pid, environment: null, before });
}

/**
 * Opens a session. Spec: "Authentication" 2. Nothing tells unknown e-mail, wrong password and disabled user
 * apart, not even the time.
 * @throws UNAUTHORIZED
 */
export async function logIn(
  { orm, sessions }: { readonly orm: PlatformOrm; readonly sessions: SessionsService },
  email: string,
  password: string,
  device: Device,
): Promise<LoginResult> {
  const user = await orm.em.fork().findOne(UserEntity, { email: email.toLowerCase() });
  const right = await verifyPassword(password, user?.passwordHash ?? null);
  if (!user || !right) throw new ApplicationError('UNAUTHORIZED', { message: 'The e-mail or the password is wrong' });
  return sessions.open(user.id, user.passwordHash, device);
}

/** Deletes sessions with their refresh tokens, and password-reset links, some time after they expired. */
export function sessionRetention(orm: PlatformOrm, days: number, batch = 500): Retention {
  const forget = async (runner: SqlRunner, table: string, key: string): Promise<boolean> => {
    const gone = await runner.query(
      `delete from platform.${table} where ${key} in (
         select ${key} from platform.${table} where expires_at < now() - $1 * interval '1 day'
         order by expires_at limit $2 for update skip locked) returning 1`,
      [days, batch],
    );
    return gone.length === batch;
  };
  return {
    tables: ['session', 'refresh_token', 'password_reset'],
    async purgeBatch() {
      if (days === 0) return false;
      const runner = sqlRunnerOf(orm.em.fork());
      const sessions = await forget(runner, 'session', 'pid');
      const resets = await forget(runner, 'password_reset', 'hash');
      return sessions || resets;
    },
  };
}
