import { LockMode } from '@mikro-orm/core';
import { appendAudit, type AuditAction } from '../audit/audit-log.ts';
import type { AuditActor } from '../audit/audit-entry.entity.ts';
import type { PlatformEntityManager, PlatformOrm } from '../database/orm.ts';
import { throwIfInvalid, validationError, type ApplicationError } from '../errors/application-error.ts';
import type { Logger } from '../logging/logger.ts';
import type { Mail, Mailer } from '../mail/mail.ts';
import type { LoginResult } from './login-result.ts';
import { hashPassword, verifyPassword } from './password.ts';
import { PasswordResetEntity } from './password-reset.entity.ts';
import { problemOfPassword } from './password-rules.ts';
import { resetMail } from './reset-mail.ts';
import { hashOfSecret, newSecret } from './secret.ts';
import type { Device, SessionsService } from './sessions.service.ts';
import { UserEntity, type User } from './user.entity.ts';

const RESET_LIFETIME_MS = 30 * 60_000;
/** Resets of one user that wait to be used. More are not sent, so that nobody's mailbox is flooded. */
const MAX_WAITING_RESETS = 5;
const RESET_TOKEN = /^klp_([0-9a-f]{64})$/;

/** Changes passwords, by the old one or by e-mail. Each change ends all of the user's sessions on all nodes. */
export class PasswordService {
  readonly #orm: PlatformOrm;
  readonly #sessions: SessionsService;
  readonly #mailer: Mailer;
  readonly #publicUrl: string | null;
  readonly #logger: Logger;
  readonly #underWay = new Set<Promise<void>>();

  /** @param publicUrl where people reach the console; null: the e-mail has the token instead of a link */
  constructor(orm: PlatformOrm, sessions: SessionsService, mailer: Mailer, publicUrl: string | null, logger: Logger) {
    this.#logger = logger;
    this.#orm = orm;
    this.#sessions = sessions;
    this.#mailer = mailer;
    this.#publicUrl = publicUrl;
  }

  /**
   * Ends all sessions and opens a new one for who changed the password.
   * @throws VALIDATION_ERROR (`currentPassword` is wrong, `newPassword` breaks a rule), UNAUTHORIZED
   */
  async change(userId: string, current: string, next: unknown, device: Device): Promise<LoginResult> {
    const user = await this.#orm.em.fork().findOneOrFail(UserEntity, { id: userId });
    const right = await verifyPassword(current, user.passwordHash);
    const problem = problemOfPassword(next, user.email);
    const unchanged = problem === null && next === current ? 'must not be the current one' : problem;
    throwIfInvalid({ ...(!right && { currentPassword: 'is wrong' }), ...(unchanged && { newPassword: unchanged }) });
    const passwordHash = await hashPassword(next as string);
    await this.#orm.em.fork().transactional(async (em) => {
      const locked = await em.findOneOrFail(UserEntity, { id: userId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      // Somebody else has changed it in the meantime: what was right no longer is.
      if (locked.passwordHash !== user.passwordHash) throw validationError({ currentPassword: 'is wrong' });
      await this.#set(em, locked, passwordHash, { actor: actorOf(locked), action: 'user.password' });
    });
    return this.#sessions.open(userId, passwordHash, device);
  }

  /**
   * Sends a reset to the e-mail, if somebody active has it. Nothing tells the caller whether, not even time: what differs is
   * done after this has returned.
   */
  async requestReset(email: string): Promise<void> {
    const user = await this.#orm.em.fork().findOne(UserEntity, { email: email.toLowerCase() });
    if (user?.status !== 'active') return;
    const sending = this.#orm.em
      .fork()
      .transactional((em) => this.prepareReset(em, user))
      .then((mail) => this.send(mail))
      .catch((error: unknown) => this.#logger.error({ err: error }, 'a password reset could not be made'));
    this.#underWay.add(sending);
    void sending.finally(() => this.#underWay.delete(sending));
  }

  /** Makes a reset for a user. @returns the e-mail, to be sent when the transaction has committed; null when enough wait */
  async prepareReset(em: PlatformEntityManager, user: User): Promise<Mail | null> {
    const now = new Date();
    await em.nativeDelete(PasswordResetEntity, { user: user.id, expiresAt: { $lt: now } });
    if ((await em.count(PasswordResetEntity, { user: user.id })) >= MAX_WAITING_RESETS) return null;
    const secret = newSecret();
    const expiresAt = new Date(now.getTime() + RESET_LIFETIME_MS);
    em.create(PasswordResetEntity, {
      hash: hashOfSecret(secret),
      user: em.getReference(UserEntity, user.id),
      expiresAt,
    });
    await em.flush();
    return resetMail(user, `klp_${secret}`, this.#publicUrl);
  }

  send(mail: Mail | null): void {
    if (mail) this.#mailer.send(mail);
  }

  /** Waits for what requests have left to be done. */
  async close(): Promise<void> {
    await Promise.all(this.#underWay);
    await this.#mailer.close();
  }

  /**
   * Sets a password by a reset's token, which works once and for 30 minutes.
   * @throws VALIDATION_ERROR (`token`, `newPassword`)
   */
  async confirmReset(token: string, next: unknown): Promise<void> {
    const [, secret] = RESET_TOKEN.exec(token) ?? [];
    const hash = secret ? hashOfSecret(secret) : null;
    const waiting = hash === null ? null : await this.#findReset(this.#orm.em.fork(), hash);
    // Without a token that works nobody makes this node hash.
    if (!waiting) throw deadToken();
    const problem = problemOfPassword(next, waiting.user.email);
    throwIfInvalid(problem === null ? {} : { newPassword: problem });
    const passwordHash = await hashPassword(next as string);
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
   * @param passwordHash of nobody's password
   * @returns the e-mail to send when the transaction has committed
   */
  async forceReset(
    em: PlatformEntityManager,
    user: User,
    passwordHash: string,
    actor: AuditActor,
  ): Promise<Mail | null> {
    await em.nativeDelete(PasswordResetEntity, { user: user.id });
    const mail = await this.prepareReset(em, user);
    await this.#change(em, user, passwordHash, { actor, action: 'user.reset' });
    return mail;
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

/** The hash of a password that nobody knows, for users who are to choose one. */
export function hashOfNobodysPassword(): Promise<string> {
  return hashPassword(newSecret());
}

function actorOf({ pid, username }: User): AuditActor {
  return { userPid: pid, username };
}

function deadToken(): ApplicationError {
  return validationError({ token: 'does not work, or no longer; ask for a new one' });
}
