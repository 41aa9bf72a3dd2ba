import type { Logger } from '../../foundation/logging/logger.ts';
import type { RedisStore } from '../../foundation/redis/redis-store.ts';
import type { Mail, Mailer, MailOutcome } from './mail.ts';
import { MAX_OUTBOX_MAILS, OUTBOX_MAIL_SECONDS } from './mail.limits.ts';

const KEY = 'keelson:mail-outbox';

export interface OutboxMail extends Mail {
  /** ISO 8601 */
  readonly at: string;
}

/** Replaces the SMTP server in development: keeps the last e-mails of a day for developers to read. */
export class MailOutbox implements Mailer {
  readonly #store: RedisStore;
  readonly #logger: Logger;

  constructor(store: RedisStore, logger: Logger) {
    this.#store = store;
    this.#logger = logger;
  }

  async send(mail: Mail): Promise<MailOutcome> {
    const kept: OutboxMail = { ...mail, at: new Date().toISOString() };
    try {
      await this.#store.pipeline([
        ['lpush', KEY, JSON.stringify(kept)],
        ['ltrim', KEY, 0, MAX_OUTBOX_MAILS - 1],
        ['expire', KEY, OUTBOX_MAIL_SECONDS],
      ]);
    } catch (error) {
      this.#logger.warn({ err: error }, 'an e-mail did not reach the outbox');
      return 'postponed';
    }
    this.#logger.info({ subject: mail.subject }, 'an e-mail is in the outbox: GET /api/admin/mail-outbox');
    return 'sent';
  }

  /** Newest first. */
  async list(): Promise<OutboxMail[]> {
    const [mails] = await this.#store.pipeline([['lrange', KEY, 0, -1]]);
    return (mails as string[]).map((mail) => JSON.parse(mail) as OutboxMail);
  }

  async close(): Promise<void> {
    await Promise.resolve();
  }
}

/** Production without an SMTP server: logs an error and sends nothing. */
export class NoMailer implements Mailer {
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  async send({ subject }: Mail): Promise<MailOutcome> {
    this.#logger.error({ subject }, 'an e-mail was not sent: SMTP_URL is not set');
    return 'refused';
  }

  async close(): Promise<void> {
    await Promise.resolve();
  }
}
