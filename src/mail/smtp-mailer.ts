import { createTransport, type Transporter } from 'nodemailer';
import type { Logger } from '../logging/logger.ts';
import type { Mail, Mailer, MailOutcome } from './mail.ts';

/** A server that is silent costs no more than this. */
const TIMEOUT_MS = 10_000;

/** Sends through the SMTP server of `SMTP_URL`. */
export class SmtpMailer implements Mailer {
  readonly #transport: Transporter;
  readonly #logger: Logger;

  /** @param from the sender, as `Name <address>` or an address */
  constructor(url: string, from: string, logger: Logger) {
    const timeouts = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS };
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

/** The server wants neither this recipient nor this message, now or later. A wrong log-in is the operator's to correct. */
function isFinal(error: unknown): boolean {
  const { code, responseCode = 0 } = error as { code?: string; responseCode?: number };
  return responseCode >= 500 && code !== 'EAUTH';
}
