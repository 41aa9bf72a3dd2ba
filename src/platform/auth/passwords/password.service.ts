import { LockMode } from '@mikro-orm/core';
import { appendAudit, type AuditAction } from '../../audit/audit-log.ts';
import type { AuditActor } from '../../audit/audit-entry.entity.ts';
import type { PlatformEntityManager, PlatformOrm } from '../../../foundation/database/orm.ts';
import {
  throwIfInvalid,
  validationError,
  type ApplicationError,
} from '../../../foundation/errors/application-error.ts';
import type { Language } from '../../../foundation/i18n/languages.ts';
import type { LoginResult } from '../sessions/login-result.ts';
import { hashPassword, verifyPassword } from '../accounts/password-hash.ts';
import { PasswordResetEntity, type PreparedReset, type ResetMails } from './reset-mails.ts';
import { problemOfPassword } from './password-rules.ts';
import { hashOfSecret, newSecret } from '../secret.ts';
import type { Device, SessionsService } from '../sessions/sessions.service.ts';
import { UserEntity, type User } from '../accounts/user.entity.ts';

const RESET_TOKEN = /^klp_([0-9a-f]{64})$/;

/**
 * Changes passwords, by the old one or by e-mail. Each change ends all of the user's sessions on all nodes.
 */
export class PasswordService {
  readonly #orm: PlatformOrm;
  readonly #sessions: SessionsService;
  readonly #resets: ResetMails;

  constructor(orm: PlatformOrm, sessions: SessionsService, resets: ResetMails) {
    this.#orm = orm;
    this.#sessions = sessions;
    this.#resets = resets;
  }

  /**
   * Ends all sessions and opens a new one for who changed the password.
   * @throws VALIDATION_ERROR (`currentPassword` is wrong, `newPassword` breaks a rule), UNAUTHORIZED
   */
  async change(userId: string, current: string, next: string, device: Device): Promise<LoginResult> {
    const user = await this.#orm.em.fork().findOneOrFail(UserEntity, { id: userId });
    const right = await verifyPassword(current, user.passwordHash);
    const problem = problemOfPassword(next, user.email);
    const unchanged = problem === null && next === current ? 'must not be the current one' : problem;
    throwIfInvalid({ ...(!right && { currentPassword: 'is wrong' }), ...(unchanged && { newPassword: unchanged }) });
    const passwordHash = await hashPassword(next);
    await this.#orm.em.fork().transactional(async (em) => {
      const locked = await em.findOneOrFail(UserEntity, { id: userId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      // Changed by another request in the meantime: the current password was the former one.
      if (locked.passwordHash !== user.passwordHash) throw validationError({ currentPassword: 'is wrong' });
      await this.#set(em, locked, passwordHash, { actor: actorOf(locked), action: 'user.password' });
    });
    return this.#sessions.open(userId, passwordHash, device);
  }

  /**
   * Sends a reset to the e-mail, if an active user has it. Nothing tells the caller whether, not even time:
   * what differs is done after this has returned.
   */
  async requestReset(email: string, language: Language): Promise<void> {
    const user = await this.#orm.em.fork().findOne(UserEntity, { email: email.toLowerCase() });
    if (user?.status !== 'active') return;
    this.#resets.makeAndSend(user, language);
  }

  /**
   * Sets a password by a reset's token, which works once and for 30 minutes.
   * @throws VALIDATION_ERROR (`token`, `newPassword`)
   */
  async confirmReset(token: string, next: string): Promise<void> {
    const [, secret] = RESET_TOKEN.exec(token) ?? [];
    const hash = secret ? hashOfSecret(secret) : null;
    const waiting = hash === null ? null : await this.#findReset(this.#orm.em.fork(), hash);
    // Hashing is expensive: only a valid token gets this far.
    if (!waiting) throw deadToken();
    const problem = problemOfPassword(next, waiting.user.email);
    throwIfInvalid(problem === null ? {} : { newPassword: problem });
    const passwordHash = await hashPassword(next);
    await this.#orm.em.fork().transactional(async (em) => {
      const { id } = waiting.user;
      const user = await em.findOneOrFail(UserEntity, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      // The lock is had now: of two that use the token at once, one comes second.
      if (user.status !== 'active' || !(await this.#findReset(em, waiting.hash))) throw deadToken();
      await this.#set(em, user, passwordHash, { actor: actorOf(user), action: 'user.password', reason: 'reset' });
    });
  }

  /**
   * Takes a user's password away, in the transaction that has locked the user. It audits, so it comes last.
   * @param passwordHash that no password has
   * @returns the reset to send when the transaction has committed
   */
  async forceReset(
    em: PlatformEntityManager,
    user: User,
    passwordHash: string,
    actor: AuditActor,
    language: Language,
  ): Promise<PreparedReset | null> {
    await em.nativeDelete(PasswordResetEntity, { user: user.id });
    const reset = await this.#resets.prepare(em, user, language);
    await this.#change(em, user, passwordHash, { actor, action: 'user.reset' });
    return reset;
  }

  async #set(em: PlatformEntityManager, user: User, passwordHash: string, fact: Fact): Promise<void> {
    await em.nativeDelete(PasswordResetEntity, { user: user.id });
    await this.#change(em, user, passwordHash, fact);
  }

  async #change(em: PlatformEntityManager, user: User, passwordHash: string, fact: Fact): Promise<void> {
    user.passwordHash = passwordHash;
    await this.#sessions.endAllOf(em, user);
    await appendAudit(em, { ...fact, targetType: 'user', targetPid: user.pid, environment: null });
  }

  #findReset(em: PlatformEntityManager, hash: string) {
    const where = { hash, expiresAt: { $gt: new Date() }, user: { status: 'active' as const } };
    return em.findOne(PasswordResetEntity, where, { populate: ['user'] });
  }
}

interface Fact {
  readonly actor: AuditActor;
  readonly action: AuditAction;
  readonly reason?: string;
}

/** The hash of a random password, for users who are to choose their own. */
export function hashOfNobodysPassword(): Promise<string> {
  return hashPassword(newSecret());
}

function actorOf({ pid, username }: User): AuditActor {
  return { userPid: pid, username };
}

function deadToken(): ApplicationError {
  return validationError({ token: 'does not work, or no longer; ask for a new one' });
}
