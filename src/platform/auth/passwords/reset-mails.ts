import type { PlatformEntityManager, PlatformOrm } from '../../../foundation/database/orm.ts';
import { unavailable } from '../../../foundation/errors/application-error.ts';
import type { Language, Languages } from '../../../foundation/i18n/languages.ts';
import type { Logger } from '../../../foundation/logging/logger.ts';
import { currentTraceId, newTraceId } from '../../../foundation/logging/trace.ts';
import type { Mail, Mailer } from '../../mail/mail.ts';
import type { TemporalGateway } from '../../../foundation/temporal/temporal-gateway.ts';
import { RESET_MAIL, resetMailWorkflowId, type ResetMailInput } from '../../../../workflows/contracts.ts';
import { PasswordResetEntity } from './password-reset.entity.ts';
import { resetMail } from './reset-mail.ts';
import { hashOfSecret, newSecret } from '../secret.ts';
import { UserEntity, type User } from '../accounts/user.entity.ts';
import { MAX_WAITING_RESETS, RESET_LIFETIME_MS } from '../auth.limits.ts';

/** A reset that a transaction has made. Its token is in the e-mail and nowhere else. */
export interface PreparedReset {
  readonly userPid: string;
  readonly hash: string;
  readonly mail: Mail;
  /** Of the mail: the language of the request that asked for it. BCP 47. */
  readonly locale: string;
}

/**
 * The e-mails by which people choose a password. The node that was asked sends them at once; what the mail
 * server does not take is tried again by a workflow, which outlives the node.
 */
export class ResetMails {
  readonly #orm: PlatformOrm;
  readonly #mailer: Mailer;
  readonly #temporal: Pick<TemporalGateway, 'start'>;
  readonly #publicUrl: string | null;
  readonly #languages: Languages;
  readonly #logger: Logger;
  readonly #underWay = new Set<Promise<void>>();

  /** @param publicUrl where people reach the console; null: the e-mail has the token instead of a link */
  constructor(
    orm: PlatformOrm,
    mailer: Mailer,
    temporal: Pick<TemporalGateway, 'start'>,
    publicUrl: string | null,
    languages: Languages,
    logger: Logger,
  ) {
    this.#orm = orm;
    this.#mailer = mailer;
    this.#temporal = temporal;
    this.#publicUrl = publicUrl;
    this.#languages = languages;
    this.#logger = logger;
  }

  /** Makes a reset for a user, to be sent when the transaction has committed; null when enough wait. */
  async prepare(em: PlatformEntityManager, user: User, language: Language): Promise<PreparedReset | null> {
    const now = new Date();
    await em.nativeDelete(PasswordResetEntity, { user: user.id, expiresAt: { $lt: now } });
    if ((await em.count(PasswordResetEntity, { user: user.id })) >= MAX_WAITING_RESETS) return null;
    const secret = newSecret();
    const hash = hashOfSecret(secret);
    const expiresAt = new Date(now.getTime() + RESET_LIFETIME_MS);
    const { locale } = language;
    em.create(PasswordResetEntity, { hash, user: em.getReference(UserEntity, user.id), expiresAt, locale });
    await em.flush();
    const mail = resetMail(user, `klp_${secret}`, this.#publicUrl, language);
    return { userPid: user.pid, hash, mail, locale };
  }

  /** Sends a reset in the background. */
  send(prepared: PreparedReset | null): void {
    if (prepared) this.#inBackground(this.#sendOrGoOn(prepared));
  }

  /**
   * Makes and sends a reset, all of it in the background: who asked for it waits for nothing that depends on
   * the user.
   */
  makeAndSend(user: User, language: Language): void {
    this.#inBackground(
      this.#orm.em
        .fork()
        .transactional((em) => this.prepare(em, user, language))
        .then((prepared) => (prepared ? this.#sendOrGoOn(prepared) : undefined)),
    );
  }

  /**
   * One more attempt, with a token of its own, if the user is still there. The e-mail may arrive twice, when
   * only the mail server's answer got lost; the last one works.
   * @throws SERVICE_UNAVAILABLE while the mail server does not take it
   */
  async sendAnother(userPid: string, locale?: string): Promise<void> {
    const language = this.#languages.languageFor(locale === undefined ? [] : [locale], undefined);
    const prepared = await this.#orm.em.fork().transactional(async (em) => {
      const user = await em.findOne(UserEntity, { pid: userPid, status: 'active' });
      if (!user) return null;
      await em.nativeDelete(PasswordResetEntity, { user: user.id, postponedAt: { $ne: null } });
      return this.prepare(em, user, language);
    });
    if (prepared && !(await this.#isDone(prepared))) throw unavailable('mail');
  }

  /** Waits for what requests have left to be done. */
  async close(): Promise<void> {
    await Promise.all(this.#underWay);
    await this.#mailer.close();
  }

  /** Starts the workflows of postponed resets. @throws SERVICE_UNAVAILABLE */
  async restore(): Promise<void> {
    const postponed = await this.#orm.em
      .fork()
      .find(
        PasswordResetEntity,
        { postponedAt: { $ne: null }, expiresAt: { $gt: new Date() } },
        { populate: ['user'] },
      );
    for (const { user, locale } of postponed) await this.#goOn({ userPid: user.pid, locale: locale ?? undefined });
  }

  async #sendOrGoOn(prepared: PreparedReset): Promise<void> {
    if (await this.#isDone(prepared)) return;
    const { userPid, locale } = prepared;
    await this.#goOn({ userPid, locale });
  }

  async #goOn(input: ResetMailInput): Promise<void> {
    const order = { workflowId: resetMailWorkflowId(input.userPid), args: [input] };
    const memo = { traceId: currentTraceId() ?? newTraceId() };
    // One that is running sends the mail of all that were asked for meanwhile.
    await this.#temporal.start(RESET_MAIL, { ...order, memo, attributes: {} });
  }

  /** Whether there is nothing more to try. */
  async #isDone({ mail, hash }: PreparedReset): Promise<boolean> {
    const outcome = await this.#mailer.send(mail);
    const em = this.#orm.em.fork();
    if (outcome === 'refused') await em.nativeDelete(PasswordResetEntity, { hash });
    if (outcome === 'postponed') await em.nativeUpdate(PasswordResetEntity, { hash }, { postponedAt: new Date() });
    return outcome !== 'postponed';
  }

  #inBackground(work: Promise<void>): void {
    const logged = work.catch((error: unknown) =>
      this.#logger.error({ err: error }, 'a password reset could not be made'),
    );
    this.#underWay.add(logged);
    void logged.finally(() => this.#underWay.delete(logged));
  }
}
