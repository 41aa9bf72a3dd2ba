import type { PlatformEntityManager, PlatformOrm } from '../../../foundation/database/orm.ts';
import { unavailable } from '../../../foundation/errors/application-error.ts';
import type { Language, Languages } from '../../../foundation/i18n/languages.ts';
import type { Logger } from '../../../foundation/logging/logger.ts';
import { currentTraceId, newTraceId } from '../../../foundation/logging/trace.ts';
import type { Mail, Mailer } from '../../mail/mail.ts';
import type { TemporalGateway } from '../../../foundation/temporal/temporal-gateway.ts';
import { RESET_MAIL, resetMailWorkflowId, type ResetMailInput } from '../../../../workflows/contracts.ts';
import { hashOfSecret, newSecret } from '../secret.ts';
import { UserEntity, type User } from '../accounts/user.entity.ts';
import { MAX_WAITING_RESETS, RESET_LIFETIME_MS } from '../auth.limits.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { type Message, text } from '../../../foundation/i18n/text.ts';

/**
 * A way to set a user's password without knowing it, known by the hash of its token. Using one removes all of
 * the user's.
 */
export const PasswordResetEntity = defineEntity({
  name: 'PasswordReset',
  tableName: 'password_reset',
  properties: {
    hash: p.string().length(64).primary(),
    user: () => p.manyToOne(UserEntity),
    expiresAt: p.datetime(3),
    /**
     * Since when the e-mail waits for a further attempt. No one has the token: that attempt makes another.
     */
    postponedAt: p.datetime(3).nullable(),
    /** Language of the e-mail. BCP 47. */
    locale: p.string().length(35),
  },
});

/** The e-mail with a reset link. The token stands behind `#`, which browsers send to no server. */
function resetMail(
  { email, username }: { email: string; username: string },
  token: string,
  publicUrl: string | null,
  { translate }: { readonly translate: (message: Message) => string },
): Mail {
  const way =
    publicUrl === null
      ? [
          translate('Your reset token is'),
          `  ${token}`,
          translate('Send it with the new password to /api/auth/password-reset/confirm.'),
        ]
      : [
          translate('Choose a new password here:'),
          `  ${publicUrl.replace(/\/+$/, '')}/console/reset-password#${token}`,
        ];
  const paragraphs = [
    translate(text('Hello {username},', { username })),
    translate('somebody, probably you, asked to set your password.'),
    ...way,
    translate('It works once, for 30 minutes. If it was not you, ignore this e-mail: your password stays as it is.'),
  ];
  return { to: email, subject: translate('Set your password'), text: `${paragraphs.join('\n\n')}\n` };
}

/** A reset that a transaction has made. Its token is in the e-mail and nowhere else. */
export interface PreparedReset {
  readonly userPid: string;
  readonly hash: string;
  readonly mail: Mail;
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

  /**
   * Makes a reset for a user, to be sent when the transaction has committed; null when enough wait.
   * @param postponedAt for one whose e-mail is a further attempt
   */
  async prepare(
    em: PlatformEntityManager,
    user: User,
    language: Language,
    postponedAt: Date | null = null,
  ): Promise<PreparedReset | null> {
    const now = new Date();
    await em.nativeDelete(PasswordResetEntity, { user: user.id, expiresAt: { $lt: now } });
    if ((await em.count(PasswordResetEntity, { user: user.id })) >= MAX_WAITING_RESETS) return null;
    const secret = newSecret();
    const hash = hashOfSecret(secret);
    const expiresAt = new Date(now.getTime() + RESET_LIFETIME_MS);
    const { locale } = language;
    em.create(PasswordResetEntity, {
      hash,
      user: em.getReference(UserEntity, user.id),
      expiresAt,
      locale,
      postponedAt,
    });
    await em.flush();
    const mail = resetMail(user, `klp_${secret}`, this.#publicUrl, language);
    return { userPid: user.pid, hash, mail };
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
   * One more attempt, with a token of its own, if the user is still there and an e-mail waits for it. The
   * e-mail may arrive twice, when only the mail server's answer got lost; the last one works.
   * @throws SERVICE_UNAVAILABLE while the mail server does not take it
   */
  async sendAnother(userPid: string): Promise<void> {
    const prepared = await this.#orm.em.fork().transactional(async (em) => {
      const user = await em.findOne(UserEntity, { pid: userPid, status: 'active' });
      const waiting = { user: user?.id, postponedAt: { $ne: null } };
      const last = user && (await em.findOne(PasswordResetEntity, waiting, { orderBy: { postponedAt: 'desc' } }));
      if (!last) return null;
      await em.nativeDelete(PasswordResetEntity, waiting);
      return this.prepare(em, user, this.#languages.languageFor([last.locale], undefined), new Date());
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
    for (const { user } of postponed) await this.#goOn({ userPid: user.pid });
  }

  async #sendOrGoOn(prepared: PreparedReset): Promise<void> {
    if (await this.#isDone(prepared)) return;
    await this.#goOn({ userPid: prepared.userPid });
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
    else
      await em.nativeUpdate(
        PasswordResetEntity,
        { hash },
        { postponedAt: outcome === 'postponed' ? new Date() : null },
      );
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
