import type { Config } from '../../foundation/config/config.ts';
import type { Logger } from '../../foundation/logging/logger.ts';
import type { RedisStore } from '../../foundation/redis/redis-store.ts';
import type { Mailer } from './mail.ts';
import { MailOutbox, NoMailer } from './mail-outbox.ts';
import { SmtpMailer } from './smtp-mailer.ts';

/** The way that e-mails take, by the configuration. */
export function createMailer({ smtpUrl, mailFrom, production }: Config, store: RedisStore, logger: Logger): Mailer {
  if (smtpUrl !== null) return new SmtpMailer(smtpUrl, mailFrom, logger);
  return production ? new NoMailer(logger) : new MailOutbox(store, logger);
}
