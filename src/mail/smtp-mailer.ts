import { createTransport, type Transporter } from 'nodemailer';
import type { Logger } from '../logging/logger.ts';
import type { Mail, Mailer } from './mail.ts';

/** A server that is silent costs no more than this. */
const TIMEOUT_MS = 10_000;

/** Sends through the SMTP server of `SMTP_URL`. A failure is logged, without the text: it may hold a secret. */
export class SmtpMailer implements Mailer {
  readonly #transport: Transporter;
  readonly #logger: Logger;
  readonly #underWay = new Set<Promise<void>>();

  /** @param from the sender, as `Name <address>` or an address */
  constructor(url: string, from: string, logger: Logger) {
    const timeouts = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS };
    this.#transport = createTransport({ url, ...timeouts, disableFileAccess: true, disableUrlAccess: true }, { from });
    this.#logger = logger;
  }

  send(mail: Mail): void {
    const sending = this.#transport
      .sendMail({ ...mail, to: { name: '', address: mail.to } })
      .then(() => undefined)
      .catch((error: unknown) =>
        this.#logger.error({ err: error, subject: mail.subject }, 'an e-mail could not be sent'),
      );
    this.#underWay.add(sending);
    void sending.finally(() => this.#underWay.delete(sending));
  }

  async close(): Promise<void> {
    await Promise.all(this.#underWay);
    this.#transport.close();
  }
}
