import type { Logger } from '../logging/logger.ts';
import type { SharedStore } from '../redis/redis.ts';
import type { Mail, Mailer, MailOutcome } from './mail.ts';

const KEY = 'keelson:mail-outbox';
const MAX_MAILS = 100;
const LIFETIME_SECONDS = 86_400;

export interface OutboxMail extends Mail {
  /** ISO 8601 */
  readonly at: string;
}

/** Stands in for an SMTP server in development: keeps the last e-mails of a day where a developer can read them. */
export class MailOutbox implements Mailer {
  readonly #store: SharedStore;
  readonly #logger: Logger;

  constructor(store: SharedStore, logger: Logger) {
    this.#store = store;
    this.#logger = logger;
  }

  async send(mail: Mail): Promise<MailOutcome> {
    const kept: OutboxMail = { ...mail, at: new Date().toISOString() };
    try {
      await this.#store.together([
        ['lpush', KEY, JSON.stringify(kept)],
        ['ltrim', KEY, 0, MAX_MAILS - 1],
        ['expire', KEY, LIFETIME_SECONDS],
      ]);
    } catch (error) {
      this.#logger.warn({ err: error }, 'an e-mail did not reach the outbox');
      return 'postponed';
    }
    this.#logger.info({ subject: mail.subject }, 'an e-mail is in the outbox: GET /api/admin/mail-outbox');
    return 'sent';
  }

  /** The newest first. */
  async list(): Promise<OutboxMail[]> {
    const [mails] = await this.#store.together([['lrange', KEY, 0, -1]]);
    return (mails as string[]).map((mail) => JSON.parse(mail) as OutboxMail);
  }

  async close(): Promise<void> {
    await Promise.resolve();
  }
}

/** Production without an SMTP server: nothing is sent, nothing kept, and the log says so. */
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
