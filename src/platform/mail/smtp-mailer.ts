import { createTransport, type Transporter } from 'nodemailer';
import type { Logger } from '../../foundation/logging/logger.ts';
import type { Mail, Mailer, MailOutcome } from './mail.ts';
import { SMTP_TIMEOUT_MS } from './mail.limits.ts';

/** Sends through the SMTP server of `SMTP_URL`. */
export class SmtpMailer implements Mailer {
  readonly #transport: Transporter;
  readonly #logger: Logger;

  /** @param from the sender, as `Name <address>` or an address */
  constructor(url: string, from: string, logger: Logger) {
    const timeouts = {
      connectionTimeout: SMTP_TIMEOUT_MS,
      greetingTimeout: SMTP_TIMEOUT_MS,
      socketTimeout: SMTP_TIMEOUT_MS,
    };
    this.#transport = createTransport({ url, ...timeouts, disableFileAccess: true, disableUrlAccess: true }, { from });
    this.#logger = logger;
  }

  async send(mail: Mail): Promise<MailOutcome> {
    try {
      await this.#transport.sendMail({ ...mail, to: { name: '', address: mail.to } });
      return 'sent';
    } catch (error) {
      this.#logger.error({ err: error, subject: mail.subject }, 'an e-mail could not be sent');
      return isFinal(error) ? 'refused' : 'postponed';
    }
  }

  async close(): Promise<void> {
    this.#transport.close();
    await Promise.resolve();
  }
}

/**
 * Whether the server refuses the message for good. A failed log-in is not final: the operator can correct it.
 */
function isFinal(error: unknown): boolean {
  const { code, responseCode = 0 } = error as { code?: string; responseCode?: number };
  return responseCode >= 500 && code !== 'EAUTH';
}
